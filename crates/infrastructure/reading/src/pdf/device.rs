//! A device that draws nothing: it notes each glyph, what it says and where it stands.
//!
//! Invisible text is noted too. Scans carry what was recognised on them that way.

use hayro_interpret::font::{Glyph as Drawn, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

/// Glyph programs are drawn on a square of so many units.
const UNITS_PER_EM: f64 = 1000.0;
/// What a glyph says whose font does not tell.
const UNKNOWN: char = '\u{FFFD}';
/// A font that keeps its widths to itself.
const USUAL_WIDTH: f32 = 500.0;

/// One glyph on the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Glyph {
    /// What it says; a ligature says several letters.
    pub(super) text: String,
    /// Where the pen was put down.
    pub(super) origin: Point,
    /// How far the pen moves on.
    pub(super) advance: Vec2,
    /// The height of the font's square, upwards.
    pub(super) up: Vec2,
}

#[derive(Default)]
pub(super) struct TextDevice {
    glyphs: Vec<Glyph>,
    /// Where the last run began, to know it when it is drawn a second time.
    last_run: usize,
}

impl TextDevice {
    pub(super) fn into_glyphs(self) -> Vec<Glyph> {
        self.glyphs
    }

    /// Text that is filled and then stroked is drawn twice in the same place, and read once.
    fn is_repeated(&self, run: &[Glyph]) -> bool {
        let last = &self.glyphs[self.last_run..];
        !run.is_empty()
            && last.len() == run.len()
            && last.iter().zip(run).all(|(a, b)| a.text == b.text && a.origin.distance(b.origin) < 0.01)
    }
}

impl<'a> Device<'a> for TextDevice {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        let noted: Vec<Glyph> =
            run.glyphs().iter().map(|glyph| note(glyph, props.transform * glyph.transform())).collect();
        if !self.is_repeated(&noted) {
            self.last_run = self.glyphs.len();
            self.glyphs.extend(noted);
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

fn note(glyph: &Drawn<'_>, placed: Affine) -> Glyph {
    let width = match glyph {
        Drawn::Outline(outline) => outline.advance_width(),
        Drawn::Type3(drawn) => drawn.advance_width(),
    };
    let origin = placed * Point::ZERO;
    let along = |x: f64, y: f64| (placed * Point::new(x, y)) - origin;
    Glyph {
        text: spelled(glyph.as_unicode()),
        origin,
        advance: along(f64::from(width.unwrap_or(USUAL_WIDTH)), 0.0),
        up: along(0.0, UNITS_PER_EM),
    }
}

fn spelled(unicode: Option<BfString>) -> String {
    let text = match unicode {
        Some(BfString::Char(letter)) => letter.to_string(),
        Some(BfString::String(letters)) => letters,
        None => UNKNOWN.to_string(),
    };
    text.chars().flat_map(letters_of).collect()
}

/// A ligature by its letters, so that words are found however they were set.
fn letters_of(letter: char) -> Vec<char> {
    let letters = match letter {
        '\u{FB00}' => "ff",
        '\u{FB01}' => "fi",
        '\u{FB02}' => "fl",
        '\u{FB03}' => "ffi",
        '\u{FB04}' => "ffl",
        '\u{FB05}' | '\u{FB06}' => "st",
        // A hyphen that is only shown where a line breaks, and characters that show nothing.
        '\u{00AD}' => "-",
        '\u{200B}' | '\u{FEFF}' | '\0' => "",
        other => return vec![other],
    };
    letters.chars().collect()
}
