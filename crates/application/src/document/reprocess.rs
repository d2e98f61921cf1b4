//! Process a document again.

use quire_domain::reading::Extractor;
use quire_domain::run::run_created;
use quire_domain::{Document, DocumentId, NewRun, Pipeline, Priority, Run, RunId};
use quire_ports::{PortResult, Store};

use super::{ExtractorNotConfigured, UnknownSchema, require_extractor, require_schema};
use crate::event_telemetry;
use crate::{App, Error};

/// Why a document is not processed again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReprocessError {
    /// The settings of this server switch processing off.
    #[error("processing is switched off on this server; set uploads.processing to true")]
    ProcessingDisabled,
    /// The requested extractor is not configured.
    #[error(transparent)]
    NotConfigured(#[from] ExtractorNotConfigured),
    /// The requested schema does not exist.
    #[error(transparent)]
    UnknownSchema(#[from] UnknownSchema),
    /// There is no such document, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// What a person asks for when a document is processed again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReprocessOptions {
    /// The priority of the run.
    pub priority: Priority,
    /// Who reads the document. Without one, its schema or the settings decide.
    pub extractor: Option<Extractor>,
    /// The schema of this run and of later ones. Without one, the document keeps its schema.
    pub schema: Option<String>,
}

/// Accepts another run of a document, unless this server has processing switched off.
pub async fn request_reprocess(
    app: &App,
    document: DocumentId,
    options: ReprocessOptions,
    actor: &str,
    correlation_id: String,
) -> Result<Run, ReprocessError> {
    require_extractor(app, options.extractor)?;
    if let Some(name) = &options.schema {
        require_schema(&app.store, name).await.map_err(Error::from)??;
    }
    if !app.processing {
        app.store.documents.find(document).await?;
        return Err(ReprocessError::ProcessingDisabled);
    }
    Ok(reprocess(&app.store, document, options, actor, Some(correlation_id)).await?)
}

/// Accepts another run of a document. Existing runs go on; the new one is queued.
pub async fn reprocess(
    store: &Store,
    document: DocumentId,
    options: ReprocessOptions,
    actor: &str,
    correlation_id: Option<String>,
) -> PortResult<Run> {
    let now = store.clock.now();
    let new = NewRun {
        id: RunId::new(),
        pipeline: Pipeline::Document,
        subject: document.into(),
        priority: options.priority,
        correlation_id,
        requested_by: Some(actor.to_owned()),
        extractor: options.extractor,
        continues: None,
    };
    let requested = Document::reprocess_requested(&new, actor, now);
    let run = store.documents.reprocess_as(&new, options.schema.as_deref(), requested.clone()).await?;
    event_telemetry::log(&requested, run.correlation_id.as_deref());
    event_telemetry::log(&run_created(&run), run.correlation_id.as_deref());
    Ok(run)
}
