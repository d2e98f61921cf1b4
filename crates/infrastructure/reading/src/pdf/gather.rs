//! Glyphs into words, words into lines: by where the pen went.
//!
//! A PDF has no words, only glyphs at places. The pen tells: if it was put down again about where the last glyph left
//! it, the word goes on; a little further along, the next word begins; anywhere else, the next line.

use hayro_interpret::kurbo::{Point, Vec2};
use quire_domain::reading::{Line, Rect, Word};

use super::device::Glyph;

/// Shares of the font's size. A gap this wide parts two words,
const WORD_GAP: f64 = 0.15;
/// one this wide parts two columns,
const COLUMN_GAP: f64 = 2.5;
/// a step back this far is a new start,
const STEP_BACK: f64 = 0.5;
/// and a step aside this far is another line.
const STEP_ASIDE: f64 = 0.4;
/// How much of the font's square stands above the line on which letters stand, and how much hangs below.
const ASCENT: f64 = 0.8;
const DESCENT: f64 = 0.2;
/// Directions whose cosine is above this are the same.
const SAME_WAY: f64 = 0.99;

/// The lines of a page, in the order they were drawn.
pub(super) fn lines(glyphs: &[Glyph]) -> Vec<Line> {
    let mut gathering = Gathering::default();
    for glyph in glyphs {
        gathering.take(glyph);
    }
    gathering.end_line();
    gathering.lines
}

#[derive(Default)]
struct Gathering {
    lines: Vec<Line>,
    words: Vec<Word>,
    word: Option<Word>,
    /// Where the last glyph left the pen, how it went, and how large its font was.
    pen: Option<Pen>,
}

#[derive(Clone, Copy)]
struct Pen {
    at: Point,
    way: Vec2,
    size: f64,
}

/// How a glyph goes on from where the pen was.
enum Step {
    SameWord,
    NextWord,
    NextLine,
}

impl Gathering {
    fn take(&mut self, glyph: &Glyph) {
        let Some(next) = pen_after(glyph) else { return };
        match self.pen.map_or(Step::NextLine, |pen| step(pen, glyph, next)) {
            Step::SameWord => {}
            Step::NextWord => self.end_word(),
            Step::NextLine => self.end_line(),
        }
        if glyph.text.chars().all(char::is_whitespace) {
            self.end_word();
        } else {
            self.write(glyph);
        }
        self.pen = Some(next);
    }

    fn write(&mut self, glyph: &Glyph) {
        let rect = rect_of(glyph);
        match &mut self.word {
            Some(word) => {
                word.text.push_str(&glyph.text);
                word.rect = word.rect.union(rect);
            }
            None => self.word = Some(Word { text: glyph.text.clone(), rect }),
        }
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_line(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.lines.push(Line { words: std::mem::take(&mut self.words), opens_paragraph: false });
        }
    }
}

/// Nothing for a glyph that has no size or no place: there is nothing to see of it.
fn pen_after(glyph: &Glyph) -> Option<Pen> {
    let size = glyph.up.hypot();
    let at = glyph.origin + glyph.advance;
    let sound = size.is_finite() && size > 0.0 && at.x.is_finite() && at.y.is_finite();
    let length = glyph.advance.hypot();
    // A glyph without width goes the way its font lies: to the right of up.
    let way = if length > 0.0 { glyph.advance / length } else { Vec2::new(-glyph.up.y, glyph.up.x) / size };
    sound.then_some(Pen { at, way, size })
}

fn step(pen: Pen, glyph: &Glyph, next: Pen) -> Step {
    let moved = glyph.origin - pen.at;
    let along = moved.dot(pen.way);
    let aside = moved.cross(pen.way).abs();
    let size = pen.size.max(next.size);
    let elsewhere = pen.way.dot(next.way) < SAME_WAY
        || aside > STEP_ASIDE * size
        || along < -STEP_BACK * size
        || along > COLUMN_GAP * size;
    if elsewhere {
        Step::NextLine
    } else if along > WORD_GAP * size {
        Step::NextWord
    } else {
        Step::SameWord
    }
}

#[allow(clippy::cast_possible_truncation)] // Pages are far smaller than what f32 can tell apart.
fn rect_of(glyph: &Glyph) -> Rect {
    let corners = [
        glyph.origin + glyph.up * ASCENT,
        glyph.origin - glyph.up * DESCENT,
        glyph.origin + glyph.advance + glyph.up * ASCENT,
        glyph.origin + glyph.advance - glyph.up * DESCENT,
    ];
    let at = |corner: Point| {
        let (x, y) = (corner.x as f32, corner.y as f32);
        Rect { x0: x, y0: y, x1: x, y1: y }
    };
    corners[1..].iter().fold(at(corners[0]), |rect, corner| rect.union(at(*corner)))
}
