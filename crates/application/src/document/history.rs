//! The processing history of a document: its runs and every change of their steps.

use jiff::Timestamp;
use quire_domain::{DocumentId, Run};
use quire_ports::StepRecord;

use crate::{App, Result};

/// Runs that are listed at most.
const MAX_RUNS: u32 = 200;

/// The runs of a document.
#[derive(Clone, Debug)]
pub struct ProcessingHistory {
    /// The newest runs, oldest first, each with the changes of its steps, oldest first.
    pub runs: Vec<(Run, Vec<StepRecord>)>,
    /// Whether older runs are left out.
    pub leaves_out_older: bool,
    /// When this was read, by the clock of the store.
    pub read_at: Timestamp,
}

/// The processing history of a document.
pub async fn history(app: &App, document: DocumentId) -> Result<ProcessingHistory> {
    let store = &app.store;
    let mut runs = store.run_reader.processing(document.into(), MAX_RUNS + 1).await?;
    if runs.is_empty() {
        store.documents.find(document).await?;
    }
    let leaves_out_older = runs.len() > MAX_RUNS as usize;
    if leaves_out_older {
        runs.remove(0);
    }
    Ok(ProcessingHistory { runs, leaves_out_older, read_at: store.clock.now() })
}
