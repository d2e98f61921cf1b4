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

use super::columns::arrange;
use super::direction::{Seen, letters_read, reading_order, reads_right_to_left};
use super::gather::{Gathered, Scrap, Stroke, WORD_GAP};
use super::paragraphs::openings;
use super::twice::repeated;

/// Words that overlap by more than this share of the font's size are never one word.
const WORD_OVERLAP: f32 = 0.2;

/// A stroke in the frame of its direction: how far along it begins and ends, and how far down it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its place in the order of drawing.
    pub(super) drawn: u32,
    pub(super) from: f32,
    pub(super) to: f32,
    pub(super) foot: f32,
    pub(super) size: f32,
}

impl Piece {
    /// The height at which small letters have their middle.
    pub(super) fn middle(&self) -> f32 {
        self.foot - 0.3 * self.size
    }
}

/// A line where it is read.
#[derive(Clone, Debug)]
pub(super) struct PlacedLine {
    pub(super) strokes: Range<usize>,
    pub(super) from: f32,
    pub(super) foot: f32,
    pub(super) size: f32,
    /// The column, or whatever else is read as a whole.
    pub(super) block: u32,
    /// Lines of one row stand beside each other.
    pub(super) row: u32,
}

/// Lines in the order they are read.
#[derive(Debug, Default)]
pub(super) struct Arranged {
    pub(super) strokes: Vec<u32>,
    pub(super) lines: Vec<PlacedLine>,
    pub(super) block: u32,
    pub(super) row: u32,
}

/// The lines of a page, in the order they are read.
pub(super) fn lines(gathered: &Gathered) -> Vec<Line> {
    let repeated = repeated(gathered);
    let right_to_left = gathered.right_to_left
        && reads_right_to_left(gathered.words.iter().map(|word| &gathered.text[word.text.clone()]));
    let mut arranged = Arranged::default();
    for mut pieces in by_direction(gathered, &repeated) {
        arrange(&mut pieces, right_to_left, &mut arranged);
    }
    let writer = Writer { gathered, repeated: &repeated, arranged: &arranged };
    let opens = openings(&arranged.lines, |line| writer.ends_sentence(line));
    let lines = arranged.lines.iter().zip(opens);
    lines.map(|(line, opens_paragraph)| Line { words: writer.words(line), opens_paragraph }).collect()
}

/// The strokes of each direction, the one with most letters first.
fn by_direction(gathered: &Gathered, repeated: &[bool]) -> Vec<Vec<Piece>> {
    let mut directions: BTreeMap<i32, Direction> = BTreeMap::new();
    for (stroke, drawn) in gathered.strokes.iter().zip(0..) {
        let direction =
            directions.entry(degrees(stroke.way)).or_insert_with(|| Direction::along(stroke.way, drawn));
        direction.add(gathered, repeated, stroke, drawn);
    }
    let mut directions: Vec<Direction> = directions.into_values().collect();
    directions.sort_by_key(|direction| (std::cmp::Reverse(direction.letters), direction.first));
    directions.into_iter().map(|direction| direction.pieces).collect()
}

struct Direction {
    way: (f32, f32),
    first: u32,
    letters: usize,
    pieces: Vec<Piece>,
}

impl Direction {
    fn along(way: (f32, f32), first: u32) -> Self {
        Self { way, first, letters: 0, pieces: Vec::new() }
    }

    fn add(&mut self, gathered: &Gathered, repeated: &[bool], stroke: &Stroke, drawn: u32) {
        let words = stroke.words.clone().filter(|word| !repeated[*word]).map(|word| &gathered.words[word]);
        let (mut from, mut to) = (f32::MAX, f32::MIN);
        for word in words {
            from = from.min(word.from);
            to = to.max(word.to);
            self.letters += word.text.len();
        }
        if from > to {
            return;
        }
        // Words know how far along their own stroke they are; strokes of one direction differ by a hair.
        let shift = dot(stroke.origin, self.way) - dot(stroke.origin, stroke.way);
        let foot = stroke.origin.1 * self.way.0 - stroke.origin.0 * self.way.1;
        self.pieces.push(Piece { drawn, from: from + shift, to: to + shift, foot, size: stroke.size });
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

struct Writer<'g> {
    gathered: &'g Gathered,
    repeated: &'g [bool],
    arranged: &'g Arranged,
}

impl<'g> Writer<'g> {
    fn strokes(&self, line: &PlacedLine) -> impl DoubleEndedIterator<Item = &'g Stroke> {
        let strokes = &self.arranged.strokes[line.strokes.clone()];
        let gathered = self.gathered;
        strokes.iter().filter_map(move |drawn| gathered.strokes.get(usize::try_from(*drawn).ok()?))
    }

    fn scraps(&self, stroke: &Stroke) -> impl DoubleEndedIterator<Item = &'g Scrap> {
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
        if self.gathered.right_to_left { self.words_either_way(line) } else { self.words_as_seen(line) }
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
        let mut scraps: Vec<&Scrap> = Vec::new();
        for stroke in self.strokes(line) {
            let start = scraps.len();
            scraps.extend(self.scraps(stroke));
            scraps[start..].sort_by(|a, b| a.from.total_cmp(&b.from));
        }
        let seen: Vec<Seen<'_>> = scraps
            .iter()
            .map(|scrap| Seen { letters: &self.gathered.text[scrap.text.clone()], turned: scrap.leftwards })
            .collect();
        let read = |place: usize| Word { text: letters_read(&seen[place]), rect: scraps[place].rect };
        reading_order(&seen).into_iter().map(read).collect()
    }

    /// Each word of a line, and whether it goes on where the one before it ended: words are also drawn letter by letter.
    fn for_each(&self, line: &PlacedLine, mut take: impl FnMut(&'g Scrap, bool)) {
        let mut before: Option<(f32, &Stroke)> = None;
        for stroke in self.strokes(line) {
            let mut begins = true;
            for scrap in self.scraps(stroke) {
                let goes_on =
                    begins && before.is_some_and(|(to, other)| touches(to, scrap.from, other, stroke));
                take(scrap, goes_on);
                before = Some((scrap.to, stroke));
                begins = false;
            }
        }
    }
}

#[allow(clippy::cast_possible_truncation)] // A constant.
fn touches(to: f32, from: f32, one: &Stroke, other: &Stroke) -> bool {
    let gap = (from - to) / one.size.max(other.size);
    one.way == other.way && gap < WORD_GAP as f32 && gap > -WORD_OVERLAP
}
