//! Values that are tables: rows of cells, each cell a value of its column.

use std::collections::BTreeMap;

use super::{SchemaKey, TableColumn, Value};

/// The most rows of a table.
const MAX_ROWS: usize = 1_000;
/// The longest text of a cell, in characters.
const MAX_CELL_CHARS: usize = 2_000;

/// A row of a table: the cells that are not empty, by the key of their column.
pub type TableRow = BTreeMap<String, Value>;

/// What a value of the type `table` must be.
pub(crate) const EXPECTED_TABLE: &str =
    "must be a list of rows, each an object with the values of its columns, or null";

/// The rows without empty cells and without empty rows. Texts have no spaces around them.
pub(crate) fn tidy(rows: Vec<TableRow>) -> Vec<TableRow> {
    let cell = |(column, value): (String, Value)| match value {
        Value::Text(text) => (column, Value::Text(text.trim().to_owned())),
        other => (column, other),
    };
    let row = |row: TableRow| -> TableRow {
        row.into_iter().map(cell).filter(|(_, value)| !value.is_empty()).collect()
    };
    rows.into_iter().map(row).filter(|row| !row.is_empty()).collect()
}

impl SchemaKey {
    /// The column of that key.
    pub fn column(&self, key: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|column| column.key == key)
    }

    /// The table with each cell as a value of its column, read by `read`, or which cell is wrong and why.
    pub(crate) fn checked_table(
        &self,
        rows: Vec<TableRow>,
        read: impl Fn(&TableColumn, Value) -> Result<Value, String>,
    ) -> Result<Value, String> {
        let rows = tidy(rows);
        if rows.len() > MAX_ROWS {
            return Err(format!("has {} rows; the limit is {MAX_ROWS}", rows.len()));
        }
        let mut checked = Vec::new();
        for (number, row) in (1..).zip(rows) {
            let mut cells = TableRow::new();
            for (key, value) in row {
                let Some(column) = self.column(&key) else {
                    let known: Vec<&str> = self.columns.iter().map(|column| column.key.as_str()).collect();
                    return Err(format!("row {number} has no column {key}; use {}", known.join(", ")));
                };
                let wrong = |why: String| format!("row {number}, {key}: {why}");
                if matches!(&value, Value::Text(text) if text.contains('\0') || text.chars().count() > MAX_CELL_CHARS)
                {
                    let why = format!("must have at most {MAX_CELL_CHARS} characters and no NUL character");
                    return Err(wrong(why));
                }
                let cell = read(column, value).map_err(wrong)?;
                cells.insert(key, cell);
            }
            checked.push(cells);
        }
        Ok(if checked.is_empty() { Value::Null } else { Value::Table(checked) })
    }

    /// The table with the values of each column as its type, or which cell is wrong.
    pub(crate) fn coerced_table(&self, rows: Vec<TableRow>) -> Result<Value, String> {
        self.checked_table(rows, |column, value| column.value_type.coerce(value).map_err(str::to_owned))
    }
}

#[cfg(test)]
#[path = "table_value_tests.rs"]
mod tests;
