//! Whether documents are reviewed.

use std::collections::HashSet;

use jiff::Timestamp;
use quire_domain::{DocumentId, MarkBlocked, SignedVersion, check_mark};
use quire_ports::{PortResult, ReviewChange, ReviewMark, ReviewMarkRequest};
use quire_sql::{document_not_found, row};
use quire_understanding::calibration::ConfidencePolicy;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::calibration::{add_signals, remove_signals};
use crate::error::translate;
use crate::row::{StoredTime, first, int, mapped, text};
use crate::{reviews, sql};

/// Writes the mark. The caller appends the event in `recorded` as the last write of the transaction.
pub(crate) async fn mark(
    connection: &mut PgConnection,
    request: &ReviewMarkRequest,
) -> PortResult<Result<ReviewMark, MarkBlocked>> {
    let ReviewMarkRequest { document, at, policy, .. } = request;
    let is_changed = match request.change {
        ReviewChange::Mark(signed) => match review(connection, request, signed).await? {
            Ok(is_changed) => is_changed,
            Err(blocked) => return Ok(Err(blocked)),
        },
        ReviewChange::Reopen => reopen(connection, *document, *at, policy).await?,
    };
    let found = sqlx::query(sql!("documents/review_mark"))
        .bind(document.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let recorded = is_changed.then(|| request.event.clone());
    let mark = first(found.as_ref(), |row| row::review_mark(row, recorded.clone()))?;
    mark.ok_or_else(|| document_not_found(*document)).map(Ok)
}

/// Whether the document was `IN_REVIEW` until now. It stays locked with its front: no edit comes between the mark and the
/// signals that are stored with it, and no run completes between the check and the mark.
async fn review(
    connection: &mut PgConnection,
    request: &ReviewMarkRequest,
    signed: SignedVersion,
) -> PortResult<Result<bool, MarkBlocked>> {
    let ReviewMarkRequest { document, at, policy, .. } = request;
    reviews::lock(connection, *document).await?;
    let latest = sqlx::query(sql!("documents/latest_version"))
        .bind(document.0)
        .fetch_optional(&mut *connection)
        .await
        .map_err(translate)?;
    let latest = first(latest.as_ref(), row::latest_version)?;
    if let Err(blocked) = check_mark(latest.ok_or_else(|| document_not_found(*document))?, signed) {
        return Ok(Err(blocked));
    }
    let marked = sqlx::query(sql!("documents/mark_reviewed"))
        .bind(document.0)
        .bind(StoredTime(*at))
        .bind(text(&request.actor))
        .bind(signed.run.0)
        .bind(int(signed.number))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let is_changed = marked.rows_affected() > 0;
    if is_changed {
        // The signals of a mark that a newer run has ended still count.
        remove_signals(connection, *document, policy, *at).await?;
        add_signals(connection, *document, policy, *at).await?;
    }
    Ok(Ok(is_changed))
}

/// Ends the reviews of documents of which newer runs have completed. Returns the documents that were REVIEWED until now.
/// The caller records the events.
pub(crate) async fn end(
    connection: &mut PgConnection,
    documents: Vec<Uuid>,
    at: Vec<StoredTime>,
) -> PortResult<HashSet<Uuid>> {
    if documents.is_empty() {
        return Ok(HashSet::new());
    }
    let ended = sqlx::query(sql!("documents/end_reviews"))
        .bind(documents)
        .bind(at)
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    Ok(mapped(&ended, |row| row.uuid("document_id"))?.into_iter().collect())
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
        remove_signals(connection, document, policy, at).await?;
    }
    Ok(is_changed)
}
