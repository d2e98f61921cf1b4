//! Sorts spans from drawing order into lines in reading order.
//!
//! Most producers draw text in reading order, but they do not have to: some draw tables column by column, headings last,
//! or words one by one. A person goes by where the text is, so positions decide here. The drawing order decides only
//! where positions leave it open. The steps:
//!
//! 1. **Directions.** Rotated text makes no sense among upright lines. The direction with the most letters comes first,
//!    then the others. Each direction is ordered as if the page were rotated that way.
//! 2. **Strips.** The page is cut wherever a horizontal line passes between the letters. Capitals and descenders do not
//!    count, because tightly set lines would otherwise stick together.
//! 3. **Bands.** Consecutive strips that leave a common gutter free form a band. A heading across the gutter ends the
//!    band, so headings and footers are read before and after the columns and not within them.
//! 4. **Columns or rows** (`columns`). A band of running text is read column by column. Everything else is read row by
//!    row, because the cells of a table row, or a label and its value, belong together. Lines of running text are long and
//!    mostly fill their column. In doubt, a long band that the page draws column by column is an index and is read that
//!    way.
//! 5. **Rows** (`rows`). Spans with about the same baseline are read from left to right.
//!
//! Alternatives that were rejected:
//! - Drawing order alone: forms and tables read as all labels first and all values last.
//! - Rows alone: two columns read as a mix of both.
//! - Cutting recursively at the widest gap: the gap between two paragraphs is often wider than the gutter beside it, which
//!   tears the columns apart.
//!
//! The time is O(n log n): each step sorts or passes over its spans once, the nesting of columns is limited, and so is the
//! number of columns in a band.

use std::collections::BTreeMap;
use std::ops::Range;

use quire_domain::reading::Line;

use super::bidi::is_mostly_right_to_left;
use super::columns::arrange;
use super::duplicates::find_duplicates;
use super::line_words::LineWords;
use super::paragraphs::paragraph_starts;
use super::words::{PageText, PdfSpan};

/// A span in the coordinates of its direction: `start` and `end` along the baseline, `baseline` across it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedSpan {
    /// Its index in drawing order.
    pub(super) draw_index: u32,
    pub(super) start: f32,
    pub(super) end: f32,
    pub(super) baseline: f32,
    pub(super) font_size: f32,
}

impl PlacedSpan {
    /// The height of the middle of lowercase letters.
    pub(super) fn x_height_middle(&self) -> f32 {
        self.baseline - 0.3 * self.font_size
    }
}

/// A line in reading order.
#[derive(Clone, Debug)]
pub(super) struct PlacedLine {
    /// Its range in [`ReadingOrder::spans`].
    pub(super) spans: Range<usize>,
    pub(super) start: f32,
    pub(super) baseline: f32,
    pub(super) font_size: f32,
    /// The number of its column, or of another part of the page that is read as a whole.
    pub(super) block: u32,
    /// The number of its row. Lines of one row are beside each other.
    pub(super) row: u32,
}

/// The lines of a page in reading order, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct ReadingOrder {
    /// Drawing indexes of spans.
    pub(super) spans: Vec<u32>,
    pub(super) lines: Vec<PlacedLine>,
    /// The number of the current block.
    pub(super) block: u32,
    /// The number of the current row.
    pub(super) row: u32,
}

/// The lines of a page in reading order.
pub(super) fn lines(page: &PageText) -> Vec<Line> {
    let duplicates = find_duplicates(page);
    let right_to_left = page.has_right_to_left
        && is_mostly_right_to_left(page.words.iter().map(|word| &page.text[word.text.clone()]));
    let mut order = ReadingOrder::default();
    for mut spans in by_direction(page, &duplicates) {
        arrange(&mut spans, right_to_left, &mut order);
    }
    let line_words = LineWords { page, duplicates: &duplicates, order: &order };
    let starts = paragraph_starts(&order.lines, |line| line_words.ends_sentence(line));
    let lines = order.lines.iter().zip(starts);
    lines.map(|(line, opens_paragraph)| Line { words: line_words.of(line), opens_paragraph }).collect()
}

/// The spans of each direction. The direction with the most letters comes first.
fn by_direction(page: &PageText, duplicates: &[bool]) -> Vec<Vec<PlacedSpan>> {
    let mut groups: BTreeMap<i32, DirectionGroup> = BTreeMap::new();
    for (span, draw_index) in page.spans.iter().zip(0..) {
        let group = groups
            .entry(degrees(span.direction))
            .or_insert_with(|| DirectionGroup::new(span.direction, draw_index));
        group.add(page, duplicates, span, draw_index);
    }
    let mut groups: Vec<DirectionGroup> = groups.into_values().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.letters), group.first_draw_index));
    groups.into_iter().map(|group| group.spans).collect()
}

/// The spans with one direction.
struct DirectionGroup {
    direction: (f32, f32),
    first_draw_index: u32,
    letters: usize,
    spans: Vec<PlacedSpan>,
}

impl DirectionGroup {
    fn new(direction: (f32, f32), first_draw_index: u32) -> Self {
        Self { direction, first_draw_index, letters: 0, spans: Vec::new() }
    }

    fn add(&mut self, page: &PageText, duplicates: &[bool], span: &PdfSpan, draw_index: u32) {
        let words = span.words.clone().filter(|word| !duplicates[*word]).map(|word| &page.words[word]);
        let (mut start, mut end) = (f32::MAX, f32::MIN);
        for word in words {
            start = start.min(word.start);
            end = end.max(word.end);
            self.letters += word.text.len();
        }
        if start > end {
            return;
        }
        // Words are measured along their own span, whose direction may differ a little from that of the group.
        let shift = dot(span.origin, self.direction) - dot(span.origin, span.direction);
        self.spans.push(PlacedSpan {
            draw_index,
            start: start + shift,
            end: end + shift,
            baseline: span.origin.1 * self.direction.0 - span.origin.0 * self.direction.1,
            font_size: span.font_size,
        });
    }
}

fn dot(a: (f32, f32), b: (f32, f32)) -> f32 {
    a.0 * b.0 + a.1 * b.1
}

/// A direction in whole degrees. The first branch is a shortcut for upright text, which is nearly all text.
#[allow(clippy::cast_possible_truncation)] // Between 0 and 360.
fn degrees(direction: (f32, f32)) -> i32 {
    if direction.0 > 0.999_96 {
        0
    } else {
        (direction.1.atan2(direction.0).to_degrees().round() as i32).rem_euclid(360)
    }
}
