//! Groups glyphs into words, and words into spans, in the order the page draws them.
//!
//! A PDF has no words, only glyphs at positions. A glyph that starts where the previous one ended continues the word.
//! A glyph a little further along the baseline starts a new word. A glyph anywhere else starts a new span.
//! `reading_order` later decides which spans form a line.
//!
//! Most producers draw right-to-left scripts from left to right, the last letter of a word first. Some producers draw
//! them as they are written: then each glyph ends where the previous one started. `DrawnWord::drawn_right_to_left` marks
//! such words, because their letters are already in reading order.
//!
//! No glyph allocates memory: all characters of a page share one string, and words are ranges of it.

use std::ops::Range;

use hayro_interpret::kurbo::Vec2;
use quire_domain::reading::Rect;

use super::bidi::is_right_to_left;
use super::glyph::{GlyphContinuation, GlyphExtent, PlacedGlyph, SPAN_GAP, to_f32};
use super::glyph_text::is_combining_mark;
use super::spaced_letters::join_spaced_letters;

/// The same character drawn again within this share of the font size is one bold character.
const SAME_PLACE: f64 = 0.12;

/// A word as the page draws it.
#[derive(Clone, Debug)]
pub(super) struct DrawnWord {
    /// Its range in [`PageText::text`].
    pub(super) text: Range<usize>,
    pub(super) rect: Rect,
    /// Its start along the direction of its span.
    pub(super) start: f32,
    /// Its end along the direction of its span.
    pub(super) end: f32,
    /// Whether the page draws its glyphs from right to left, so that its letters are in reading order.
    pub(super) drawn_right_to_left: bool,
}

/// Words drawn one after the other on one baseline.
#[derive(Clone, Debug)]
pub(super) struct PdfSpan {
    /// Its range in [`PageText::words`].
    pub(super) words: Range<usize>,
    /// The start of its first glyph.
    pub(super) origin: (f32, f32),
    /// The direction of its baseline, as a unit vector.
    pub(super) direction: (f32, f32),
    /// The largest font size in it.
    pub(super) font_size: f32,
}

/// The text of a page, in drawing order.
#[derive(Debug, Default)]
pub(super) struct PageText {
    pub(super) text: String,
    pub(super) words: Vec<DrawnWord>,
    pub(super) spans: Vec<PdfSpan>,
    /// Whether the page has any letter of a right-to-left script.
    pub(super) has_right_to_left: bool,
}

/// Builds a [`PageText`] from glyphs.
pub(super) struct WordBuilder {
    done: PageText,
    page: (f64, f64),
    word: Option<DrawnWord>,
    span: Option<PdfSpan>,
    /// The last glyph, or the last space that followed it.
    last: Option<GlyphExtent>,
    last_visible: Option<VisibleGlyph>,
}

#[derive(Clone, Copy)]
struct VisibleGlyph {
    letter: char,
    extent: GlyphExtent,
}

impl WordBuilder {
    pub(super) fn new(page_width: f32, page_height: f32) -> Self {
        Self {
            done: PageText::default(),
            page: (f64::from(page_width), f64::from(page_height)),
            word: None,
            span: None,
            last: None,
            last_visible: None,
        }
    }

    /// Adds the next glyph. `letters` are its characters in reading order; a ligature has several.
    pub(super) fn push(&mut self, glyph: PlacedGlyph, letters: &str) {
        let Some(first) = letters.chars().next() else { return };
        let Some(extent) = glyph.extent(self.page) else { return };
        if first.is_whitespace() && letters.trim_start().is_empty() {
            return self.push_space(extent);
        }
        let rect = glyph.rect();
        if !self.is_on_page(rect) || self.is_repeated(first, extent) {
            return;
        }
        if is_combining_mark(first)
            && self.last_visible.is_some_and(|last| last.extent.carries_mark(extent))
            && self.word.is_some()
        {
            return self.append(letters, rect, None);
        }
        let (continuation, to_the_left) = self.continuation(extent, first);
        match continuation {
            GlyphContinuation::SameWord => {}
            GlyphContinuation::NewWord => self.end_word(),
            GlyphContinuation::NewSpan => self.end_span(),
        }
        self.extend_span(extent);
        if to_the_left {
            self.mark_right_to_left();
        }
        self.append(letters, rect, Some(extent));
        self.last = Some(extent);
        self.last_visible = Some(VisibleGlyph { letter: first, extent });
    }

    /// Ends the last word and span and returns the page.
    pub(super) fn finish(mut self) -> PageText {
        self.end_span();
        self.done
    }

    /// A space ends the word. It moves the end of the span only if it follows the last glyph.
    fn push_space(&mut self, space: GlyphExtent) {
        if self.word.is_some() {
            self.end_word();
            self.done.text.push(' ');
        }
        let follows = self.last.is_some_and(|last| last.continuation(space) != GlyphContinuation::NewSpan);
        if follows {
            self.last = Some(space);
        }
    }

    fn is_on_page(&self, rect: Rect) -> bool {
        let (width, height) = self.page;
        f64::from(rect.x1) > 0.0
            && f64::from(rect.x0) < width
            && f64::from(rect.y1) > 0.0
            && f64::from(rect.y0) < height
    }

    /// Whether the page draws the same character again in the same place, to make it bold.
    fn is_repeated(&self, letter: char, extent: GlyphExtent) -> bool {
        self.last_visible.is_some_and(|last| {
            last.letter == letter
                && last.extent.start.distance(extent.start)
                    < SAME_PLACE * last.extent.font_size.min(extent.font_size)
        })
    }

    /// How a glyph continues the text, and whether it continues it to the left.
    fn continuation(&self, extent: GlyphExtent, letter: char) -> (GlyphContinuation, bool) {
        let Some(last) = self.last else { return (GlyphContinuation::NewSpan, false) };
        let to_the_right = match last.continuation(extent) {
            // Spaces can lead as far as the next column of a table.
            GlyphContinuation::NewWord if self.is_far_from_visible(extent) => GlyphContinuation::NewSpan,
            continuation => continuation,
        };
        let is_right_to_left_word = self.word.as_ref().is_some_and(|word| word.drawn_right_to_left);
        if to_the_right == GlyphContinuation::NewSpan && (is_right_to_left_word || is_right_to_left(letter)) {
            let to_the_left = last.continuation_to_the_left(extent);
            return (to_the_left, to_the_left != GlyphContinuation::NewSpan);
        }
        (to_the_right, false)
    }

    fn is_far_from_visible(&self, extent: GlyphExtent) -> bool {
        self.last_visible.is_some_and(|last| {
            (extent.start - last.extent.end).dot(last.extent.direction)
                > SPAN_GAP * 1.5 * last.extent.font_size.max(extent.font_size)
        })
    }

    /// Starts a span if there is none, and records the font size.
    fn extend_span(&mut self, extent: GlyphExtent) {
        let first_word = self.done.words.len();
        let span = self.span.get_or_insert_with(|| PdfSpan {
            words: first_word..first_word,
            origin: (to_f32(extent.start.x), to_f32(extent.start.y)),
            direction: (to_f32(extent.direction.x), to_f32(extent.direction.y)),
            font_size: to_f32(extent.font_size),
        });
        span.font_size = span.font_size.max(to_f32(extent.font_size));
    }

    /// Marks the current word as drawn from right to left. Its first glyph was stored in the opposite order.
    fn mark_right_to_left(&mut self) {
        if let Some(word) = self.word.as_mut().filter(|word| !word.drawn_right_to_left) {
            reverse_from(&mut self.done.text, word.text.start);
            word.drawn_right_to_left = true;
        }
    }

    /// Appends characters to the current word. A combining mark has no extent of its own.
    fn append(&mut self, letters: &str, rect: Rect, extent: Option<GlyphExtent>) {
        let start = self.done.text.len();
        let is_rtl = letters.chars().next().is_some_and(is_right_to_left);
        self.done.has_right_to_left |= is_rtl;
        self.done.text.push_str(letters);
        let is_in_reading_order = self.word.as_ref().is_some_and(|word| word.drawn_right_to_left);
        // `bidi` will reverse this word as a whole, so the characters of one glyph are stored reversed.
        if is_rtl && !is_in_reading_order && letters.chars().nth(1).is_some() {
            reverse_from(&mut self.done.text, start);
        }
        let text = start..self.done.text.len();
        let Some((from, to)) = extent.and_then(|extent| self.along_span(extent)) else {
            return self.grow_word(text.end, rect);
        };
        match &mut self.word {
            Some(word) => {
                word.start = word.start.min(from);
                word.end = word.end.max(to);
                self.grow_word(text.end, rect);
            }
            None => {
                self.word = Some(DrawnWord { text, rect, start: from, end: to, drawn_right_to_left: false });
            }
        }
    }

    fn grow_word(&mut self, text_end: usize, rect: Rect) {
        if let Some(word) = &mut self.word {
            word.text.end = text_end;
            word.rect = word.rect.union(rect);
        }
    }

    /// Start and end of a glyph along the direction of the span.
    fn along_span(&self, extent: GlyphExtent) -> Option<(f32, f32)> {
        let span = self.span.as_ref()?;
        let direction = Vec2::new(f64::from(span.direction.0), f64::from(span.direction.1));
        let (start, end) = (extent.start.to_vec2().dot(direction), extent.end.to_vec2().dot(direction));
        Some((to_f32(start.min(end)), to_f32(start.max(end))))
    }

    fn end_word(&mut self) {
        self.done.words.extend(self.word.take());
    }

    fn end_span(&mut self) {
        self.end_word();
        if let Some(mut span) = self.span.take() {
            join_spaced_letters(&mut self.done.words, span.words.start, &self.done.text, span.font_size);
            span.words.end = self.done.words.len();
            self.done.spans.push(span);
        }
    }
}

/// Reverses the characters of `text` from byte `start` on.
fn reverse_from(text: &mut String, start: usize) {
    let reversed: String = text[start..].chars().rev().collect();
    text.truncate(start);
    text.push_str(&reversed);
}
