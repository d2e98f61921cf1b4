//! Say that a document is checked, or that it is not after all.

use quire_domain::{Document, DocumentId, EventType};
use quire_ports::{PortResult, ReviewMark, Store};

use crate::engine::report;

/// Marks a document as checked. Doing it again changes nothing.
pub async fn mark_reviewed(
    store: &Store,
    document: DocumentId,
    actor: &str,
    correlation_id: Option<&str>,
) -> PortResult<ReviewMark> {
    let now = store.clock.now();
    let mark = store.reviews.mark_reviewed(document, actor, now).await?;
    if mark.is_new {
        report::log(&Document::asked(EventType::MarkReviewed, document, actor, now), correlation_id);
    }
    Ok(mark)
}

/// Takes that back. Doing it again changes nothing.
pub async fn reopen(
    store: &Store,
    document: DocumentId,
    actor: &str,
    correlation_id: Option<&str>,
) -> PortResult<ReviewMark> {
    let now = store.clock.now();
    let mark = store.reviews.reopen(document, actor, now).await?;
    if mark.is_new {
        report::log(&Document::asked(EventType::ReviewReopened, document, actor, now), correlation_id);
    }
    Ok(mark)
}
