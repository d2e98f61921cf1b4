//! Wait for the end of a proposal run.

use std::time::Duration;

use quire_domain::RunId;
use quire_ports::ProposalRun;

use crate::{App, Error, Result};

/// Between two looks at the run. A model takes seconds.
const PAUSE: Duration = Duration::from_millis(200);

/// The run as soon as it has ended, or as it is after `limit`.
pub async fn wait_for_end(app: &App, id: RunId, limit: Duration) -> Result<ProposalRun> {
    let ended = async {
        while !app.store.history.run(id).await?.state.is_terminal() {
            tokio::time::sleep(PAUSE).await;
        }
        Ok::<(), Error>(())
    };
    if let Ok(looked) = tokio::time::timeout(limit, ended).await {
        looked?;
    }
    Ok(app.store.proposals.proposal(id).await?)
}
