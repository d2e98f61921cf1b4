//! Interpretations as a table: one line per value.

use jiff::Timestamp;
use quire_domain::{DocumentId, RunId};
use quire_understanding::Field;

use super::{CellSink, CsvRow, ExportCell};

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
/// The columns that all rows of a document share.
pub(super) const OF_DOCUMENT: &[&str] = COLUMNS.split_at(COLUMNS.len() - OF_VALUE).0;

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
    /// The cells that all rows of a document begin with.
    pub(super) fn begin(&self, row: &mut impl CellSink) {
        row.push(self.document_id.map(|id| id.to_string()).as_deref().into());
        row.push(ExportCell::Text(self.original_filename));
        row.push(self.created_at.map(|at| at.to_string()).as_deref().into());
        row.push(ExportCell::Text(self.status)).push(ExportCell::Text(self.review_status));
        row.push(self.run_id.map(|id| id.to_string()).as_deref().into());
        row.push(self.version_number.map_or(ExportCell::Empty, |number| ExportCell::Integer(number.into())));
    }
}

/// The header line.
pub fn heading() -> String {
    let mut row = CsvRow::default();
    push_heading(&mut row);
    row.end()
}

/// The names of the columns.
pub(super) fn push_heading(row: &mut impl CellSink) {
    for column in COLUMNS {
        row.push(ExportCell::Text(column));
    }
}

/// One line per value.
pub fn rows(head: &RowPrefix<'_>, fields: &[Field]) -> String {
    let mut row = CsvRow::default();
    let write = |field: &Field| {
        push_value(head, field, &mut row);
        row.end()
    };
    fields.iter().map(write).collect()
}

/// The cells of one value.
pub(super) fn push_value(head: &RowPrefix<'_>, field: &Field, row: &mut impl CellSink) {
    head.begin(row);
    row.push(ExportCell::Text(&field.field_id.to_string()))
        .push(ExportCell::Text(&field.key))
        .push_value(&field.value)
        .push(ExportCell::Text(field.value_type.as_str()))
        .push(field.visit_id.as_deref().into())
        .push(ExportCell::Number(field.confidence))
        .push(ExportCell::Flag(field.is_critical))
        .push(ExportCell::Text(field.origin.as_str()))
        .push(
            field
                .evidence
                .as_ref()
                .map_or(ExportCell::Empty, |evidence| ExportCell::Integer(evidence.page.into())),
        );
}

/// One line for a document without values, for tables that list every document.
pub fn row_without_value(head: &RowPrefix<'_>) -> String {
    let mut row = CsvRow::default();
    head.begin(&mut row);
    for _ in 0..OF_VALUE {
        row.push(ExportCell::Empty);
    }
    row.end()
}

#[cfg(test)]
mod tests {
    use quire_understanding::{Origin, Value, ValueType};

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
