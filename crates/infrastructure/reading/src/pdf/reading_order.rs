//! Reading order: from strokes in the order they were drawn to lines in the order they are read.
//!
//! Most producers draw in reading order, but nothing obliges them: tables are drawn by columns, headings last, words one
//! by one. What a person goes by is where the text stands, so that decides here, and the order of drawing only where the
//! place leaves it open. In short:
//!
//! 1. **Directions.** Text turned by 90° makes no sense among upright lines. The direction in which most letters are
//!    written comes first, each other one after it, and each is ordered as if the page were turned that way.
//! 2. **Strips.** The page is cut wherever a horizontal line passes between the letters. Capitals and descenders are
//!    left out of account, or tight lines would hang together.
//! 3. **Bands.** Strips that follow each other and leave a common gutter free are a band. A heading across the gutter
//!    ends it, so headings and footers are read before and after the columns, not inside them.
//! 4. **Columns or rows.** A band of running text is read column by column; anything else row by row, because the
//!    cells of a table and a label with its value belong together. Running text has lines that are long and mostly fill
//!    their column; if that is not clear, a band that was drawn column by column and is long is an index, and is read as
//!    it was drawn (`columns`).
//! 5. **Rows.** Strokes with their feet at about the same height are read from left to right (`rows`).
//!
//! Why not the order of drawing alone: forms and tables come out as labels first and values last. Why not rows alone:
//! two columns come out shuffled. Why not cutting recursively at the widest gap: the gap between two paragraphs is often
//! wider than the gutter beside it, and the columns come out torn.
//!
//! All of it takes time in proportion to n·log n: every step sorts or passes once over its strokes, columns are entered
//! at most a few levels deep, and a band has at most a few dozen columns.

use std::collections::BTreeMap;
use std::ops::Range;

use quire_domain::reading::{Line, Word};

use super::bidi::{VisualWord, is_mostly_right_to_left, logical_order, logical_text};
use super::columns::arrange;
use super::duplicates::find_duplicates;
use super::paragraphs::paragraph_starts;
use super::words::{DrawnWord, PageText, Span, WORD_GAP};

/// Words that overlap by more than this share of the font's size are never one word.
const WORD_OVERLAP: f32 = 0.2;

/// A stroke in the frame of its direction: how far along it begins and ends, and how far down it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedSpan {
    /// Its place in the order of drawing.
    pub(super) draw_index: u32,
    pub(super) start: f32,
    pub(super) end: f32,
    pub(super) baseline: f32,
    pub(super) font_size: f32,
}

impl PlacedSpan {
    /// The height at which small letters have their middle.
    pub(super) fn x_height_middle(&self) -> f32 {
        self.baseline - 0.3 * self.font_size
    }
}

/// A line where it is read.
#[derive(Clone, Debug)]
pub(super) struct PlacedLine {
    pub(super) spans: Range<usize>,
    pub(super) start: f32,
    pub(super) baseline: f32,
    pub(super) font_size: f32,
    /// The column, or whatever else is read as a whole.
    pub(super) block: u32,
    /// Lines of one row stand beside each other.
    pub(super) row: u32,
}

/// Lines in the order they are read.
#[derive(Debug, Default)]
pub(super) struct ReadingOrder {
    pub(super) spans: Vec<u32>,
    pub(super) lines: Vec<PlacedLine>,
    pub(super) block: u32,
    pub(super) row: u32,
}

/// The lines of a page, in the order they are read.
pub(super) fn lines(gathered: &PageText) -> Vec<Line> {
    let repeated = find_duplicates(gathered);
    let right_to_left = gathered.has_right_to_left
        && is_mostly_right_to_left(gathered.words.iter().map(|word| &gathered.text[word.text.clone()]));
    let mut arranged = ReadingOrder::default();
    for mut pieces in by_direction(gathered, &repeated) {
        arrange(&mut pieces, right_to_left, &mut arranged);
    }
    let writer = LineWriter { gathered, repeated: &repeated, arranged: &arranged };
    let opens = paragraph_starts(&arranged.lines, |line| writer.ends_sentence(line));
    let lines = arranged.lines.iter().zip(opens);
    lines.map(|(line, opens_paragraph)| Line { words: writer.words(line), opens_paragraph }).collect()
}

/// The strokes of each direction, the one with most letters first.
fn by_direction(gathered: &PageText, repeated: &[bool]) -> Vec<Vec<PlacedSpan>> {
    let mut directions: BTreeMap<i32, DirectionGroup> = BTreeMap::new();
    for (stroke, drawn) in gathered.spans.iter().zip(0..) {
        let direction = directions
            .entry(degrees(stroke.direction))
            .or_insert_with(|| DirectionGroup::along(stroke.direction, drawn));
        direction.add(gathered, repeated, stroke, drawn);
    }
    let mut directions: Vec<DirectionGroup> = directions.into_values().collect();
    directions.sort_by_key(|direction| (std::cmp::Reverse(direction.letters), direction.first));
    directions.into_iter().map(|direction| direction.pieces).collect()
}

struct DirectionGroup {
    way: (f32, f32),
    first: u32,
    letters: usize,
    pieces: Vec<PlacedSpan>,
}

impl DirectionGroup {
    fn along(way: (f32, f32), first: u32) -> Self {
        Self { way, first, letters: 0, pieces: Vec::new() }
    }

    fn add(&mut self, gathered: &PageText, repeated: &[bool], stroke: &Span, drawn: u32) {
        let words = stroke.words.clone().filter(|word| !repeated[*word]).map(|word| &gathered.words[word]);
        let (mut from, mut to) = (f32::MAX, f32::MIN);
        for word in words {
            from = from.min(word.start);
            to = to.max(word.end);
            self.letters += word.text.len();
        }
        if from > to {
            return;
        }
        // Words know how far along their own stroke they are; strokes of one direction differ by a hair.
        let shift = dot(stroke.origin, self.way) - dot(stroke.origin, stroke.direction);
        let foot = stroke.origin.1 * self.way.0 - stroke.origin.0 * self.way.1;
        self.pieces.push(PlacedSpan {
            draw_index: drawn,
            start: from + shift,
            end: to + shift,
            baseline: foot,
            font_size: stroke.font_size,
        });
    }
}

fn dot(a: (f32, f32), b: (f32, f32)) -> f32 {
    a.0 * b.0 + a.1 * b.1
}

/// A direction in whole degrees. Nearly all text is upright.
#[allow(clippy::cast_possible_truncation)] // Between 0 and 360.
fn degrees(way: (f32, f32)) -> i32 {
    if way.0 > 0.999_96 { 0 } else { (way.1.atan2(way.0).to_degrees().round() as i32).rem_euclid(360) }
}

struct LineWriter<'g> {
    gathered: &'g PageText,
    repeated: &'g [bool],
    arranged: &'g ReadingOrder,
}

impl<'g> LineWriter<'g> {
    fn strokes(&self, line: &PlacedLine) -> impl DoubleEndedIterator<Item = &'g Span> {
        let strokes = &self.arranged.spans[line.spans.clone()];
        let gathered = self.gathered;
        strokes.iter().filter_map(move |drawn| gathered.spans.get(usize::try_from(*drawn).ok()?))
    }

    fn scraps(&self, stroke: &Span) -> impl DoubleEndedIterator<Item = &'g DrawnWord> {
        let (gathered, repeated) = (self.gathered, self.repeated);
        stroke.words.clone().filter(move |word| !repeated[*word]).map(move |word| &gathered.words[word])
    }

    /// Whether the last word of a line ends as sentences do.
    fn ends_sentence(&self, line: &PlacedLine) -> bool {
        let last = self.strokes(line).next_back().and_then(|stroke| self.scraps(stroke).next_back());
        last.is_some_and(|word| self.gathered.text[word.text.clone()].ends_with(['.', ':', '!', '?']))
    }

    /// The words of a line, in the order they are read.
    fn words(&self, line: &PlacedLine) -> Vec<Word> {
        if self.gathered.has_right_to_left { self.words_either_way(line) } else { self.words_as_seen(line) }
    }

    fn words_as_seen(&self, line: &PlacedLine) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        self.for_each(line, |scrap, goes_on| {
            let text = &self.gathered.text[scrap.text.clone()];
            match words.last_mut().filter(|_| goes_on) {
                Some(word) => {
                    word.text.push_str(text);
                    word.rect = word.rect.union(scrap.rect);
                }
                None => words.push(Word { text: text.to_owned(), rect: scrap.rect }),
            }
        });
        words
    }

    /// The same for a line with letters from right to left in it.
    fn words_either_way(&self, line: &PlacedLine) -> Vec<Word> {
        let mut scraps: Vec<&DrawnWord> = Vec::new();
        for stroke in self.strokes(line) {
            let start = scraps.len();
            scraps.extend(self.scraps(stroke));
            scraps[start..].sort_by(|a, b| a.start.total_cmp(&b.start));
        }
        let seen: Vec<VisualWord<'_>> = scraps
            .iter()
            .map(|scrap| VisualWord {
                text: &self.gathered.text[scrap.text.clone()],
                is_logical: scrap.drawn_right_to_left,
            })
            .collect();
        let read = |place: usize| Word { text: logical_text(&seen[place]), rect: scraps[place].rect };
        logical_order(&seen).into_iter().map(read).collect()
    }

    /// Each word of a line, and whether it goes on where the one before it ended: words are also drawn letter by letter.
    fn for_each(&self, line: &PlacedLine, mut take: impl FnMut(&'g DrawnWord, bool)) {
        let mut before: Option<(f32, &Span)> = None;
        for stroke in self.strokes(line) {
            let mut begins = true;
            for scrap in self.scraps(stroke) {
                let goes_on =
                    begins && before.is_some_and(|(to, other)| touches(to, scrap.start, other, stroke));
                take(scrap, goes_on);
                before = Some((scrap.end, stroke));
                begins = false;
            }
        }
    }
}

#[allow(clippy::cast_possible_truncation)] // A constant.
fn touches(to: f32, from: f32, one: &Span, other: &Span) -> bool {
    let gap = (from - to) / one.font_size.max(other.font_size);
    one.direction == other.direction && gap < WORD_GAP as f32 && gap > -WORD_OVERLAP
}
