//! Request a run.

use quire_domain::run::run_created;
use quire_domain::{NewRun, Run};
use quire_ports::{PortResult, Store};

use crate::event_telemetry;

/// Accepts a run. When this returns, the run is stored and will be executed even after a crash.
pub async fn enqueue(store: &Store, new: &NewRun) -> PortResult<Run> {
    let now = store.clock.now();
    let run = store.queue.enqueue(new, now).await?;
    if run.created_at == now {
        // A repeated request for the same run creates one run, and logs one event.
        event_telemetry::log(&run_created(&run), run.correlation_id.as_deref());
    }
    Ok(run)
}
