//! Process a document again.

use quire_domain::run::run_created;
use quire_domain::{Document, DocumentId, NewRun, Pipeline, Priority, Run, RunId};
use quire_ports::{PortResult, Store};

use crate::engine::report;

/// Accepts another run of a document. Whatever runs there are go on as they were; this one waits for its turn.
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
    };
    let requested = Document::reprocess_requested(&new, actor, now);
    let run = store.documents.reprocess(&new, requested.clone()).await?;
    report::log(&requested, run.correlation_id.as_deref());
    report::log(&run_created(&run), run.correlation_id.as_deref());
    Ok(run)
}
