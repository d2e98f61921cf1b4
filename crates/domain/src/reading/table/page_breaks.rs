//! Joins a table with its continuation on the next page.

use super::super::Page;
use super::{Table, TableCell};

/// Columns of a continuation begin and end at the same places, up to this many points.
const SAME_PLACE: f32 = 12.0;
/// The share of the page, at its foot, in which only a page number and such may follow a table that continues.
const FOOT: f32 = 0.25;

/// Adds the tables of the next page. The first may continue the last one so far.
pub(super) fn append(tables: &mut Vec<Table>, mut of_page: Vec<Table>, pages: &[Page]) {
    let continued = match (tables.last_mut(), of_page.first()) {
        (Some(last), Some(first)) if continues(last, first, pages) => {
            join(last, first);
            true
        }
        _ => false,
    };
    tables.extend(of_page.drain(usize::from(continued)..));
}

fn continues(last: &Table, next: &Table, pages: &[Page]) -> bool {
    let (Some(end), Some(start)) = (last.cells.last(), next.cells.first()) else { return false };
    let Some(page) = pages.get(end.page - 1).filter(|_| start.page == end.page + 1) else { return false };
    let Some(next_page) = pages.get(start.page - 1) else { return false };
    end.rect.y1 > page.height * (1.0 - FOOT)
        && next.top() < next_page.height * FOOT
        && last.columns == next.columns
        && (0..last.columns).filter(|column| is_same_column(last, next, *column)).count() * 10
            >= last.columns * 7
}

fn is_same_column(one: &Table, other: &Table, column: usize) -> bool {
    let edges = |table: &Table| {
        let cells = table.cells.iter().filter(|cell| cell.column == column && cell.column_span == 1);
        cells.map(|cell| (cell.rect.x0, cell.rect.x1)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    let (Some(one), Some(other)) = (edges(one), edges(other)) else { return true };
    (one.0 - other.0).abs() <= SAME_PLACE || (one.1 - other.1).abs() <= SAME_PLACE
}

/// Adds the rows of a continuation. A head that is repeated is left out.
fn join(last: &mut Table, next: &Table) {
    let head = |table: &Table, rows: usize| {
        let cells = table.cells.iter().filter(|cell| cell.row < rows);
        cells.map(|cell| (cell.row, cell.column, cell.text.clone())).collect::<Vec<_>>()
    };
    let repeated = last.head_rows.min(next.rows);
    let skip = if repeated > 0 && head(last, repeated) == head(next, repeated) { repeated } else { 0 };
    let offset = last.rows;
    let rows = next.cells.iter().filter(|cell| cell.row >= skip);
    last.cells.extend(rows.map(|cell| TableCell { row: cell.row - skip + offset, ..cell.clone() }));
    last.rows += next.rows - skip;
}
