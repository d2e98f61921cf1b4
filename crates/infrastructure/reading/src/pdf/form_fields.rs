//! Reads values of form fields and notes that the file stores without an appearance, and the state of checkboxes.
//!
//! Most programs store how a filled field looks; the page draws it like other text. Some programs store only the value
//! and let the viewer draw it. For those, this file lays out the value within the rectangle of the field. A checkbox is drawn
//! with lines, which are no text, so its state becomes a word.

use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, Rect as PdfRect, Stream};
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::kurbo::{Affine, Rect as Area};
use hayro_interpret::util::RectExt;
use quire_domain::reading::{Line, Rect, Word};

use crate::typeset;

const MAX_ANNOTATIONS: usize = 10_000;
const MAX_PARENTS: usize = 32;
/// Fields can share a value through their parents, so a small file could produce a huge text.
const MAX_CHARACTERS: usize = 200_000;
/// The annotation flag for: never shown.
const HIDDEN: u32 = 1 << 1;
/// The annotation flag for: not shown on screen.
const NO_VIEW: u32 = 1 << 5;
/// The field flag for: its text is a password.
pub(super) const PASSWORD: u32 = 1 << 13;
/// The field flag for: it has no state.
pub(super) const PUSH_BUTTON: u32 = 1 << 16;
/// The words for a box that is checked, and for one that is not.
const CHECKED: &str = "☒";
const UNCHECKED: &str = "☐";
/// The font size if the text fits, in points.
const FONT_SIZE: f64 = 12.0;
/// The usual width of a character, in font sizes.
const CHARACTER_WIDTH: f64 = 0.5;
/// The usual distance of two lines, in font sizes.
const LINE_HEIGHT: f64 = 1.2;
/// The factor by which the font shrinks until the text fits.
const SHRINK: f64 = 0.85;
/// How many times the font shrinks at most.
const ATTEMPTS: usize = 16;

/// The lines of all fields and notes that the page does not draw. `upright` transforms PDF coordinates into those of the
/// upright page.
pub(super) fn lines<'a>(page: &PdfPage<'a>, upright: Affine) -> Vec<Line> {
    let Some(annotations) = page.raw().get::<Array<'a>>("Annots") else { return Vec::new() };
    let (width, height) = page.render_dimensions();
    let page_area = Area::new(0.0, 0.0, width.into(), height.into());
    let mut characters_left = MAX_CHARACTERS;
    let mut lines = Vec::new();
    for annotation in annotations.raw_iter().take(MAX_ANNOTATIONS) {
        let Some(annotation) = resolve(page, annotation) else { continue };
        let Some((text, area)) = undrawn_text(&annotation) else { continue };
        let area = upright.transform_rect_bbox(area);
        characters_left = match characters_left.checked_sub(text.chars().count()) {
            Some(left) => left,
            None => break,
        };
        if area.is_finite() && area.width() > 1.0 && area.height() > 1.0 && area.overlaps(page_area) {
            lines.extend(lay_out(&text, area));
        }
    }
    lines
}

fn resolve<'a>(page: &PdfPage<'a>, annotation: MaybeRef<Object<'a>>) -> Option<Dict<'a>> {
    match annotation {
        MaybeRef::Ref(reference) => page.xref().get::<Dict<'a>>(reference.into()),
        MaybeRef::NotRef(object) => object.into_dict(),
    }
}

/// The text and the rectangle of an annotation that is visible but that the page does not draw.
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
    let is_blank = !text.chars().any(|character| !character.is_whitespace());
    (!is_blank && !shows_text(annotation)).then_some((text, area))
}

fn field_text(field: &Dict<'_>) -> Option<String> {
    let kind = inherited::<Name<'_>>(field, "FT", |field| field.get("FT"))?;
    let flags = inherited(field, "Ff", |field| field.get::<u32>("Ff")).unwrap_or(0);
    match kind.as_ref() {
        b"Tx" | b"Ch" if flags & PASSWORD == 0 => {}
        b"Btn" if flags & PUSH_BUTTON == 0 => return checkbox(field),
        _ => return None,
    }
    text_of(inherited(field, "V", |field| field.get::<Object<'_>>("V"))?)
}

/// The state of a checkbox or radio button as a word. `None` if it has no states.
fn checkbox(field: &Dict<'_>) -> Option<String> {
    let state = field.get::<Name<'_>>("AS").or_else(|| {
        let is_alone = field.contains_key("FT");
        field.get::<Name<'_>>("V").filter(|_| is_alone)
    })?;
    Some(if state.as_ref() == b"Off" { UNCHECKED } else { CHECKED }.to_owned())
}

/// The entry of a field, or of its nearest parent that has one.
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

/// The text of a value. A choice of several values becomes one line each.
pub(super) fn text_of(value: Object<'_>) -> Option<String> {
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

/// Whether the annotation has an appearance with text in it. Programs that store only the value often leave the
/// appearance of the empty field behind.
fn shows_text(annotation: &Dict<'_>) -> bool {
    let Some(normal) =
        annotation.get::<Dict<'_>>("AP").and_then(|appearances| appearances.get::<Object<'_>>("N"))
    else {
        return false;
    };
    let drawn = match normal {
        Object::Stream(drawn) => Some(drawn),
        Object::Dict(states) => {
            annotation.get::<Name<'_>>("AS").and_then(|state| states.get::<Stream<'_>>(state))
        }
        _ => None,
    };
    // The operators that show text, and the one that draws another object, which may contain text.
    let operators: [&[u8]; 5] = [b"Tj", b"TJ", b"'", b"\"", b"Do"];
    let content = drawn.and_then(|drawn| drawn.decoded_data().ok()).unwrap_or_default();
    operators.iter().any(|operator| content.windows(operator.len()).any(|window| window == *operator))
}

/// Lays out a text within an area, in the largest font that fits.
fn lay_out(text: &str, area: Area) -> Vec<Line> {
    let mut size = FONT_SIZE.min(area.height());
    let mut rows = wrap(text, area.width(), size);
    for _ in 0..ATTEMPTS {
        #[allow(clippy::cast_precision_loss)] // Far fewer lines than that.
        if rows.len() as f64 * size * LINE_HEIGHT <= area.height() + size * (LINE_HEIGHT - 1.0) {
            break;
        }
        size *= SHRINK;
        rows = wrap(text, area.width(), size);
    }
    // If it still does not fit, the lines overlap: every word stays within the field.
    #[allow(clippy::cast_precision_loss)]
    let line_distance = (size * LINE_HEIGHT).min(area.height() / rows.len().max(1) as f64);
    let rows = rows.into_iter().enumerate();
    let lines = rows.map(|(row, words)| {
        let words = words.into_iter().map(|(column, text)| {
            let rect = word_rect(area, size, line_distance, row, column, text.chars().count());
            Word::new(text, rect)
        });
        Line { words: words.collect(), opens_paragraph: row == 0 }
    });
    lines.collect()
}

fn wrap(text: &str, width: f64, size: f64) -> Vec<Vec<(usize, String)>> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Positive and finite.
    let columns = (width / (size * CHARACTER_WIDTH)) as usize;
    text.split(['\r', '\n']).flat_map(|line| typeset::wrap(line, columns)).collect()
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // Pages are far smaller.
fn word_rect(
    area: Area,
    size: f64,
    line_distance: f64,
    row: usize,
    column: usize,
    characters: usize,
) -> Rect {
    let left = area.x0 + column as f64 * size * CHARACTER_WIDTH;
    let top = area.y0 + row as f64 * line_distance;
    Rect {
        x0: left.min(area.x1) as f32,
        y0: top as f32,
        x1: (left + characters as f64 * size * CHARACTER_WIDTH).min(area.x1) as f32,
        y1: (top + size.min(line_distance)).min(area.y1) as f32,
    }
}

/// Decodes UTF-16 or UTF-8 by the byte order mark, else `PDFDocEncoding`.
pub(super) fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => crate::text::decode(bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| pdf_doc_encoding(*byte)).collect(),
    }
}

/// `PDFDocEncoding`: Latin-1 except for these characters.
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
