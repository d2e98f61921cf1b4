//! The cells of a table, in whatever file they end.

use quire_understanding::Value;

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExportCell<'a> {
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

impl<'a, T: Into<ExportCell<'a>>> From<Option<T>> for ExportCell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl<'a> From<&'a str> for ExportCell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// Takes the cells of a row, from left to right.
pub trait CellSink {
    /// Adds a cell.
    fn push(&mut self, cell: ExportCell<'_>) -> &mut Self;

    /// Adds a cell with a value. A table is JSON.
    fn push_value(&mut self, value: &Value) -> &mut Self {
        match value {
            Value::Null => self.push(ExportCell::Empty),
            Value::Bool(yes) => self.push(ExportCell::Flag(*yes)),
            Value::Number(number) => self.push(ExportCell::Number(*number)),
            Value::Text(text) => self.push(ExportCell::Text(text)),
            Value::Table(_) => self.push(ExportCell::Text(&serde_json::to_string(value).unwrap_or_default())),
        }
    }
}

/// Takes the rows of a table.
pub trait RowSink: CellSink {
    /// Ends the row.
    fn end_row(&mut self);
}
