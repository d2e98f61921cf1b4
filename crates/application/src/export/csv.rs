//! Comma-separated values as RFC 4180 has them, safe to open in a spreadsheet.
//!
//! A spreadsheet takes a cell that begins like a formula for one, and a formula can send the rest of the sheet elsewhere.
//! What stands in a document is a stranger's text, so such a cell gets an apostrophe in front, which spreadsheets read
//! as "this is text". Numbers are ours, and stay as they are, also negative ones.

use std::fmt::Write as _;

/// What a formula can begin with. Spreadsheets pass over a tab or a line's end before it.
const BEGINS_FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Empty,
    /// Words, wherever they come from.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// Another number. One that is none, or infinite, is left empty.
    Number(f64),
    /// Yes or no.
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

/// One line, which can be filled again once it was written.
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
    line: String,
    cells: usize,
}

impl CsvRow {
    /// Adds a cell.
    pub fn push(&mut self, cell: Cell<'_>) -> &mut Self {
        if self.cells > 0 {
            self.line.push(',');
        }
        self.cells += 1;
        // Writing to a String cannot fail.
        let _ = match cell {
            Cell::Text(text) => return self.push_text(text),
            Cell::Integer(number) => write!(self.line, "{number}"),
            Cell::Number(number) if number.is_finite() => write!(self.line, "{number}"),
            Cell::Flag(flag) => write!(self.line, "{flag}"),
            Cell::Empty | Cell::Number(_) => Ok(()),
        };
        self
    }

    /// The whole line with its end. The row is empty afterwards.
    pub fn end(&mut self) -> String {
        if self.cells == 1 && self.line.is_empty() {
            // One empty cell would else be an empty line, which many readers pass over.
            self.line.push_str("\"\"");
        }
        self.cells = 0;
        let mut line = std::mem::take(&mut self.line);
        line.push_str("\r\n");
        line
    }

    fn push_text(&mut self, text: &str) -> &mut Self {
        let is_quoted = text.contains([',', '"', '\r', '\n']) || text.starts_with(' ') || text.ends_with(' ');
        if is_quoted {
            self.line.push('"');
        }
        if text.starts_with(BEGINS_FORMULA) {
            self.line.push('\'');
        }
        for character in text.chars() {
            if character == '"' {
                self.line.push('"');
            }
            self.line.push(character);
        }
        if is_quoted {
            self.line.push('"');
        }
        self
    }
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
