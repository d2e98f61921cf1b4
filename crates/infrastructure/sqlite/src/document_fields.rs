//! The table `document_fields`, which follows the active version of the latest completed run of each document.

use quire_domain::DocumentId;
use quire_ports::PortResult;
use quire_sql::{json_text, row};
use rusqlite::Connection;

use crate::row::{execute, first};
use crate::sql;

/// Writes the fields of a document again, after one of its runs completed or got a version.
pub(crate) fn refresh(connection: &Connection, document: DocumentId) -> PortResult<()> {
    let id = document.0.as_bytes();
    let rows = first(connection, sql!("document_fields/current"), [id], row::field_rows)?.unwrap_or_default();
    execute(connection, sql!("document_fields/delete"), [id])?;
    if !rows.is_empty() {
        execute(connection, sql!("document_fields/insert"), [json_text(&rows)?])?;
    }
    Ok(())
}
