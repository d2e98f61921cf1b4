//! Parts of a page that stand side by side and are read one after the other: a side bar, or the columns of a newspaper. A form
//! with values beside their labels and a table are no such parts: their lines are level.

use std::ops::Range;

use super::layout::Cell;
use super::visit_start::date_at;
use crate::normal::DateOrder;

/// The fewest lines of each part.
const MIN_LINES: usize = 7;
/// The least space between two parts, in points.
const MIN_SPACE: f32 = 8.0;
/// How far apart two left edges may be that are one, in points.
const SAME_EDGE: f32 = 2.0;
/// The most edges that are tried.
const MAX_EDGES: usize = 8;
/// The largest share of lines of a part that may be level with lines of the other, and of lines that may start with a date.
const MAX_LEVEL: f32 = 0.45;
const MAX_DATED: f32 = 0.3;
/// How far apart two lines may be that are level, in line heights.
const LEVEL: f32 = 0.12;
/// How far apart, in points, two distances to the nearest line may be that are one, and the share of lines that have it.
const SAME_OFFSET: f32 = 0.6;
const MIN_BESIDE: f32 = 0.75;
/// The least part of the width of the wider column that the other has in a newspaper.
const MIN_WIDTH_SHARE: f32 = 0.7;

/// What columns of running text have: so many lines, so large a share of them at one edge, which may be indented, and so large a share
/// of full lines of so many words.
const MIN_NEWSPAPER_LINES: usize = 14;
const MIN_AT_EDGE: f32 = 0.9;
const MAX_INDENT: f32 = 12.0;
const MIN_FULL: f32 = 0.25;
const FULL_LINE: f32 = 0.8;
const MIN_LINE_WORDS: usize = 5;

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PagePart {
    /// The cells, by their places in the list that was divided.
    pub cells: Vec<usize>,
    /// Whether it stands beside another part.
    pub is_beside: bool,
    /// Whether its text goes on from the part before it, as in the columns of a newspaper.
    pub continues: bool,
}

/// Divides the cells of a page into parts, in the order in which they are read. The cells are sorted from top to bottom.
pub(super) fn parts_of_page(cells: &[&Cell<'_>]) -> Vec<PagePart> {
    let whole = || vec![PagePart { cells: (0..cells.len()).collect(), is_beside: false, continues: false }];
    let best = edges(cells)
        .into_iter()
        .filter_map(|edge| widest_stretch(cells, edge).map(|stretch| (edge, stretch)))
        .max_by_key(|(_, stretch)| stretch.len());
    let Some((edge, stretch)) = best else { return whole() };
    let part = |cells: Vec<usize>| PagePart { cells, is_beside: false, continues: false };
    let (left, right): (Vec<usize>, Vec<usize>) =
        stretch.clone().partition(|place| cells[*place].rect.x0 < edge - SAME_EDGE);
    let width = |part: &[usize]| {
        let x0 = part.iter().map(|place| cells[*place].rect.x0).fold(f32::INFINITY, f32::min);
        let x1 = part.iter().map(|place| cells[*place].rect.x1).fold(f32::NEG_INFINITY, f32::max);
        x1 - x0
    };
    let (one, two) = (width(&left), width(&right));
    let is_newspaper = one.min(two) >= MIN_WIDTH_SHARE * one.max(two);
    let mut parts = vec![
        part((0..stretch.start).collect()),
        PagePart { is_beside: true, ..part(left) },
        PagePart { is_beside: true, continues: is_newspaper, ..part(right) },
        part((stretch.end..cells.len()).collect()),
    ];
    parts.retain(|part| !part.cells.is_empty());
    parts
}

/// The left edges at which most lines start, beside the first of the page.
fn edges(cells: &[&Cell<'_>]) -> Vec<f32> {
    let mut starts: Vec<f32> = cells.iter().map(|cell| cell.rect.x0).collect();
    starts.sort_by(f32::total_cmp);
    let mut groups: Vec<(f32, usize)> = Vec::new();
    for start in starts {
        match groups.last_mut() {
            Some((edge, count)) if start - *edge <= SAME_EDGE => *count += 1,
            _ => groups.push((start, 1)),
        }
    }
    let mut groups: Vec<(f32, usize)> =
        groups.into_iter().skip(1).filter(|(_, count)| *count >= MIN_LINES).collect();
    groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    groups.into_iter().take(MAX_EDGES).map(|(edge, _)| edge).collect()
}

/// The longest stretch of cells in which none crosses an edge and the two sides are independent.
fn widest_stretch(cells: &[&Cell<'_>], edge: f32) -> Option<Range<usize>> {
    let crosses = |cell: &Cell<'_>| cell.rect.x0 < edge - SAME_EDGE && cell.rect.x1 > edge - MIN_SPACE;
    let mut best: Option<Range<usize>> = None;
    let mut start = 0;
    for end in 0..=cells.len() {
        if end < cells.len() && !crosses(cells[end]) && !cells[end].in_margin {
            continue;
        }
        let stretch = start..end;
        start = end + 1;
        let is_longer = best.as_ref().is_none_or(|best| best.len() < stretch.len());
        let inside = &cells[stretch.clone()];
        if is_longer && (are_independent(inside, edge) || is_newspaper(inside, edge)) {
            best = Some(stretch);
        }
    }
    best
}

/// Whether the lines on the two sides of an edge have nothing to do with each other.
fn are_independent(cells: &[&Cell<'_>], edge: f32) -> bool {
    let (left, right): (Vec<&Cell<'_>>, Vec<&Cell<'_>>) =
        cells.iter().partition(|cell| cell.rect.x0 < edge - SAME_EDGE);
    [(&left, &right), (&right, &left)].into_iter().all(|(one, other)| {
        let dated = one.iter().filter(|cell| starts_with_date(cell)).count();
        let level = one.iter().filter(|cell| is_level_with(cell, other)).count();
        let lines = distinct_lines(one);
        lines >= MIN_LINES
            && !stands_beside(one, other)
            && share(level, one.len()) < MAX_LEVEL
            && share(dated, one.len()) < MAX_DATED
    })
}

/// Whether the two sides of an edge are columns of running text, whose lines may be level: on both sides lines start at one edge, and
/// many are full. The rows of a table start with narrow columns.
fn is_newspaper(cells: &[&Cell<'_>], edge: f32) -> bool {
    let (left, right): (Vec<&Cell<'_>>, Vec<&Cell<'_>>) =
        cells.iter().partition(|cell| cell.rect.x0 < edge - SAME_EDGE);
    [&left, &right].into_iter().all(|side| {
        let start = side.iter().map(|cell| cell.rect.x0).fold(f32::INFINITY, f32::min);
        let end = side.iter().map(|cell| cell.rect.x1).fold(f32::NEG_INFINITY, f32::max);
        let at_edge = side.iter().filter(|cell| cell.rect.x0 - start <= MAX_INDENT).count();
        let full = side
            .iter()
            .filter(|cell| {
                cell.rect.x1 - start > FULL_LINE * (end - start) && cell.tokens.len() >= MIN_LINE_WORDS
            })
            .count();
        distinct_lines(side) >= MIN_NEWSPAPER_LINES
            && share(at_edge, side.len()) >= MIN_AT_EDGE
            && share(full, side.len()) >= MIN_FULL
    })
}

#[allow(clippy::cast_precision_loss)] // Small counts.
fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole.max(1) as f32
}

fn starts_with_date(cell: &Cell<'_>) -> bool {
    date_at(&cell.tokens, cell.first_word(), DateOrder::default()).is_some()
}

/// The number of lines at different heights. The cells are sorted from top to bottom.
fn distinct_lines(cells: &[&Cell<'_>]) -> usize {
    let mut count = 0;
    let mut last = f32::NEG_INFINITY;
    for cell in cells {
        if cell.rect.y1 - last > 0.5 * cell.height() {
            count += 1;
            last = cell.rect.y1;
        }
    }
    count
}

/// Whether nearly all lines are at one distance from the nearest line of the other side: labels in smaller letters, beside their text.
fn stands_beside(lines: &[&Cell<'_>], others: &[&Cell<'_>]) -> bool {
    let middle = |cell: &Cell<'_>| f32::midpoint(cell.rect.y0, cell.rect.y1);
    let offset = |cell: &&Cell<'_>| {
        let own = middle(cell);
        let at = others.partition_point(|other| middle(other) < own);
        let near = others[at.saturating_sub(1)..others.len().min(at + 1)].iter();
        near.map(|other| middle(other) - own).min_by(|one, two| one.abs().total_cmp(&two.abs()))
    };
    let mut offsets: Vec<f32> = lines.iter().filter_map(offset).collect();
    offsets.sort_by(f32::total_cmp);
    let Some(median) = offsets.get(offsets.len() / 2).copied() else { return false };
    let same = offsets.iter().filter(|offset| (**offset - median).abs() <= SAME_OFFSET).count();
    share(same, offsets.len()) >= MIN_BESIDE
}

/// Whether a line at the height of a cell is among others, which are sorted from top to bottom.
fn is_level_with(cell: &Cell<'_>, others: &[&Cell<'_>]) -> bool {
    let middle = |cell: &Cell<'_>| f32::midpoint(cell.rect.y0, cell.rect.y1);
    let (own, reach) = (middle(cell), cell.height());
    let from = others.partition_point(|other| middle(other) < own - reach);
    others[from..].iter().take_while(|other| middle(other) <= own + reach).any(|other| {
        let tolerance = LEVEL * cell.height().min(other.height());
        (cell.rect.y1 - other.rect.y1).abs() <= tolerance || (own - middle(other)).abs() <= tolerance
    })
}
