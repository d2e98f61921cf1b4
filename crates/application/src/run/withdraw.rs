//! Withdraw a run that has not started.

use quire_domain::{Run, RunId};

use crate::engine::report;
use crate::{App, Result};

/// Withdraws a queued run. `Conflict` if it has started; then it can be cancelled.
pub async fn withdraw(app: &App, run: RunId, actor: &str) -> Result<Run> {
    let store = &app.store;
    let transition = store.queue.withdraw(run, actor, store.clock.now()).await?;
    report::log_transition(&transition);
    Ok(transition.run)
}
