//! Interpretations as a table: one line per value.

use jiff::Timestamp;
use quire_domain::{DocumentId, RunId};
use quire_understanding::{Field, Value};

use super::{Cell, CsvRow};

/// The columns.
const COLUMNS: [&str; 16] = [
    "document_id",
    "original_filename",
    "created_at",
    "status",
    "review_status",
    "run_id",
    "version_number",
    "field_id",
    "key",
    "value",
    "value_type",
    "visit_id",
    "confidence",
    "is_critical",
    "origin",
    "page",
];
/// The number of columns about a value.
const OF_VALUE: usize = 9;

/// The first columns of each line of a document. Columns that do not apply stay empty.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // The names are those of the columns.
pub struct RowPrefix<'h> {
    pub document_id: Option<DocumentId>,
    pub original_filename: &'h str,
    pub created_at: Option<Timestamp>,
    pub status: &'h str,
    pub review_status: &'h str,
    pub run_id: Option<RunId>,
    pub version_number: Option<u32>,
}

impl RowPrefix<'_> {
    fn begin(&self, row: &mut CsvRow) {
        let written = |value: Option<String>, row: &mut CsvRow| {
            row.push(value.as_deref().into());
        };
        written(self.document_id.map(|id| id.to_string()), row);
        row.push(Cell::Text(self.original_filename));
        written(self.created_at.map(|at| at.to_string()), row);
        row.push(Cell::Text(self.status)).push(Cell::Text(self.review_status));
        written(self.run_id.map(|id| id.to_string()), row);
        row.push(self.version_number.map_or(Cell::Empty, |number| Cell::Integer(number.into())));
    }
}

/// The header line.
pub fn heading() -> String {
    let mut row = CsvRow::default();
    for column in COLUMNS {
        row.push(Cell::Text(column));
    }
    row.end()
}

/// One line per value.
pub fn rows(head: &RowPrefix<'_>, fields: &[Field]) -> String {
    let mut row = CsvRow::default();
    let write = |field: &Field| {
        head.begin(&mut row);
        row.push(Cell::Text(&field.field_id.to_string()))
            .push(Cell::Text(&field.key))
            .push(cell(&field.value))
            .push(Cell::Text(field.value_type.as_str()))
            .push(field.visit_id.as_deref().into())
            .push(Cell::Number(field.confidence))
            .push(Cell::Flag(field.is_critical))
            .push(Cell::Text(field.origin.as_str()))
            .push(
                field.evidence.as_ref().map_or(Cell::Empty, |evidence| Cell::Integer(evidence.page.into())),
            );
        row.end()
    };
    fields.iter().map(write).collect()
}

/// One line for a document without values, for tables that list every document.
pub fn row_without_value(head: &RowPrefix<'_>) -> String {
    let mut row = CsvRow::default();
    head.begin(&mut row);
    for _ in 0..OF_VALUE {
        row.push(Cell::Empty);
    }
    row.end()
}

fn cell(value: &Value) -> Cell<'_> {
    match value {
        Value::Null => Cell::Empty,
        Value::Bool(yes) => Cell::Flag(*yes),
        Value::Number(number) => Cell::Number(*number),
        Value::Text(text) => Cell::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use quire_understanding::{Origin, ValueType};

    use super::*;

    #[test]
    fn every_line_has_as_many_cells_as_the_heading() {
        let head = RowPrefix {
            document_id: None,
            original_filename: "a.pdf",
            created_at: None,
            status: "FAILED",
            review_status: "",
            run_id: None,
            version_number: None,
        };
        let field = Field::new("weight", Value::Number(4.5), ValueType::Number, Origin::Machine, 0.5);
        for line in [heading(), rows(&head, &[field]), row_without_value(&head)] {
            assert_eq!(line.matches(',').count(), COLUMNS.len() - 1, "{line}");
        }
    }
}
