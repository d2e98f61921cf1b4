//! Lanes: what runs wait in, and the permits for calls.

mod connector_permits;
mod embedder;
mod events;
mod lane_call;
mod metrics;
mod model;
mod permits;

use jiff::Timestamp;
use quire_domain::{LaneName, LanePause};
pub use quire_ports::LaneOverview;

pub use connector_permits::ConnectorPermits;
pub use embedder::LaneEmbedder;
pub use lane_call::{LaneCall, LaneWait};
pub use model::LaneModel;
pub use permits::{LaneBusy, LaneLimits, LanePermit, LanePermits};

use crate::event_telemetry;
use crate::{App, Result};

/// Every lane and what waits in it, and the time of this answer.
pub async fn list(app: &App) -> Result<(Timestamp, Vec<LaneOverview>)> {
    let lanes = app.store.lanes.list().await?;
    Ok((app.store.clock.now(), lanes))
}

/// Pauses a lane: no further call is made in it, or, for the lane of a pipeline, no further run is claimed. Calls and runs
/// that have begun go on.
pub async fn pause(app: &App, lane: &LaneName, actor: &str) -> Result<()> {
    register_host(app, lane).await?;
    let at = app.store.clock.now();
    let paused = events::lane_paused(lane, actor, at);
    let pause = LanePause { at, by: actor.to_owned() };
    if app.store.lanes.pause(lane, &pause, &paused).await? {
        event_telemetry::log(&paused, None);
    }
    // The engine of this process notices it now, those of others with their next tick.
    app.lanes.read().await?;
    app.operations.forget().await;
    Ok(())
}

/// Opens a lane that is paused or closed. Every run that waits in it goes on.
pub async fn resume(app: &App, lane: &LaneName, actor: &str) -> Result<()> {
    register_host(app, lane).await?;
    let at = app.store.clock.now();
    let resumed = events::lane_resumed(lane, actor, at);
    if app.store.lanes.resume(lane, at, &resumed).await? {
        event_telemetry::log(&resumed, None);
    }
    app.lanes.read().await?;
    app.operations.forget().await;
    Ok(())
}

/// Makes the lane of a host known, which it is not before it was closed or paused. Every host has one.
async fn register_host(app: &App, lane: &LaneName) -> Result<()> {
    if lane.is_host() {
        app.store.lanes.register(std::slice::from_ref(lane)).await?;
    }
    Ok(())
}
