//! Say that a document is checked, or that it is not after all.

use quire_domain::review::review_marked;
use quire_domain::{DocumentId, ReviewStatus};
use quire_ports::{ReviewMark, ReviewMarkRequest};

use crate::engine::report;
use crate::{App, Result};

/// What somebody says of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkRequest {
    /// The document.
    pub document: DocumentId,
    /// What it is to be. What it is already changes nothing.
    pub to: ReviewStatus,
    /// Who.
    pub actor: String,
    /// What ties it to its request.
    pub correlation_id: Option<String>,
}

/// Marks a document as checked, or takes that back; with the mark, what it teaches about confidence is learnt or taken back.
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
