//! Strips into bands, bands into columns or rows. What for, and why so, is told in `order`.

use super::order::{Arranged, Piece};
use super::rows::{into_rows, write_rows};

/// A gutter is at least this wide, as a share of the usual font's size.
const GUTTER: f32 = 1.0;
/// A band with more columns than this is no text in columns.
const MOST_COLUMNS: usize = 64;
/// Columns inside columns inside columns: deeper, it is rows.
const DEEPEST: u32 = 6;
/// A line alone on one side and this far below a band, in sizes of the font, is a footer and not part of the column.
const FOOTER_GAP: f32 = 3.0;

/// Running text has at least so many lines,
const FEWEST_LINES: usize = 3;
/// so long on average, in sizes of the font,
const LONG_LINE: f32 = 10.0;
/// half of which fill this share of the column's width.
const FILLED: f32 = 0.7;
/// The last, short column of running text has lines of this length at least.
const NOT_SHORT: f32 = 8.0;
/// A list of so many rows that was drawn column by column is an index.
const INDEX_ROWS: usize = 20;

/// Writes pieces in the order they are read.
pub(super) fn arrange(pieces: &mut [Piece], right_to_left: bool, out: &mut Arranged) {
    out.block += 1;
    arrange_within(pieces, right_to_left, 0, out);
}

fn arrange_within(pieces: &mut [Piece], right_to_left: bool, depth: u32, out: &mut Arranged) {
    let gutter = GUTTER * usual_size(pieces);
    let mut start = 0;
    let mut band: Option<Cover> = None;
    for strip in into_strips(pieces) {
        let own = Cover::of(&pieces[strip.clone()], gutter);
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
fn usual_size(pieces: &[Piece]) -> f32 {
    let mut sizes: Vec<f32> = pieces.iter().map(|piece| piece.size).collect();
    let middle = sizes.len() / 2;
    if sizes.is_empty() { 0.0 } else { *sizes.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

/// Sorts pieces from top to bottom and cuts them where a horizontal line passes between their small letters.
fn into_strips(pieces: &mut [Piece]) -> Vec<std::ops::Range<usize>> {
    let top = |piece: &Piece| piece.foot - 0.5 * piece.size;
    pieces.sort_by(|a, b| top(a).total_cmp(&top(b)));
    let mut strips = Vec::new();
    let (mut start, mut floor) = (0, f32::MIN);
    for (place, piece) in pieces.iter().enumerate() {
        if place > start && top(piece) > floor {
            strips.push(start..place);
            start = place;
        }
        floor = floor.max(piece.foot);
    }
    if start < pieces.len() {
        strips.push(start..pieces.len());
    }
    strips
}

/// The stretches of the width that pieces cover, from left to right, those nearer than a gutter joined; and how far the
/// pieces reach down.
struct Cover {
    stretches: Vec<(f32, f32)>,
    top: f32,
    floor: f32,
}

impl Cover {
    fn of(pieces: &[Piece], gutter: f32) -> Self {
        let mut stretches: Vec<(f32, f32)> = pieces.iter().map(|piece| (piece.from, piece.to)).collect();
        stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
        let top = pieces.iter().map(|piece| piece.foot - piece.size).fold(f32::MAX, f32::min);
        let floor = pieces.iter().map(|piece| piece.foot).fold(f32::MIN, f32::max);
        Self { stretches: joined(stretches, gutter), top, floor }
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
        let both =
            Self { stretches: joined(stretches, gutter), top: self.top, floor: self.floor.max(next.floor) };
        let is_footer = !next.has_gutter() && next.top - self.floor > FOOTER_GAP * gutter;
        let goes_on = !self.has_gutter() || (both.has_gutter() && !is_footer);
        goes_on.then_some(both)
    }
}

/// Joins stretches that are nearer than a gutter. So many that no page has them count as one.
fn joined(sorted: Vec<(f32, f32)>, gutter: f32) -> Vec<(f32, f32)> {
    let mut stretches: Vec<(f32, f32)> = Vec::new();
    for (from, to) in sorted {
        match stretches.last_mut() {
            Some(last) if from - last.1 < gutter => last.1 = last.1.max(to),
            _ => stretches.push((from, to)),
        }
    }
    if let (true, Some(first), Some(last)) =
        (stretches.len() > MOST_COLUMNS, stretches.first().copied(), stretches.last().copied())
    {
        return vec![(first.0, last.1)];
    }
    stretches
}

fn write_band(band: &mut [Piece], cover: &Cover, right_to_left: bool, depth: u32, out: &mut Arranged) {
    let column_of = |piece: &Piece| cover.stretches.partition_point(|stretch| stretch.1 < piece.from);
    if !cover.has_gutter() || depth >= DEEPEST || !is_read_down(band, cover, column_of) {
        return write_rows(band, right_to_left, out.block, out);
    }
    band.sort_by_key(column_of);
    let columns = band.chunk_by_mut(|a, b| column_of(a) == column_of(b));
    let mut columns: Vec<&mut [Piece]> = columns.collect();
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
fn is_read_down(band: &[Piece], cover: &Cover, column_of: impl Fn(&Piece) -> usize) -> bool {
    let mut columns = vec![Vec::new(); cover.stretches.len()];
    for piece in band {
        if let Some(column) = columns.get_mut(column_of(piece)) {
            column.push(*piece);
        }
    }
    let columns: Vec<Column> = columns.iter_mut().map(|pieces| Column::of(pieces)).collect();
    if columns.iter().all(Column::is_running_text) {
        return true;
    }
    let rows = columns.iter().map(|column| column.rows).max().unwrap_or(0);
    if !is_drawn_down(band, columns.len(), rows, column_of) {
        return false;
    }
    let has_text = columns.iter().any(Column::is_running_text);
    rows >= INDEX_ROWS || (has_text && columns.iter().all(|column| column.usual_length >= NOT_SHORT))
}

/// Whether the producer went through one column after the other.
fn is_drawn_down(band: &[Piece], columns: usize, rows: usize, column_of: impl Fn(&Piece) -> usize) -> bool {
    let mut drawn: Vec<(u32, usize)> = band.iter().map(|piece| (piece.drawn, column_of(piece))).collect();
    drawn.sort_unstable();
    let changes = drawn.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    changes <= columns - 1 + rows / 8
}

/// What tells running text from a list.
struct Column {
    rows: usize,
    /// In sizes of the font.
    usual_length: f32,
    filled: usize,
}

impl Column {
    #[allow(clippy::cast_precision_loss)] // Rows of a page.
    fn of(pieces: &mut [Piece]) -> Self {
        let from = pieces.iter().map(|piece| piece.from).fold(f32::MAX, f32::min);
        let to = pieces.iter().map(|piece| piece.to).fold(f32::MIN, f32::max);
        let size = usual_size(pieces).max(f32::MIN_POSITIVE);
        let ends = into_rows(pieces);
        let (mut start, mut filled, mut length) = (0, 0, 0.0);
        for end in &ends {
            let row: f32 = pieces[start..*end].iter().map(|piece| piece.to - piece.from).sum();
            filled += usize::from(row >= FILLED * (to - from));
            length += row;
            start = *end;
        }
        Self { rows: ends.len(), usual_length: length / (ends.len().max(1) as f32 * size), filled }
    }

    fn is_running_text(&self) -> bool {
        self.rows >= FEWEST_LINES && self.usual_length >= LONG_LINE && self.filled * 2 >= self.rows
    }
}
