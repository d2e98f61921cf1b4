//! Take back a run that has not started.

use quire_domain::{Run, RunId};
use quire_ports::{PortResult, Store};

use crate::engine::report;

/// Withdraws a queued run. `Conflict` if it has started: a running run is never cancelled by a request.
pub async fn withdraw(store: &Store, run: RunId, actor: &str) -> PortResult<Run> {
    let transition = store.queue.withdraw(run, actor, store.clock.now()).await?;
    report::log_transition(&transition);
    Ok(transition.run)
}
