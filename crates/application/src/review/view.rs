//! A document with its interpretation.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Run};
use quire_ports::{BlobStore, InterpretationVersion, PortResult, Store};
use quire_understanding::Schema;

use crate::document::pages::RawTextArtifact;
use crate::{App, Error};

/// Why a document cannot be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    /// No run of the document has completed.
    #[error("no run of this document has completed yet; retry when one has")]
    NoCompletedRun,
    /// The run completed without an interpretation.
    #[error("the latest completed run has no interpretation; process the document again")]
    Missing,
    /// There is no such document, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// A document with its latest completed run and the active version of its interpretation.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewView {
    /// The document.
    pub document: Document,
    /// When a person reviewed it.
    pub reviewed_at: Option<Timestamp>,
    /// Who reviewed it.
    pub reviewed_by: Option<String>,
    /// Its latest completed run.
    pub run: Run,
    /// The version.
    pub active: InterpretationVersion,
    /// Whether the text of the document is available.
    pub has_text: bool,
    /// The schema of the run.
    pub schema: Schema,
}

/// The document as a reviewer sees it: with its latest completed run. Newer runs that have not completed do not matter.
pub async fn show(app: &App, document: DocumentId) -> Result<ReviewView, ReviewError> {
    view(&app.store, &*app.blobs, document).await
}

/// Like [`show`], but needs only a store and the files.
pub async fn view(
    store: &Store,
    blobs: &dyn BlobStore,
    document: DocumentId,
) -> Result<ReviewView, ReviewError> {
    let review = store.reviews.review(document).await?;
    let run = review.latest_completed_run.ok_or(ReviewError::NoCompletedRun)?;
    let active = review.active.ok_or(ReviewError::Missing)?;
    let schema = schema_of(store, &run).await?;
    let has_text = has_text(blobs, review.text.as_deref()).await;
    let (document, reviewed_at, reviewed_by) = (review.document, review.reviewed_at, review.reviewed_by);
    Ok(ReviewView { document, reviewed_at, reviewed_by, run, active, has_text, schema })
}

/// Whether the file with the text exists.
async fn has_text(blobs: &dyn BlobStore, payload: Option<&str>) -> bool {
    let Some(text) = payload.and_then(|payload| serde_json::from_str::<RawTextArtifact>(payload).ok()) else {
        return false;
    };
    blobs.get_range(&text.path, 0..text.bytes.min(1)).await.is_ok()
}

/// The schema of a run.
pub(super) async fn schema_of(store: &Store, run: &Run) -> PortResult<Schema> {
    match &run.schema {
        Some(bound) => Ok(store.governance.schema(&bound.name, bound.version).await?.schema),
        None => Ok(Schema::built_in_default()),
    }
}
