//! Send a failed proposal run back to the queue.

use quire_domain::RunId;

use super::show::{ProposalView, show};
use crate::App;
use crate::run::{self, RetryError};

/// Sends a failed proposal run back to the queue and shows it. A run of another pipeline is not found.
pub async fn retry(app: &App, id: RunId, actor: &str) -> Result<ProposalView, RetryError> {
    show(app, id).await?;
    run::retry(app, id, actor).await?;
    Ok(show(app, id).await?)
}
