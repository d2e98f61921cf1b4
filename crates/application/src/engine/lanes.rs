//! Wakes the runs that wait in lanes: those for which a permit became free, and on every tick those that nobody has woken.

use std::sync::Arc;

use quire_domain::{LaneName, LaneState, Pipeline};
use quire_ports::PortResult;

use super::EngineCore;

pub(super) async fn keep_waking(engine: Arc<EngineCore>) {
    loop {
        let woken = tokio::select! {
            woken = engine.lanes.wake_for_freed(&engine.settings.scope) => woken,
            () = engine.aborting.cancelled() => return,
        };
        if let Err(error) = woken {
            tracing::warn!(%error, "lanes: waiting runs could not be woken, will retry on the next tick");
        }
    }
}

impl EngineCore {
    pub(super) async fn watch_lanes(&self) -> PortResult<()> {
        self.lanes.refresh(&self.settings.scope).await
    }

    /// Whether an operator has paused the pipeline.
    pub(super) async fn is_paused(&self, pipeline: Pipeline) -> bool {
        self.lanes.state(&LaneName::pipeline(pipeline)).await == LaneState::Paused
    }
}
