//! Whether documents are checked.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, EventType, ReviewStatus};
use quire_ports::{PortResult, ReviewMark, ReviewMarkRequest};
use quire_understanding::calibration::ConfidencePolicy;
use rusqlite::{Connection, params};

use crate::calibration::{learn, unlearn};
use crate::documents::missing;
use crate::error::translate;
use crate::reviews::one;
use crate::row::{get, micros, optional_timestamp};
use crate::sql;
use crate::transition::append;

pub(crate) fn mark(connection: &Connection, marking: &ReviewMarkRequest) -> PortResult<ReviewMark> {
    let ReviewMarkRequest { document, actor, at, policy, .. } = marking;
    let is_new = match marking.to {
        ReviewStatus::Reviewed => review(connection, marking)?,
        ReviewStatus::InReview => reopen(connection, *document, actor, *at, policy)?,
    };
    let found = one(connection, sql!("documents/review_mark"), document.0.as_bytes(), |row| {
        Ok(ReviewMark {
            status: ReviewStatus::parse(&get::<String>(row, 0)?).unwrap_or_default(),
            reviewed_at: optional_timestamp(get(row, 1)?)?,
            reviewed_by: get(row, 2)?,
            is_new,
        })
    })?;
    found.ok_or_else(|| missing(*document))
}

/// Whether the document was `IN_REVIEW` until now.
fn review(connection: &Connection, marking: &ReviewMarkRequest) -> PortResult<bool> {
    let ReviewMarkRequest { document, actor, at, policy, .. } = marking;
    let marked = connection
        .execute(sql!("documents/mark_reviewed"), params![document.0.as_bytes(), micros(*at), actor])
        .map_err(translate)?;
    if marked > 0 {
        learn(connection, *document, policy, *at)?;
        append(connection, &marking.event())?;
    }
    Ok(marked > 0)
}

/// Whether the document was REVIEWED until now.
pub(crate) fn reopen(
    connection: &Connection,
    document: DocumentId,
    actor: &str,
    at: Timestamp,
    policy: &ConfidencePolicy,
) -> PortResult<bool> {
    let reopened = connection
        .execute(sql!("documents/reopen"), params![document.0.as_bytes(), micros(at)])
        .map_err(translate)?;
    if reopened > 0 {
        unlearn(connection, document, policy, at)?;
        append(connection, &Document::event_by(EventType::ReviewReopened, document, actor, at))?;
    }
    Ok(reopened > 0)
}
