//! Mark a document as reviewed, or remove the mark.

use quire_domain::review::{marked_reviewed, review_reopened};
use quire_domain::{DocumentId, MarkBlocked, ReviewEnd, SignedVersion};
use quire_ports::{PortResult, ReviewChange, ReviewMark, ReviewMarkRequest, Store};
use quire_understanding::empty_critical_keys;

use super::view::schema_of;
use crate::event_telemetry;
use crate::{App, Error};

/// A request to change the review status of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkRequest {
    /// The document.
    pub document: DocumentId,
    /// The change. Setting the current status again changes nothing.
    pub change: ReviewChange,
    /// The name of the reviewer.
    pub actor: String,
    /// Ties the change to its request in the log.
    pub correlation_id: Option<String>,
}

/// Why a document was not marked as reviewed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MarkError {
    /// No run of the document has completed.
    #[error("no run of this document has completed yet; there is nothing to review")]
    NoCompletedRun,
    /// The latest completed run has no interpretation.
    #[error("the latest completed run has no interpretation; process the document again")]
    Missing,
    /// Another version is active than the one that the reviewer saw.
    #[error("the document has changed since you saw it; review the version in `details`, then mark that one")]
    Stale(SignedVersion),
    /// There is no such document, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<MarkBlocked> for MarkError {
    fn from(blocked: MarkBlocked) -> Self {
        match blocked {
            MarkBlocked::NoCompletedRun => Self::NoCompletedRun,
            MarkBlocked::Missing => Self::Missing,
            MarkBlocked::Stale(active) => Self::Stale(active),
        }
    }
}

/// The review status of a document after a request.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkResult {
    /// The status.
    pub mark: ReviewMark,
    /// The critical keys without a value in the reviewed version. Empty if the document is not reviewed.
    pub empty_critical_keys: Vec<String>,
}

/// Marks a document as reviewed, or removes the mark. The signals of the review count for the calibration until a person
/// removes the mark, by hand or by an edit, or until the next mark replaces them. A newer run also removes the mark, but what
/// the review taught stays.
pub async fn set_review_status(app: &App, request: MarkRequest) -> Result<MarkResult, MarkError> {
    let (store, policy) = (&app.store, &app.confidence);
    let MarkRequest { document, change, actor, correlation_id } = request;
    let at = store.clock.now();
    let event = match change {
        ReviewChange::Mark(signed) => marked_reviewed(document, signed, &actor, at),
        ReviewChange::Reopen => review_reopened(document, ReviewEnd::Reopened, &actor, at),
    };
    let request = ReviewMarkRequest { document, change, actor, at, policy: policy.clone(), event };
    let mark = store.reviews.set_review_status(&request).await.map_err(Error::from)??;
    if let Some(recorded) = &mark.recorded {
        event_telemetry::log(recorded, correlation_id.as_deref());
    }
    let empty_critical_keys = match mark.signed {
        Some(signed) => empty_keys(store, signed).await.map_err(Error::from)?,
        None => Vec::new(),
    };
    Ok(MarkResult { mark, empty_critical_keys })
}

/// The critical keys without a value in a version.
async fn empty_keys(store: &Store, signed: SignedVersion) -> PortResult<Vec<String>> {
    let schema = schema_of(store, &store.run_reader.run(signed.run).await?).await?;
    let version = store.reviews.version(signed.run, Some(signed.number)).await?;
    let fields = version.map(|version| version.data.fields).unwrap_or_default();
    Ok(empty_critical_keys(&fields, &schema).into_iter().map(|key| key.key.clone()).collect())
}
