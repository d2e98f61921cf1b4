//! Decides whether parts of a page are read column by column or row by row (steps 2 to 4 of `reading_order`).

use super::reading_order::{PlacedSpan, ReadingOrder};
use super::rows::{sort_into_rows, write_rows};

/// The least width of the gutter between two columns, in median font sizes.
const GUTTER: f32 = 1.0;
/// A band with more columns than this is not text in columns.
const MAX_COLUMNS: usize = 64;
/// Columns nested deeper than this are read row by row.
const MAX_DEPTH: u32 = 6;
/// A line in one column only, this many font sizes below the band, is a footer and not part of the column.
const FOOTER_GAP: f32 = 3.0;

/// A column of running text has at least this many lines.
const MIN_LINES: usize = 3;
/// Lines of running text have at least this average length, in font sizes.
const MIN_AVERAGE_LENGTH: f32 = 10.0;
/// At least half of the lines of running text fill this share of the column's width.
const FILLED_SHARE: f32 = 0.7;
/// The last, short column of running text has at least this average line length, in font sizes.
const MIN_LAST_COLUMN_LENGTH: f32 = 8.0;
/// A list with at least this many rows that the page draws column by column is an index.
const MIN_INDEX_ROWS: usize = 20;

/// Appends the spans to `out` in reading order.
pub(super) fn arrange(spans: &mut [PlacedSpan], right_to_left: bool, out: &mut ReadingOrder) {
    out.block += 1;
    arrange_within(spans, right_to_left, 0, out);
}

fn arrange_within(spans: &mut [PlacedSpan], right_to_left: bool, depth: u32, out: &mut ReadingOrder) {
    let gutter = GUTTER * median_font_size(spans);
    let mut start = 0;
    let mut band: Option<HorizontalCoverage> = None;
    for strip in cut_into_strips(spans) {
        let strip_coverage = HorizontalCoverage::of(&spans[strip.clone()], gutter);
        let joined = band.as_ref().map(|band| band.with(&strip_coverage, gutter));
        if let (Some(coverage), Some(None)) = (&band, &joined) {
            write_band(&mut spans[start..strip.start], coverage, right_to_left, depth, out);
            start = strip.start;
        }
        band = Some(joined.flatten().unwrap_or(strip_coverage));
    }
    if let Some(coverage) = band {
        write_band(&mut spans[start..], &coverage, right_to_left, depth, out);
    }
}

fn median_font_size(spans: &[PlacedSpan]) -> f32 {
    let mut sizes: Vec<f32> = spans.iter().map(|span| span.font_size).collect();
    let middle = sizes.len() / 2;
    if sizes.is_empty() { 0.0 } else { *sizes.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

/// Sorts spans from top to bottom and cuts them wherever a horizontal line passes between their lowercase letters.
fn cut_into_strips(spans: &mut [PlacedSpan]) -> Vec<std::ops::Range<usize>> {
    let top = |span: &PlacedSpan| span.baseline - 0.5 * span.font_size;
    spans.sort_by(|a, b| top(a).total_cmp(&top(b)));
    let mut strips = Vec::new();
    let (mut start, mut bottom) = (0, f32::MIN);
    for (index, span) in spans.iter().enumerate() {
        if index > start && top(span) > bottom {
            strips.push(start..index);
            start = index;
        }
        bottom = bottom.max(span.baseline);
    }
    if start < spans.len() {
        strips.push(start..spans.len());
    }
    strips
}

/// The intervals of the width that spans cover, from left to right. Intervals closer than a gutter are merged.
struct HorizontalCoverage {
    intervals: Vec<(f32, f32)>,
    top: f32,
    bottom: f32,
}

impl HorizontalCoverage {
    fn of(spans: &[PlacedSpan], gutter: f32) -> Self {
        let mut intervals: Vec<(f32, f32)> = spans.iter().map(|span| (span.start, span.end)).collect();
        intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let top = spans.iter().map(|span| span.baseline - span.font_size).fold(f32::MAX, f32::min);
        let bottom = spans.iter().map(|span| span.baseline).fold(f32::MIN, f32::max);
        Self { intervals: merge_intervals(intervals, gutter), top, bottom }
    }

    fn has_gutter(&self) -> bool {
        self.intervals.len() > 1
    }

    /// The coverage of both strips, if they belong to one band.
    fn with(&self, next: &Self, gutter: f32) -> Option<Self> {
        if !self.has_gutter() && next.has_gutter() {
            return None;
        }
        let mut intervals = [&self.intervals[..], &next.intervals[..]].concat();
        intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let both = Self {
            intervals: merge_intervals(intervals, gutter),
            top: self.top,
            bottom: self.bottom.max(next.bottom),
        };
        let is_footer = !next.has_gutter() && next.top - self.bottom > FOOTER_GAP * gutter;
        let is_one_band = !self.has_gutter() || (both.has_gutter() && !is_footer);
        is_one_band.then_some(both)
    }
}

/// Merges intervals that are closer than a gutter. More than [`MAX_COLUMNS`] intervals become a single one.
fn merge_intervals(sorted: Vec<(f32, f32)>, gutter: f32) -> Vec<(f32, f32)> {
    let mut intervals: Vec<(f32, f32)> = Vec::new();
    for (from, to) in sorted {
        match intervals.last_mut() {
            Some(last) if from - last.1 < gutter => last.1 = last.1.max(to),
            _ => intervals.push((from, to)),
        }
    }
    if let (true, Some(first), Some(last)) =
        (intervals.len() > MAX_COLUMNS, intervals.first().copied(), intervals.last().copied())
    {
        return vec![(first.0, last.1)];
    }
    intervals
}

fn write_band(
    band: &mut [PlacedSpan],
    coverage: &HorizontalCoverage,
    right_to_left: bool,
    depth: u32,
    out: &mut ReadingOrder,
) {
    let column_of =
        |span: &PlacedSpan| coverage.intervals.partition_point(|interval| interval.1 < span.start);
    if !coverage.has_gutter() || depth >= MAX_DEPTH || !is_read_by_column(band, coverage, column_of) {
        return write_rows(band, right_to_left, out.block, out);
    }
    band.sort_by_key(column_of);
    let columns = band.chunk_by_mut(|a, b| column_of(a) == column_of(b));
    let mut columns: Vec<&mut [PlacedSpan]> = columns.collect();
    if right_to_left {
        columns.reverse();
    }
    for column in columns {
        out.block += 1;
        arrange_within(column, right_to_left, depth + 1, out);
    }
    out.block += 1;
}

fn is_read_by_column(
    band: &[PlacedSpan],
    coverage: &HorizontalCoverage,
    column_of: impl Fn(&PlacedSpan) -> usize,
) -> bool {
    let mut columns = vec![Vec::new(); coverage.intervals.len()];
    for span in band {
        if let Some(column) = columns.get_mut(column_of(span)) {
            column.push(*span);
        }
    }
    let columns: Vec<ColumnStats> = columns.iter_mut().map(|spans| ColumnStats::of(spans)).collect();
    if columns.iter().all(ColumnStats::is_running_text) {
        return true;
    }
    let rows = columns.iter().map(|column| column.rows).max().unwrap_or(0);
    if !is_drawn_by_column(band, columns.len(), rows, column_of) {
        return false;
    }
    let has_text = columns.iter().any(ColumnStats::is_running_text);
    rows >= MIN_INDEX_ROWS
        || (has_text && columns.iter().all(|column| column.average_length >= MIN_LAST_COLUMN_LENGTH))
}

/// Whether the page draws one column after the other.
fn is_drawn_by_column(
    band: &[PlacedSpan],
    columns: usize,
    rows: usize,
    column_of: impl Fn(&PlacedSpan) -> usize,
) -> bool {
    let mut draw_order: Vec<(u32, usize)> =
        band.iter().map(|span| (span.draw_index, column_of(span))).collect();
    draw_order.sort_unstable();
    let changes = draw_order.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    changes <= columns - 1 + rows / 8
}

/// What distinguishes a column of running text from a list.
struct ColumnStats {
    rows: usize,
    /// The average length of a row, in font sizes.
    average_length: f32,
    filled_rows: usize,
}

impl ColumnStats {
    #[allow(clippy::cast_precision_loss)] // Rows of a page.
    fn of(spans: &mut [PlacedSpan]) -> Self {
        let from = spans.iter().map(|span| span.start).fold(f32::MAX, f32::min);
        let to = spans.iter().map(|span| span.end).fold(f32::MIN, f32::max);
        let size = median_font_size(spans).max(f32::MIN_POSITIVE);
        let ends = sort_into_rows(spans);
        let (mut start, mut filled_rows, mut length) = (0, 0, 0.0);
        for end in &ends {
            let row: f32 = spans[start..*end].iter().map(|span| span.end - span.start).sum();
            filled_rows += usize::from(row >= FILLED_SHARE * (to - from));
            length += row;
            start = *end;
        }
        Self { rows: ends.len(), average_length: length / (ends.len().max(1) as f32 * size), filled_rows }
    }

    fn is_running_text(&self) -> bool {
        self.rows >= MIN_LINES
            && self.average_length >= MIN_AVERAGE_LENGTH
            && self.filled_rows * 2 >= self.rows
    }
}
