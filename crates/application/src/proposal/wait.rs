//! Wait for the end of a draft.

use std::time::Duration;

use quire_domain::RunId;
use quire_ports::ProposalRun;

use crate::{App, Error, Result};

/// Between two looks at the run. A model takes seconds.
const PAUSE: Duration = Duration::from_millis(200);

/// The run as soon as it has ended, or as it is when the client of a draft has waited long enough.
pub async fn wait_for_draft(app: &App, id: RunId) -> Result<ProposalRun> {
    let ended = async {
        while !app.store.run_reader.run(id).await?.state.is_terminal() {
            tokio::time::sleep(PAUSE).await;
        }
        Ok::<(), Error>(())
    };
    if let Ok(looked) = tokio::time::timeout(app.draft_wait, ended).await {
        looked?;
    }
    Ok(app.store.proposals.proposal(id).await?)
}
