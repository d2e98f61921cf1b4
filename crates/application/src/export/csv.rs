//! Comma-separated values as in RFC 4180, safe to open in a spreadsheet.
//!
//! A spreadsheet runs a cell that begins like a formula, and a formula can send the rest of the sheet to another
//! server. The text of a document comes from strangers. So such a cell gets an apostrophe in front, which spreadsheets
//! read as "this is text". The program itself writes the numbers, so they stay unchanged, negative ones too.

use csv::{QuoteStyle, StringRecord, Terminator, WriterBuilder};

/// The first characters of formulas. Spreadsheets skip a tab or a line break before them.
const BEGINS_FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Empty,
    /// Text from any source.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// Any other number. NaN and infinity leave the cell empty.
    Number(f64),
    /// A boolean.
    Flag(bool),
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// One line. It can be filled again after it was written.
///
/// ```
/// use quire_application::export::{Cell, CsvRow};
///
/// let mut row = CsvRow::default();
/// row.push(Cell::Text("Luna, the cat")).push(Cell::Number(-4.5)).push(Cell::Text("=1+1"));
/// assert_eq!(row.end(), "\"Luna, the cat\",-4.5,'=1+1\r\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct CsvRow {
    record: StringRecord,
    /// Whether a cell begins or ends with a space, which many readers strip from cells without quotes.
    has_outer_spaces: bool,
}

impl CsvRow {
    /// Adds a cell.
    pub fn push(&mut self, cell: Cell<'_>) -> &mut Self {
        match cell {
            Cell::Text(text) => {
                self.has_outer_spaces |= text.starts_with(' ') || text.ends_with(' ');
                if text.starts_with(BEGINS_FORMULA) {
                    self.record.push_field(&format!("'{text}"));
                } else {
                    self.record.push_field(text);
                }
            }
            Cell::Integer(number) => self.record.push_field(&number.to_string()),
            Cell::Number(number) if number.is_finite() => self.record.push_field(&number.to_string()),
            Cell::Flag(flag) => self.record.push_field(&flag.to_string()),
            Cell::Empty | Cell::Number(_) => self.record.push_field(""),
        }
        self
    }

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

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
