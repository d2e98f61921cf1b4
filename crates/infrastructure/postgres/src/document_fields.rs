//! The table `document_fields`, which follows the active version of the latest completed run of each document.

use quire_ports::PortResult;
use quire_sql::{json_text, row};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::translate;
use crate::row::mapped;
use crate::sql;

/// Writes the fields of documents again, after one of their runs completed or got a version. The transaction has locked
/// those runs, so nobody else changes which version is shown.
pub(crate) async fn refresh(connection: &mut PgConnection, documents: &[Uuid]) -> PortResult<()> {
    if documents.is_empty() {
        return Ok(());
    }
    let current = sqlx::query(sql!("document_fields/clear"))
        .bind(documents)
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    let rows = mapped(&current, row::field_rows)?.concat();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("document_fields/insert"))
        .bind(json_text(&rows)?)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}
