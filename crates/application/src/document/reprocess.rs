//! Process a document again.

use quire_domain::run::run_created;
use quire_domain::{Document, DocumentId, NewRun, Pipeline, Priority, Run, RunId};
use quire_ports::{PortResult, Store};

use crate::engine::report;
use crate::{App, Error};

/// Why a document is not processed again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReprocessError {
    /// The settings of this server switch processing off.
    #[error("processing is switched off on this server; set uploads.processing to true")]
    ProcessingDisabled,
    /// There is no such document, or the database does not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Accepts another run of a document, unless this server has processing switched off.
pub async fn request_reprocess(
    app: &App,
    document: DocumentId,
    priority: Priority,
    actor: &str,
    correlation_id: String,
) -> Result<Run, ReprocessError> {
    if !app.processing {
        app.store.documents.find(document).await?;
        return Err(ReprocessError::ProcessingDisabled);
    }
    Ok(reprocess(&app.store, document, priority, actor, Some(correlation_id)).await?)
}

/// Accepts another run of a document. Existing runs go on; the new one is queued.
pub async fn reprocess(
    store: &Store,
    document: DocumentId,
    priority: Priority,
    actor: &str,
    correlation_id: Option<String>,
) -> PortResult<Run> {
    let now = store.clock.now();
    let new = NewRun {
        id: RunId::new(),
        pipeline: Pipeline::Document,
        subject: document.into(),
        priority,
        correlation_id,
        requested_by: Some(actor.to_owned()),
        continues: None,
    };
    let requested = Document::reprocess_requested(&new, actor, now);
    let run = store.documents.reprocess(&new, requested.clone()).await?;
    report::log(&requested, run.correlation_id.as_deref());
    report::log(&run_created(&run), run.correlation_id.as_deref());
    Ok(run)
}
