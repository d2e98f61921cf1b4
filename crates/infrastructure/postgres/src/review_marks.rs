//! Whether documents are reviewed.

use jiff::Timestamp;
use quire_domain::{DocumentId, ReviewStatus};
use quire_ports::{PortResult, ReviewMark, ReviewMarkRequest};
use quire_sql::{document_not_found, row};
use quire_understanding::calibration::ConfidencePolicy;
use sqlx::PgConnection;

use crate::calibration::{learn, unlearn};
use crate::error::translate;
use crate::row::{StoredTime, first, text};
use crate::sql;

/// Writes the mark. The caller appends the event in `recorded` as the last write of the transaction.
pub(crate) async fn mark(
    connection: &mut PgConnection,
    request: &ReviewMarkRequest,
) -> PortResult<ReviewMark> {
    let ReviewMarkRequest { document, at, policy, .. } = request;
    let is_changed = match request.to {
        ReviewStatus::Reviewed => review(connection, request).await?,
        ReviewStatus::InReview => reopen(connection, *document, *at, policy).await?,
    };
    let found = sqlx::query(sql!("documents/review_mark"))
        .bind(document.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let recorded = is_changed.then(|| request.event.clone());
    let mark = first(found.as_ref(), |row| row::review_mark(row, recorded.clone()))?;
    mark.ok_or_else(|| document_not_found(*document))
}

/// Whether the document was `IN_REVIEW` until now. If so, it stays locked, so that no edit comes between the mark and
/// the lesson that is stored with it.
async fn review(connection: &mut PgConnection, request: &ReviewMarkRequest) -> PortResult<bool> {
    let marked = sqlx::query(sql!("documents/mark_reviewed"))
        .bind(request.document.0)
        .bind(StoredTime(request.at))
        .bind(text(&request.actor))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let is_changed = marked.rows_affected() > 0;
    if is_changed {
        learn(connection, request.document, &request.policy, request.at).await?;
    }
    Ok(is_changed)
}

/// Whether the document was REVIEWED until now. The caller records the event.
pub(crate) async fn reopen(
    connection: &mut PgConnection,
    document: DocumentId,
    at: Timestamp,
    policy: &ConfidencePolicy,
) -> PortResult<bool> {
    let reopened = sqlx::query(sql!("documents/reopen"))
        .bind(document.0)
        .bind(StoredTime(at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let is_changed = reopened.rows_affected() > 0;
    if is_changed {
        unlearn(connection, document, policy, at).await?;
    }
    Ok(is_changed)
}
