//! Mark a document as reviewed, or remove the mark.

use quire_domain::review::review_marked;
use quire_domain::{DocumentId, ReviewStatus};
use quire_ports::{ReviewMark, ReviewMarkRequest};

use crate::engine::report;
use crate::{App, Result};

/// A request to change the review status of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkRequest {
    /// The document.
    pub document: DocumentId,
    /// The new status. Setting the current status again changes nothing.
    pub to: ReviewStatus,
    /// The name of the reviewer.
    pub actor: String,
    /// Ties the change to its request in the log.
    pub correlation_id: Option<String>,
}

/// Marks a document as reviewed, or removes the mark. The calibration learns from the mark, and forgets that lesson
/// when the mark is removed.
pub async fn mark(app: &App, request: MarkRequest) -> Result<ReviewMark> {
    let (store, policy) = (&app.store, &app.confidence);
    let MarkRequest { document, to, actor, correlation_id } = request;
    let at = store.clock.now();
    let event = review_marked(document, to, &actor, at);
    let request = ReviewMarkRequest { document, to, actor, at, policy: policy.clone(), event };
    let mark = store.reviews.mark(&request).await?;
    if let Some(recorded) = &mark.recorded {
        report::log(recorded, correlation_id.as_deref());
    }
    Ok(mark)
}
