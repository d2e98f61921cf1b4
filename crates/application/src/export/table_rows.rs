//! The two forms of a table: a row per value, or a row per document.

use super::{ExportedDocument, KeyColumns, RowPrefix, RowSink, push_heading, push_value};

/// What a row of a table is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableRows {
    /// A value.
    Values,
    /// A document, with a column for each of these keys.
    Documents(KeyColumns),
}

impl TableRows {
    /// Writes the names of the columns.
    pub fn write_heading(&self, table: &mut impl RowSink) {
        match self {
            Self::Values => push_heading(table),
            Self::Documents(columns) => columns.push_heading(table),
        }
        table.end_row();
    }

    /// Writes the rows of a document.
    pub fn write(&self, exported: &ExportedDocument, table: &mut impl RowSink) {
        let document = &exported.view.overview.document;
        let head = RowPrefix {
            document_id: Some(document.id),
            original_filename: &document.original_filename,
            created_at: Some(document.created_at),
            status: exported.view.processing.status.as_str(),
            review_status: document.review_status.as_str(),
            run_id: Some(exported.version.data.processing_run_id),
            version_number: Some(exported.version.number),
        };
        let fields = &exported.version.data.fields;
        match self {
            Self::Values => {
                for field in fields {
                    push_value(&head, field, table);
                    table.end_row();
                }
            }
            Self::Documents(columns) => {
                columns.push_document(&head, fields, table);
                table.end_row();
            }
        }
    }
}
