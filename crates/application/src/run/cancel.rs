//! Cancel a run that a worker executes.

use quire_domain::{Run, RunId};

use crate::event_telemetry;
use crate::{App, Result};

/// Cancels a running run, and nothing else does. `Conflict` if no worker executes it. Its worker stops within a second and
/// frees what the run uses.
pub async fn cancel(app: &App, run: RunId, actor: &str) -> Result<Run> {
    let store = &app.store;
    let transition = store.queue.cancel(run, actor, store.clock.now()).await?;
    event_telemetry::log_and_count_transition(&transition);
    Ok(transition.run)
}
