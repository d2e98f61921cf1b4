//! Glyphs into words, words into strokes: by where the pen went.
//!
//! A PDF has no words, only glyphs at places. The pen tells: if it was put down again about where the last glyph left
//! it, the word goes on; a little further along, the next word begins; anywhere else, the next stroke. What the strokes
//! have to do with each other is told later, from where they stand (`order`).
//!
//! Scripts that are written from right to left are mostly drawn from left to right all the same, each word with its last
//! letter first. Some producers draw them as they are written: then each glyph ends where the one before it began. Such
//! words are marked, so that their letters are not turned around again.
//!
//! Nothing is allocated for a glyph: all letters of a page stand in one text, and words are stretches of it.

use std::ops::Range;

use hayro_interpret::kurbo::{Point, Vec2};
use quire_domain::reading::Rect;

use super::bidi::is_right_to_left;
use super::glyph_text::is_combining_mark;

/// Shares of the font's size. A gap this wide parts two words,
pub(super) const WORD_GAP: f64 = 0.15;
/// one this wide parts two strokes, which may stand in two columns,
const SPAN_GAP: f64 = 1.0;
/// a step back this far is a new start,
const STEP_BACK: f64 = 0.5;
/// a step aside this far is another line,
const STEP_ASIDE: f64 = 0.4;
/// and the same glyph again this near is the same glyph, made bold.
const SAME_PLACE: f64 = 0.12;
/// How much of the font's square stands above the line on which letters stand, and how much hangs below.
const ASCENT: f64 = 0.8;
const DESCENT: f64 = 0.2;
/// Directions whose cosine is above this are the same.
const SAME_WAY: f64 = 0.99;
/// Fonts larger than this many times the page are no text.
const LARGEST: f64 = 2.0;
/// Letters set apart, as in T I T L E: at least so many, their gaps at most this wide and alike to this much.
const FEWEST_SPACED: usize = 4;
const WIDEST_SPACING: f32 = 0.6;
const SPACING_ALIKE: f32 = 0.08;

/// One glyph on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedGlyph {
    /// Where the pen was put down.
    pub(super) origin: Point,
    /// How far the pen moves on.
    pub(super) advance: Vec2,
    /// The height of the font's square, upwards.
    pub(super) up: Vec2,
}

/// A word as the pen wrote it.
#[derive(Clone, Debug)]
pub(super) struct DrawnWord {
    /// Its letters in the text of the page.
    pub(super) text: Range<usize>,
    pub(super) rect: Rect,
    /// Where it begins and ends along the way of its stroke.
    pub(super) start: f32,
    pub(super) end: f32,
    /// Whether the pen went backwards, so that its letters are in the order they are read.
    pub(super) drawn_right_to_left: bool,
}

/// Words that the pen wrote in one go.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) words: Range<usize>,
    /// Where it was begun.
    pub(super) origin: (f32, f32),
    /// The way the pen went, one long.
    pub(super) direction: (f32, f32),
    /// The largest font in it.
    pub(super) font_size: f32,
}

/// All that was written on a page, in the order it was drawn.
#[derive(Debug, Default)]
pub(super) struct PageText {
    pub(super) text: String,
    pub(super) words: Vec<DrawnWord>,
    pub(super) spans: Vec<Span>,
    /// Whether there is any letter of a script that is written from right to left.
    pub(super) has_right_to_left: bool,
}

/// Takes glyphs one by one.
pub(super) struct WordBuilder {
    done: PageText,
    page: (f64, f64),
    word: Option<DrawnWord>,
    span: Option<Span>,
    last: Option<GlyphExtent>,
    last_visible: Option<VisibleGlyph>,
}

/// Where the last glyph left the pen, how it went, and how large its font was.
#[derive(Clone, Copy)]
struct GlyphExtent {
    start: Point,
    end: Point,
    direction: Vec2,
    font_size: f64,
}

/// The last glyph that can be seen.
#[derive(Clone, Copy)]
struct VisibleGlyph {
    letter: char,
    extent: GlyphExtent,
}

/// How a glyph goes on from where the pen was.
#[derive(Clone, Copy, PartialEq)]
enum Continuation {
    SameWord,
    NewWord,
    NewSpan,
}

impl WordBuilder {
    /// For a page of this size.
    pub(super) fn new(width: f32, height: f32) -> Self {
        Self {
            done: PageText::default(),
            page: (f64::from(width), f64::from(height)),
            word: None,
            span: None,
            last: None,
            last_visible: None,
        }
    }

    /// The next glyph, and what it says.
    pub(super) fn push(&mut self, glyph: PlacedGlyph, letters: &str) {
        let Some(first) = letters.chars().next() else { return };
        let Some(next) = pen_after(&glyph, self.page) else { return };
        if first.is_whitespace() && letters.trim_start().is_empty() {
            return self.leave_room(next);
        }
        let rect = rect_of(&glyph);
        if !self.is_on_page(rect) || self.is_again(first, next) {
            return;
        }
        if is_combining_mark(first)
            && self.last_visible.is_some_and(|ink| stands_over(ink.extent, next))
            && self.word.is_some()
        {
            return self.write(letters, rect, None);
        }
        let (step, leftwards) = self.step_to(next, first);
        match step {
            Continuation::SameWord => {}
            Continuation::NewWord => self.end_word(),
            Continuation::NewSpan => self.end_stroke(),
        }
        self.begin(next, leftwards);
        self.write(letters, rect, Some(next));
        self.last = Some(next);
        self.last_visible = Some(VisibleGlyph { letter: first, extent: next });
    }

    /// All that was taken.
    pub(super) fn finish(mut self) -> PageText {
        self.end_stroke();
        self.done
    }

    /// A space ends the word; one that does not follow where the pen was says nothing.
    fn leave_room(&mut self, next: GlyphExtent) {
        if self.word.is_some() {
            self.end_word();
            self.done.text.push(' ');
        }
        let follows = self.last.is_some_and(|pen| step(pen, next) != Continuation::NewSpan);
        if follows {
            self.last = Some(next);
        }
    }

    fn is_on_page(&self, rect: Rect) -> bool {
        let (width, height) = self.page;
        f64::from(rect.x1) > 0.0
            && f64::from(rect.x0) < width
            && f64::from(rect.y1) > 0.0
            && f64::from(rect.y0) < height
    }

    fn is_again(&self, letter: char, next: GlyphExtent) -> bool {
        self.last_visible.is_some_and(|ink| {
            ink.letter == letter
                && ink.extent.start.distance(next.start)
                    < SAME_PLACE * ink.extent.font_size.min(next.font_size)
        })
    }

    /// The step, and whether it was taken backwards.
    fn step_to(&self, next: GlyphExtent, letter: char) -> (Continuation, bool) {
        let Some(pen) = self.last else { return (Continuation::NewSpan, false) };
        let ahead = match step(pen, next) {
            // Spaces can lead far away, to the next column of a table.
            Continuation::NewWord if self.is_far_from_ink(next) => Continuation::NewSpan,
            step => step,
        };
        let turned = self.word.as_ref().is_some_and(|word| word.drawn_right_to_left);
        if ahead == Continuation::NewSpan && (turned || is_right_to_left(letter)) {
            let back = step_back(pen, next);
            return (back, back != Continuation::NewSpan);
        }
        (ahead, false)
    }

    fn is_far_from_ink(&self, next: GlyphExtent) -> bool {
        self.last_visible.is_some_and(|ink| {
            (next.start - ink.extent.end).dot(ink.extent.direction)
                > SPAN_GAP * 1.5 * ink.extent.font_size.max(next.font_size)
        })
    }

    fn begin(&mut self, next: GlyphExtent, leftwards: bool) {
        let first_word = self.done.words.len();
        let stroke = self.span.get_or_insert_with(|| Span {
            words: first_word..first_word,
            origin: (narrow(next.start.x), narrow(next.start.y)),
            direction: (narrow(next.direction.x), narrow(next.direction.y)),
            font_size: narrow(next.font_size),
        });
        stroke.font_size = stroke.font_size.max(narrow(next.font_size));
        let text = &mut self.done.text;
        if let Some(word) = self.word.as_mut().filter(|word| leftwards && !word.drawn_right_to_left) {
            // Its first glyph was taken for one drawn the other way.
            turn_around(text, word.text.start);
            word.drawn_right_to_left = true;
        }
    }

    /// Adds letters to the word. Those of one glyph are in the order they are read; a word that will be turned around
    /// wants them the other way. A mark does not move the pen.
    fn write(&mut self, letters: &str, rect: Rect, moved: Option<GlyphExtent>) {
        let start = self.done.text.len();
        let backwards = letters.chars().next().is_some_and(is_right_to_left);
        self.done.has_right_to_left |= backwards;
        self.done.text.push_str(letters);
        let turned = self.word.as_ref().is_some_and(|word| word.drawn_right_to_left);
        if backwards && !turned && letters.chars().nth(1).is_some() {
            turn_around(&mut self.done.text, start);
        }
        let text = start..self.done.text.len();
        let Some((from, to)) = moved.and_then(|pen| self.ends(pen)) else {
            return self.widen(text.end, rect);
        };
        match &mut self.word {
            Some(word) => {
                word.start = word.start.min(from);
                word.end = word.end.max(to);
                self.widen(text.end, rect);
            }
            None => {
                self.word = Some(DrawnWord { text, rect, start: from, end: to, drawn_right_to_left: false })
            }
        }
    }

    fn widen(&mut self, end: usize, rect: Rect) {
        if let Some(word) = &mut self.word {
            word.text.end = end;
            word.rect = word.rect.union(rect);
        }
    }

    /// Where a glyph begins and ends along the way of the stroke.
    fn ends(&self, pen: GlyphExtent) -> Option<(f32, f32)> {
        let stroke = self.span.as_ref()?;
        let way = Vec2::new(f64::from(stroke.direction.0), f64::from(stroke.direction.1));
        let (from, to) = (pen.start.to_vec2().dot(way), pen.end.to_vec2().dot(way));
        Some((narrow(from.min(to)), narrow(from.max(to))))
    }

    fn end_word(&mut self) {
        self.done.words.extend(self.word.take());
    }

    fn end_stroke(&mut self) {
        self.end_word();
        if let Some(mut stroke) = self.span.take() {
            join_spaced_letters(&mut self.done.words, stroke.words.start, &self.done.text, stroke.font_size);
            stroke.words.end = self.done.words.len();
            self.done.spans.push(stroke);
        }
    }
}

/// Letters set apart evenly are one word: single letters without spaces between them, all gaps alike. Gaps that differ,
/// or are as wide as columns are apart, part words as always.
fn join_spaced_letters(words: &mut Vec<DrawnWord>, start: usize, text: &str, size: f32) {
    if words.len() < start + FEWEST_SPACED {
        return;
    }
    let mut kept = start;
    let mut at = start;
    while at < words.len() {
        let run = spaced_letters(&words[at..], text, size);
        if run >= FEWEST_SPACED {
            let last = words[at + run - 1].clone();
            let word = &mut words[at];
            word.text.end = last.text.end;
            word.end = last.end;
            word.rect = word.rect.union(last.rect);
            words.swap(kept, at);
            kept += 1;
            at += run;
        } else {
            words.swap(kept, at);
            kept += 1;
            at += 1;
        }
    }
    words.truncate(kept);
}

/// How many of the first words are single letters with the same gap between them.
fn spaced_letters(words: &[DrawnWord], text: &str, size: f32) -> usize {
    let is_letter = |word: &DrawnWord| {
        let mut letters = text[word.text.clone()].chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    };
    let mut usual = None;
    let mut follows = |pair: &[DrawnWord]| {
        let gap = (pair[1].start - pair[0].end) / size;
        let alike = usual.is_none_or(|usual: f32| (gap - usual).abs() < SPACING_ALIKE);
        usual = usual.or(Some(gap));
        // A space between them stands in the text too.
        let apart = pair[0].text.end != pair[1].text.start;
        alike && !apart && gap < WIDEST_SPACING && is_letter(&pair[1])
    };
    if words.first().is_some_and(is_letter) {
        1 + words.windows(2).take_while(|pair| follows(pair)).count()
    } else {
        0
    }
}

/// Turns the end of a text around, letter by letter.
fn turn_around(text: &mut String, start: usize) {
    let turned: String = text[start..].chars().rev().collect();
    text.truncate(start);
    text.push_str(&turned);
}

/// Nothing for a glyph that has no size or no place: there is nothing to see of it.
fn pen_after(glyph: &PlacedGlyph, page: (f64, f64)) -> Option<GlyphExtent> {
    let size = glyph.up.hypot();
    let at = glyph.origin + glyph.advance;
    let sound = size > 0.0 && size < LARGEST * (page.0 + page.1) && at.x.is_finite() && at.y.is_finite();
    let length = glyph.advance.hypot();
    // A glyph without width goes the way its font lies: to the right of up.
    let way = if length > 0.0 { glyph.advance / length } else { Vec2::new(-glyph.up.y, glyph.up.x) / size };
    sound.then_some(GlyphExtent { start: glyph.origin, end: at, direction: way, font_size: size })
}

fn step(pen: GlyphExtent, next: GlyphExtent) -> Continuation {
    let moved = next.start - pen.end;
    let along = moved.dot(pen.direction);
    let aside = moved.cross(pen.direction).abs();
    let size = pen.font_size.max(next.font_size);
    let elsewhere = pen.direction.dot(next.direction) < SAME_WAY
        || aside > STEP_ASIDE * size
        || along < -STEP_BACK * size
        || along > SPAN_GAP * size;
    if elsewhere {
        Continuation::NewSpan
    } else if along > WORD_GAP * size {
        Continuation::NewWord
    } else {
        Continuation::SameWord
    }
}

/// The same for a pen that goes from right to left: the next glyph ends where this one began.
fn step_back(pen: GlyphExtent, next: GlyphExtent) -> Continuation {
    let back = GlyphExtent { end: pen.start, direction: -pen.direction, ..pen };
    let ahead = GlyphExtent {
        start: next.end,
        end: next.start,
        direction: -next.direction,
        font_size: next.font_size,
    };
    step(back, ahead)
}

/// Whether a mark belongs to the glyph that was drawn last.
fn stands_over(last: GlyphExtent, mark: GlyphExtent) -> bool {
    let moved = mark.start - last.start;
    let along = moved.dot(last.direction);
    let width = (last.end - last.start).hypot();
    let room = last.font_size * 0.3;
    along > -room && along < width + room && moved.cross(last.direction).abs() < last.font_size
}

fn rect_of(glyph: &PlacedGlyph) -> Rect {
    let corners = [
        glyph.origin + glyph.up * ASCENT,
        glyph.origin - glyph.up * DESCENT,
        glyph.origin + glyph.advance + glyph.up * ASCENT,
        glyph.origin + glyph.advance - glyph.up * DESCENT,
    ];
    let at = |corner: Point| {
        let (x, y) = (narrow(corner.x), narrow(corner.y));
        Rect { x0: x, y0: y, x1: x, y1: y }
    };
    corners[1..].iter().fold(at(corners[0]), |rect, corner| rect.union(at(*corner)))
}

#[allow(clippy::cast_possible_truncation)] // Pages are far smaller than what f32 can tell apart.
fn narrow(wide: f64) -> f32 {
    wide as f32
}
