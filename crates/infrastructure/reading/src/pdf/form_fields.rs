//! What people filled in: the text of form fields and notes that the file holds without a picture of it.
//!
//! Most programs store how a filled field looks, and that is read like the rest of the page. Some store the value alone
//! and leave it to the viewer to set it; for these, the value is set within the field's rectangle here.

use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, Rect as PdfRect, Stream};
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::kurbo::{Affine, Rect as Area};
use hayro_interpret::util::RectExt;
use quire_domain::reading::{Line, Rect, Word};

use crate::typeset;

const MAX_ANNOTATIONS: usize = 10_000;
const MAX_PARENTS: usize = 32;
/// Fields share values through their parents, so a short file could say a lot.
const MAX_CHARACTERS: usize = 200_000;
/// Bits of an annotation's flags: not shown at all, not shown on screen.
const HIDDEN: u32 = 1 << 1;
const NO_VIEW: u32 = 1 << 5;
/// A bit of a field's flags: its text is a password.
const PASSWORD: u32 = 1 << 13;
/// Letters are set in this size if they fit, as wide and with lines as far apart as most fonts have it.
const FONT_SIZE: f64 = 12.0;
const CHARACTER_WIDTH: f64 = 0.5;
const LINE_HEIGHT: f64 = 1.2;
/// How much smaller letters get until they fit, and how often that is tried.
const SHRINK: f64 = 0.85;
const ATTEMPTS: usize = 16;

/// The lines of all fields and notes of a page that nothing is drawn for. The transform leads from the coordinates of
/// the PDF to those of the upright page.
pub(super) fn lines<'a>(page: &PdfPage<'a>, upright: Affine) -> Vec<Line> {
    let Some(annotations) = page.raw().get::<Array<'a>>("Annots") else { return Vec::new() };
    let (width, height) = page.render_dimensions();
    let whole = Area::new(0.0, 0.0, width.into(), height.into());
    let mut left = MAX_CHARACTERS;
    let mut lines = Vec::new();
    for annotation in annotations.raw_iter().take(MAX_ANNOTATIONS) {
        let Some(annotation) = resolved(page, annotation) else { continue };
        let Some((text, area)) = undrawn_text(&annotation) else { continue };
        let area = upright.transform_rect_bbox(area);
        left = match left.checked_sub(text.chars().count()) {
            Some(left) => left,
            None => break,
        };
        if area.is_finite() && area.width() > 1.0 && area.height() > 1.0 && area.overlaps(whole) {
            lines.extend(lay_out(&text, area));
        }
    }
    lines
}

fn resolved<'a>(page: &PdfPage<'a>, annotation: MaybeRef<Object<'a>>) -> Option<Dict<'a>> {
    match annotation {
        MaybeRef::Ref(reference) => page.xref().get::<Dict<'a>>(reference.into()),
        MaybeRef::NotRef(object) => object.into_dict(),
    }
}

/// What an annotation says and where, if it can be seen and nothing is drawn for it.
fn undrawn_text(annotation: &Dict<'_>) -> Option<(String, Area)> {
    if annotation.get::<u32>("F").unwrap_or(0) & (HIDDEN | NO_VIEW) != 0 {
        return None;
    }
    let text = match annotation.get::<Name<'_>>("Subtype")?.as_ref() {
        b"Widget" => field_text(annotation)?,
        b"FreeText" => text_of(annotation.get::<Object<'_>>("Contents")?)?,
        _ => return None,
    };
    let area = annotation.get::<PdfRect>("Rect")?.to_kurbo();
    let said = text.chars().any(|character| !character.is_whitespace());
    (said && !shows_text(annotation)).then_some((text, area))
}

fn field_text(field: &Dict<'_>) -> Option<String> {
    let kind = inherited::<Name<'_>>(field, "FT", |field| field.get("FT"))?;
    let secret = inherited(field, "Ff", |field| field.get::<u32>("Ff")).unwrap_or(0) & PASSWORD != 0;
    if !matches!(kind.as_ref(), b"Tx" | b"Ch") || secret {
        return None;
    }
    text_of(inherited(field, "V", |field| field.get::<Object<'_>>("V"))?)
}

/// A field's entry, or that of the nearest parent that has one.
fn inherited<'a, T>(field: &Dict<'a>, key: &str, entry: impl Fn(&Dict<'a>) -> Option<T>) -> Option<T> {
    let mut field = field.clone();
    for _ in 0..MAX_PARENTS {
        if field.contains_key(key) {
            return entry(&field);
        }
        field = field.get::<Dict<'a>>("Parent")?;
    }
    None
}

/// A choice of several is a line for each.
fn text_of(value: Object<'_>) -> Option<String> {
    match value {
        Object::String(text) => Some(decode(text.as_bytes())),
        Object::Stream(text) => Some(decode(&text.decoded_data().ok()?)),
        Object::Array(choices) => {
            let choices = choices.iter::<Object<'_>>().take(MAX_ANNOTATIONS);
            let texts = choices.filter_map(|choice| choice.into_string().map(|text| decode(text.as_bytes())));
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// Whether an appearance is drawn that has text in it. Programs that fill in a value and leave the rest to the viewer
/// often leave the appearance of the empty field behind.
fn shows_text(annotation: &Dict<'_>) -> bool {
    let Some(normal) = annotation.get::<Dict<'_>>("AP").and_then(|looks| looks.get::<Object<'_>>("N")) else {
        return false;
    };
    let drawn = match normal {
        Object::Stream(drawn) => Some(drawn),
        Object::Dict(states) => {
            annotation.get::<Name<'_>>("AS").and_then(|state| states.get::<Stream<'_>>(state))
        }
        _ => None,
    };
    // The operators that show text, and the one that draws something made elsewhere.
    let operators: [&[u8]; 5] = [b"Tj", b"TJ", b"'", b"\"", b"Do"];
    let content = drawn.and_then(|drawn| drawn.decoded_data().ok()).unwrap_or_default();
    operators.iter().any(|operator| content.windows(operator.len()).any(|window| window == *operator))
}

/// The text set within the area, in the largest letters that fit.
fn lay_out(text: &str, area: Area) -> Vec<Line> {
    let mut size = FONT_SIZE.min(area.height());
    let mut rows = wrapped(text, area.width(), size);
    for _ in 0..ATTEMPTS {
        #[allow(clippy::cast_precision_loss)] // Far fewer lines than that.
        if rows.len() as f64 * size * LINE_HEIGHT <= area.height() + size * (LINE_HEIGHT - 1.0) {
            break;
        }
        size *= SHRINK;
        rows = wrapped(text, area.width(), size);
    }
    // What still does not fit is pressed together: every word stays within the field.
    #[allow(clippy::cast_precision_loss)]
    let pitch = (size * LINE_HEIGHT).min(area.height() / rows.len().max(1) as f64);
    let rows = rows.into_iter().enumerate();
    let lines = rows.map(|(row, words)| {
        let words = words.into_iter().map(|(column, text)| {
            let rect = word_rect(area, size, pitch, row, column, text.chars().count());
            Word { text, rect }
        });
        Line { words: words.collect(), opens_paragraph: row == 0 }
    });
    lines.collect()
}

fn wrapped(text: &str, width: f64, size: f64) -> Vec<Vec<(usize, String)>> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Positive and finite.
    let columns = (width / (size * CHARACTER_WIDTH)) as usize;
    text.split(['\r', '\n']).flat_map(|line| typeset::wrap(line, columns)).collect()
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // Pages are far smaller.
fn word_rect(area: Area, size: f64, pitch: f64, row: usize, column: usize, letters: usize) -> Rect {
    let left = area.x0 + column as f64 * size * CHARACTER_WIDTH;
    let top = area.y0 + row as f64 * pitch;
    Rect {
        x0: left.min(area.x1) as f32,
        y0: top as f32,
        x1: (left + letters as f64 * size * CHARACTER_WIDTH).min(area.x1) as f32,
        y1: (top + size.min(pitch)).min(area.y1) as f32,
    }
}

/// UTF-16 or UTF-8 by its mark, else the encoding that PDF has for such texts.
fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => crate::text::decode(bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| pdf_doc_encoding(*byte)).collect(),
    }
}

/// The encoding that PDF has for texts outside of pages: Latin-1 but for these.
fn pdf_doc_encoding(byte: u8) -> char {
    const FROM_0X18: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const FROM_0X80: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
    ];
    match byte {
        0x18..=0x1f => FROM_0X18[usize::from(byte) - 0x18],
        0x80..=0xa0 => FROM_0X80[usize::from(byte) - 0x80],
        _ => char::from(byte),
    }
}

#[cfg(test)]
#[path = "form_fields_tests.rs"]
mod tests;
