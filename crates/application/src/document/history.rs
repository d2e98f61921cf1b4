//! What was done with a document: its runs and every change of their steps.

use quire_domain::{DocumentId, Run};
use quire_ports::{PortResult, StepRecord, Store};

/// The most runs that are told of.
const MOST: u32 = 200;

/// The runs of a document.
#[derive(Clone, Debug)]
pub struct ProcessingHistory {
    /// The newest runs, oldest first, each with the changes of its steps, oldest first.
    pub runs: Vec<(Run, Vec<StepRecord>)>,
    /// Whether there are older runs that are not told of.
    pub leaves_out_older: bool,
}

/// What was done with the document of that id.
pub async fn history(store: &Store, document: DocumentId) -> PortResult<ProcessingHistory> {
    let mut runs = store.history.processing(document.into(), MOST + 1).await?;
    if runs.is_empty() {
        store.documents.find(document).await?;
    }
    let leaves_out_older = runs.len() > MOST as usize;
    if leaves_out_older {
        runs.remove(0);
    }
    Ok(ProcessingHistory { runs, leaves_out_older })
}
