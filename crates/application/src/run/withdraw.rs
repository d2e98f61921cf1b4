//! Withdraw a run that waits in the queue.

use quire_domain::{Run, RunId};

use crate::event_telemetry;
use crate::{App, Result};

/// Withdraws a queued run. `Conflict` if a worker executes it; then it can be cancelled.
pub async fn withdraw(app: &App, run: RunId, actor: &str) -> Result<Run> {
    let store = &app.store;
    let transition = store.queue.withdraw(run, actor, store.clock.now()).await?;
    event_telemetry::log_and_count_transition(&transition);
    Ok(transition.run)
}
