//! Strips into bands, bands into columns or rows. What for, and why so, is told in `order`.

use super::reading_order::{PlacedSpan, ReadingOrder};
use super::rows::{sort_into_rows, write_rows};

/// A gutter is at least this wide, as a share of the usual font's size.
const GUTTER: f32 = 1.0;
/// A band with more columns than this is no text in columns.
const MAX_COLUMNS: usize = 64;
/// Columns inside columns inside columns: deeper, it is rows.
const MAX_DEPTH: u32 = 6;
/// A line alone on one side and this far below a band, in sizes of the font, is a footer and not part of the column.
const FOOTER_GAP: f32 = 3.0;

/// Running text has at least so many lines,
const MIN_LINES: usize = 3;
/// so long on average, in sizes of the font,
const MIN_AVERAGE_LENGTH: f32 = 10.0;
/// half of which fill this share of the column's width.
const FILLED_SHARE: f32 = 0.7;
/// The last, short column of running text has lines of this length at least.
const MIN_LAST_COLUMN_LENGTH: f32 = 8.0;
/// A list of so many rows that was drawn column by column is an index.
const MIN_INDEX_ROWS: usize = 20;

/// Writes pieces in the order they are read.
pub(super) fn arrange(pieces: &mut [PlacedSpan], right_to_left: bool, out: &mut ReadingOrder) {
    out.block += 1;
    arrange_within(pieces, right_to_left, 0, out);
}

fn arrange_within(pieces: &mut [PlacedSpan], right_to_left: bool, depth: u32, out: &mut ReadingOrder) {
    let gutter = GUTTER * median_font_size(pieces);
    let mut start = 0;
    let mut band: Option<HorizontalCoverage> = None;
    for strip in cut_into_strips(pieces) {
        let own = HorizontalCoverage::of(&pieces[strip.clone()], gutter);
        let joined = band.as_ref().map(|held| held.with(&own, gutter));
        if let (Some(held), Some(None)) = (&band, &joined) {
            write_band(&mut pieces[start..strip.start], held, right_to_left, depth, out);
            start = strip.start;
        }
        band = Some(joined.flatten().unwrap_or(own));
    }
    if let Some(held) = band {
        write_band(&mut pieces[start..], &held, right_to_left, depth, out);
    }
}

/// The size of the font in the middle of all.
fn median_font_size(pieces: &[PlacedSpan]) -> f32 {
    let mut sizes: Vec<f32> = pieces.iter().map(|piece| piece.font_size).collect();
    let middle = sizes.len() / 2;
    if sizes.is_empty() { 0.0 } else { *sizes.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

/// Sorts pieces from top to bottom and cuts them where a horizontal line passes between their small letters.
fn cut_into_strips(pieces: &mut [PlacedSpan]) -> Vec<std::ops::Range<usize>> {
    let top = |piece: &PlacedSpan| piece.baseline - 0.5 * piece.font_size;
    pieces.sort_by(|a, b| top(a).total_cmp(&top(b)));
    let mut strips = Vec::new();
    let (mut start, mut floor) = (0, f32::MIN);
    for (place, piece) in pieces.iter().enumerate() {
        if place > start && top(piece) > floor {
            strips.push(start..place);
            start = place;
        }
        floor = floor.max(piece.baseline);
    }
    if start < pieces.len() {
        strips.push(start..pieces.len());
    }
    strips
}

/// The stretches of the width that pieces cover, from left to right, those nearer than a gutter joined; and how far the
/// pieces reach down.
struct HorizontalCoverage {
    stretches: Vec<(f32, f32)>,
    top: f32,
    bottom: f32,
}

impl HorizontalCoverage {
    fn of(pieces: &[PlacedSpan], gutter: f32) -> Self {
        let mut stretches: Vec<(f32, f32)> = pieces.iter().map(|piece| (piece.start, piece.end)).collect();
        stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
        let top = pieces.iter().map(|piece| piece.baseline - piece.font_size).fold(f32::MAX, f32::min);
        let bottom = pieces.iter().map(|piece| piece.baseline).fold(f32::MIN, f32::max);
        Self { stretches: merge_stretches(stretches, gutter), top, bottom }
    }

    fn has_gutter(&self) -> bool {
        self.stretches.len() > 1
    }

    /// Both together, if they are one band.
    fn with(&self, next: &Self, gutter: f32) -> Option<Self> {
        if !self.has_gutter() && next.has_gutter() {
            return None;
        }
        let mut stretches = [&self.stretches[..], &next.stretches[..]].concat();
        stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
        let both = Self {
            stretches: merge_stretches(stretches, gutter),
            top: self.top,
            bottom: self.bottom.max(next.bottom),
        };
        let is_footer = !next.has_gutter() && next.top - self.bottom > FOOTER_GAP * gutter;
        let goes_on = !self.has_gutter() || (both.has_gutter() && !is_footer);
        goes_on.then_some(both)
    }
}

/// Joins stretches that are nearer than a gutter. So many that no page has them count as one.
fn merge_stretches(sorted: Vec<(f32, f32)>, gutter: f32) -> Vec<(f32, f32)> {
    let mut stretches: Vec<(f32, f32)> = Vec::new();
    for (from, to) in sorted {
        match stretches.last_mut() {
            Some(last) if from - last.1 < gutter => last.1 = last.1.max(to),
            _ => stretches.push((from, to)),
        }
    }
    if let (true, Some(first), Some(last)) =
        (stretches.len() > MAX_COLUMNS, stretches.first().copied(), stretches.last().copied())
    {
        return vec![(first.0, last.1)];
    }
    stretches
}

fn write_band(
    band: &mut [PlacedSpan],
    cover: &HorizontalCoverage,
    right_to_left: bool,
    depth: u32,
    out: &mut ReadingOrder,
) {
    let column_of = |piece: &PlacedSpan| cover.stretches.partition_point(|stretch| stretch.1 < piece.start);
    if !cover.has_gutter() || depth >= MAX_DEPTH || !is_read_by_column(band, cover, column_of) {
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

/// Whether a band is read column by column.
fn is_read_by_column(
    band: &[PlacedSpan],
    cover: &HorizontalCoverage,
    column_of: impl Fn(&PlacedSpan) -> usize,
) -> bool {
    let mut columns = vec![Vec::new(); cover.stretches.len()];
    for piece in band {
        if let Some(column) = columns.get_mut(column_of(piece)) {
            column.push(*piece);
        }
    }
    let columns: Vec<ColumnStats> = columns.iter_mut().map(|pieces| ColumnStats::of(pieces)).collect();
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

/// Whether the producer went through one column after the other.
fn is_drawn_by_column(
    band: &[PlacedSpan],
    columns: usize,
    rows: usize,
    column_of: impl Fn(&PlacedSpan) -> usize,
) -> bool {
    let mut drawn: Vec<(u32, usize)> =
        band.iter().map(|piece| (piece.draw_index, column_of(piece))).collect();
    drawn.sort_unstable();
    let changes = drawn.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    changes <= columns - 1 + rows / 8
}

/// What tells running text from a list.
struct ColumnStats {
    rows: usize,
    /// In sizes of the font.
    average_length: f32,
    filled_rows: usize,
}

impl ColumnStats {
    #[allow(clippy::cast_precision_loss)] // Rows of a page.
    fn of(pieces: &mut [PlacedSpan]) -> Self {
        let from = pieces.iter().map(|piece| piece.start).fold(f32::MAX, f32::min);
        let to = pieces.iter().map(|piece| piece.end).fold(f32::MIN, f32::max);
        let size = median_font_size(pieces).max(f32::MIN_POSITIVE);
        let ends = sort_into_rows(pieces);
        let (mut start, mut filled_rows, mut length) = (0, 0, 0.0);
        for end in &ends {
            let row: f32 = pieces[start..*end].iter().map(|piece| piece.end - piece.start).sum();
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
