//! What was done with a document: its runs and every change of their steps.

use jiff::Timestamp;
use quire_domain::{DocumentId, Run};
use quire_ports::StepRecord;

use crate::{App, Result};

/// The most runs that are told of.
const MOST: u32 = 200;

/// The runs of a document.
#[derive(Clone, Debug)]
pub struct ProcessingHistory {
    /// The newest runs, oldest first, each with the changes of its steps, oldest first.
    pub runs: Vec<(Run, Vec<StepRecord>)>,
    /// Whether there are older runs that are not told of.
    pub leaves_out_older: bool,
    /// When this was read, by the clock of the store.
    pub read_at: Timestamp,
}

/// What was done with the document of that id.
pub async fn history(app: &App, document: DocumentId) -> Result<ProcessingHistory> {
    let store = &app.store;
    let mut runs = store.history.processing(document.into(), MOST + 1).await?;
    if runs.is_empty() {
        store.documents.find(document).await?;
    }
    let leaves_out_older = runs.len() > MOST as usize;
    if leaves_out_older {
        runs.remove(0);
    }
    Ok(ProcessingHistory { runs, leaves_out_older, read_at: store.clock.now() })
}
