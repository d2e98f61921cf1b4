//! Whether documents are checked.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, EventType, ReviewStatus};
use quire_ports::{PortResult, ReviewMark, ReviewMarkRequest};
use quire_understanding::calibration::ConfidencePolicy;
use sqlx::PgConnection;

use crate::calibration::{learn, unlearn};
use crate::documents::missing;
use crate::error::translate;
use crate::row::{At, get, optional_timestamp, text};
use crate::sql;

/// Writes all of it but for the event, which comes last.
pub(crate) async fn mark(
    connection: &mut PgConnection,
    marking: &ReviewMarkRequest,
) -> PortResult<(ReviewMark, Option<Event>)> {
    let ReviewMarkRequest { document, actor, at, policy, .. } = marking;
    let event = match marking.to {
        ReviewStatus::Reviewed => review(connection, marking).await?.then(|| marking.event()),
        ReviewStatus::InReview => reopen(connection, *document, actor, *at, policy).await?,
    };
    let row = sqlx::query(sql!("documents/review_mark"))
        .bind(document.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let row = row.ok_or_else(|| missing(*document))?;
    let mark = ReviewMark {
        status: ReviewStatus::parse(get(&row, 0)?).unwrap_or_default(),
        reviewed_at: optional_timestamp(&row, 1)?,
        reviewed_by: get(&row, 2)?,
        is_new: event.is_some(),
    };
    Ok((mark, event))
}

/// Whether the document was `IN_REVIEW` until now. If so it stays locked, so that no edit comes between the mark and what
/// is learnt with it.
async fn review(connection: &mut PgConnection, marking: &ReviewMarkRequest) -> PortResult<bool> {
    let marked = sqlx::query(sql!("documents/mark_reviewed"))
        .bind(marking.document.0)
        .bind(At(marking.at))
        .bind(text(&marking.actor))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let is_new = marked.rows_affected() > 0;
    if is_new {
        learn(connection, marking.document, &marking.policy, marking.at).await?;
    }
    Ok(is_new)
}

/// The event that tells of it, if the document was REVIEWED until now.
pub(crate) async fn reopen(
    connection: &mut PgConnection,
    document: DocumentId,
    actor: &str,
    at: Timestamp,
    policy: &ConfidencePolicy,
) -> PortResult<Option<Event>> {
    let reopened = sqlx::query(sql!("documents/reopen"))
        .bind(document.0)
        .bind(At(at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    if reopened.rows_affected() == 0 {
        return Ok(None);
    }
    unlearn(connection, document, policy, at).await?;
    Ok(Some(Document::event_by(EventType::ReviewReopened, document, actor, at)))
}
