//! Comma-separated values as in RFC 4180, safe to open in a spreadsheet.
//!
//! Text is guarded against formulas: see [`formula`](super::formula). The program itself writes the numbers, so they stay
//! unchanged, negative ones too.

use csv::{QuoteStyle, StringRecord, Terminator, WriterBuilder};

use super::cell::{CellSink, ExportCell, RowSink};
use super::formula::guarded;

/// What tells a spreadsheet that a file is UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// One line. It can be filled again after it was written.
///
/// ```
/// use quire_application::export::{ExportCell, CellSink as _, CsvRow};
///
/// let mut row = CsvRow::default();
/// row.push(ExportCell::Text("Luna, the cat")).push(ExportCell::Number(-4.5)).push(ExportCell::Text("=1+1"));
/// assert_eq!(row.end(), "\"Luna, the cat\",-4.5,'=1+1\r\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct CsvRow {
    record: StringRecord,
    /// Whether a cell begins or ends with a space, which many readers strip from cells without quotes.
    has_outer_spaces: bool,
}

impl CellSink for CsvRow {
    fn push(&mut self, cell: ExportCell<'_>) -> &mut Self {
        match cell {
            ExportCell::Text(text) => {
                self.has_outer_spaces |= text.starts_with(' ') || text.ends_with(' ');
                self.record.push_field(&guarded(text));
            }
            ExportCell::Integer(number) => self.record.push_field(&number.to_string()),
            ExportCell::Number(number) if number.is_finite() => self.record.push_field(&number.to_string()),
            ExportCell::Flag(flag) => self.record.push_field(&flag.to_string()),
            ExportCell::Empty | ExportCell::Number(_) => self.record.push_field(""),
        }
        self
    }
}

impl CsvRow {
    /// The whole line with its end. The row is empty afterwards.
    pub fn end(&mut self) -> String {
        let Self { record, has_outer_spaces } = std::mem::take(self);
        let quotes = if has_outer_spaces { QuoteStyle::Always } else { QuoteStyle::Necessary };
        let mut writer = WriterBuilder::new()
            .terminator(Terminator::CRLF)
            .quote_style(quotes)
            .buffer_capacity(1024)
            .from_writer(Vec::new());
        // Writing to memory cannot fail, and the cells were text.
        let written = writer.write_record(&record).ok().and_then(|()| writer.into_inner().ok());
        String::from_utf8(written.unwrap_or_default()).unwrap_or_default()
    }
}

/// The lines of a table.
#[derive(Debug, Default)]
pub struct CsvText {
    row: CsvRow,
    lines: String,
}

impl CsvText {
    /// The lines so far. They are gone afterwards.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }
}

impl CellSink for CsvText {
    fn push(&mut self, cell: ExportCell<'_>) -> &mut Self {
        self.row.push(cell);
        self
    }
}

impl RowSink for CsvText {
    fn end_row(&mut self) {
        self.lines.push_str(&self.row.end());
    }
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
