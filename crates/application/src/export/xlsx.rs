//! A table as a file of Microsoft Excel. Text is stored as text there, so no cell is a formula, whatever it begins with.

use rust_xlsxwriter::{Workbook, Worksheet, XlsxError};

use super::{CellSink, ExportCell, RowSink};

/// The longest text of a cell, in characters.
const MAX_CHARS: usize = 32_767;

/// A sheet that is filled row by row. It is kept in memory until its end.
pub struct XlsxSheet {
    sheet: Worksheet,
    row: u32,
    column: u16,
    error: Option<XlsxError>,
}

impl XlsxSheet {
    /// The most rows that a sheet gets here, with its heading. The format itself allows ten times as many, which would take
    /// too much memory.
    pub const MAX_ROWS: u32 = 100_000;

    /// An empty sheet.
    #[must_use]
    pub fn new() -> Self {
        Self { sheet: Worksheet::new(), row: 0, column: 0, error: None }
    }

    /// Whether there is no room for another row.
    pub fn is_full(&self) -> bool {
        self.row >= Self::MAX_ROWS
    }

    /// The file.
    pub fn finish(self) -> Result<Vec<u8>, XlsxError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut workbook = Workbook::new();
        workbook.push_worksheet(self.sheet);
        workbook.save_to_buffer()
    }
}

impl Default for XlsxSheet {
    fn default() -> Self {
        Self::new()
    }
}

impl RowSink for XlsxSheet {
    fn end_row(&mut self) {
        self.row += 1;
        self.column = 0;
    }
}

impl CellSink for XlsxSheet {
    fn push(&mut self, cell: ExportCell<'_>) -> &mut Self {
        let (row, column) = (self.row, self.column);
        let written = match cell {
            ExportCell::Text(text) => {
                let text: String = text.chars().take(MAX_CHARS).collect();
                self.sheet.write_string(row, column, text)
            }
            #[allow(clippy::cast_precision_loss)] // The format has no other numbers.
            ExportCell::Integer(number) => self.sheet.write_number(row, column, number as f64),
            ExportCell::Number(number) if number.is_finite() => self.sheet.write_number(row, column, number),
            ExportCell::Flag(flag) => self.sheet.write_boolean(row, column, flag),
            ExportCell::Empty | ExportCell::Number(_) => Ok(&mut self.sheet),
        };
        self.error = written.err().or(self.error.take());
        self.column = self.column.saturating_add(1);
        self
    }
}
