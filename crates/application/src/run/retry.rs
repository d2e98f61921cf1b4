//! Send a failed run back to the queue.

use quire_domain::{RequeuePolicy, Run, RunId};
use quire_ports::{PortResult, Store};

use crate::engine::report;

/// Queues a failed run again, after a delay that doubles each time. `Conflict` gives the reason if that is not allowed.
pub async fn retry(store: &Store, run: RunId, requeue: RequeuePolicy, actor: &str) -> PortResult<Run> {
    let transition = store.queue.retry(run, requeue, actor, store.clock.now()).await?;
    report::log_transition(&transition);
    Ok(transition.run)
}
