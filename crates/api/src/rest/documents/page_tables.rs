//! The tables of a page, as the API shows them.

use quire_domain::reading::{Table, TableCell};
use serde::Serialize;
use utoipa::ToSchema;

use super::page_content::RectResponse;

/// A table.
#[derive(Serialize, ToSchema)]
#[schema(as = Table)]
pub(crate) struct TableResponse {
    /// How many of the rows are the head.
    head_rows: usize,
    /// The texts, row by row. A merged cell has its text in its first column.
    rows: Vec<Vec<String>>,
    /// The cells that are not empty.
    cells: Vec<TableCellResponse>,
}

/// A cell of a table.
#[derive(Serialize, ToSchema)]
#[schema(as = TableCell)]
struct TableCellResponse {
    /// The row, from 0.
    row: usize,
    /// The first column, from 0.
    column: usize,
    /// Over how many rows it goes.
    row_span: usize,
    /// Over how many columns it goes.
    column_span: usize,
    text: String,
    rect: RectResponse,
}

impl From<Table> for TableResponse {
    fn from(table: Table) -> Self {
        let grid = table.grid();
        let rows = grid.iter().map(|row| row.iter().map(|text| (*text).to_owned()).collect()).collect();
        let cell = |TableCell { row, column, column_span, row_span, text, rect, .. }| TableCellResponse {
            row,
            column,
            row_span,
            column_span,
            text,
            rect: rect.into(),
        };
        Self { head_rows: table.head_rows, rows, cells: table.cells.into_iter().map(cell).collect() }
    }
}
