//! Say that a document is checked, or that it is not after all.

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
    let marking = ReviewMarkRequest {
        document: request.document,
        to: request.to,
        actor: request.actor,
        at: store.clock.now(),
        policy: policy.clone(),
    };
    let mark = store.reviews.mark(&marking).await?;
    if mark.is_new {
        report::log(&marking.event(), request.correlation_id.as_deref());
    }
    Ok(mark)
}
