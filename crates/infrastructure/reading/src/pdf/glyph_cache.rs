//! What the glyphs of a run say and how wide they are. A run is set in one font, so that a code means the same all along
//! it; asking the font anew for each glyph took a fifth of the time of reading.

use hayro_interpret::font::Glyph;

use super::glyph_text::push_glyph_text;

/// A font that keeps its widths to itself.
const DEFAULT_WIDTH: f32 = 500.0;
/// Codes whose last byte is the same share a place, and the later one takes it.
const SLOTS: usize = 256;

/// The codes of the run at hand.
pub(super) struct GlyphCache {
    /// The letters of all of them, one after the other.
    letters: String,
    entries: Box<[CachedGlyph; SLOTS]>,
    run: u32,
}

/// A code, what it says and how wide it is, if it was met in this run.
#[derive(Clone, Copy, Default)]
struct CachedGlyph {
    run: u32,
    code: u32,
    letters: (usize, usize),
    width: f32,
}

impl GlyphCache {
    pub(super) fn new() -> Self {
        Self { letters: String::new(), entries: Box::new([CachedGlyph::default(); SLOTS]), run: 0 }
    }

    /// Another run begins, perhaps in another font.
    pub(super) fn start_run(&mut self) {
        self.run += 1;
        self.letters.clear();
    }

    /// The letters of a glyph, and its width in the font's units.
    pub(super) fn get(&mut self, glyph: &Glyph<'_>) -> (&str, f32) {
        let code = glyph.char_code();
        let place = &mut self.entries[code as usize % SLOTS];
        if place.run != self.run || place.code != code {
            let start = self.letters.len();
            push_glyph_text(glyph.as_unicode(), &mut self.letters);
            let letters = (start, self.letters.len());
            *place =
                CachedGlyph { run: self.run, code, letters, width: width_of(glyph).unwrap_or(DEFAULT_WIDTH) };
        }
        (&self.letters[place.letters.0..place.letters.1], place.width)
    }
}

fn width_of(glyph: &Glyph<'_>) -> Option<f32> {
    match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    }
}
