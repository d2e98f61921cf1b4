//! Caches the characters and width of each glyph within a run.
//!
//! A run has one font, so a character code means the same along the whole run. Asking the font for every glyph took a
//! fifth of the time of reading a page.

use hayro_interpret::font::Glyph;

use super::glyph_text::push_glyph_text;

/// The width of glyphs whose font states none.
const DEFAULT_WIDTH: f32 = 500.0;
/// Codes with the same last byte share a slot; the later one replaces the earlier one.
const SLOTS: usize = 256;

/// The glyphs of the current run.
pub(super) struct GlyphCache {
    /// The characters of all cached glyphs, one after the other.
    letters: String,
    entries: Box<[CachedGlyph; SLOTS]>,
    run: u32,
}

/// A cached character code. It is valid only if `run` is the current run.
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

    /// Starts a new run, which may have another font.
    pub(super) fn start_run(&mut self) {
        self.run += 1;
        self.letters.clear();
    }

    /// The characters of a glyph, and its width in glyph units.
    pub(super) fn get(&mut self, glyph: &Glyph<'_>) -> (&str, f32) {
        let code = glyph.char_code();
        let slot = &mut self.entries[code as usize % SLOTS];
        if slot.run != self.run || slot.code != code {
            let start = self.letters.len();
            push_glyph_text(glyph.as_unicode(), &mut self.letters);
            let letters = (start, self.letters.len());
            *slot =
                CachedGlyph { run: self.run, code, letters, width: width_of(glyph).unwrap_or(DEFAULT_WIDTH) };
        }
        (&self.letters[slot.letters.0..slot.letters.1], slot.width)
    }
}

fn width_of(glyph: &Glyph<'_>) -> Option<f32> {
    match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    }
}
