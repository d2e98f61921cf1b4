//! Lanes: what runs wait in, and the permits for calls.

mod events;
mod model;
mod permits;

use jiff::Timestamp;
use quire_domain::{LaneName, LanePause};
pub use quire_ports::LaneOverview;

pub use model::LaneModel;
pub use permits::{LaneBusy, LaneLimits, LanePermit, LanePermits};

use crate::engine::report;
use crate::{App, Result};

/// Every lane and what waits in it, and the time of this answer.
pub async fn list(app: &App) -> Result<(Timestamp, Vec<LaneOverview>)> {
    let lanes = app.store.lanes.list().await?;
    Ok((app.store.clock.now(), lanes))
}

/// Pauses a lane: no further call is made in it, or, for the lane of a pipeline, no further run is claimed. Calls and runs
/// that have begun go on.
pub async fn pause(app: &App, lane: &LaneName, actor: &str) -> Result<()> {
    let at = app.store.clock.now();
    let paused = events::lane_paused(lane, actor, at);
    let pause = LanePause { at, by: actor.to_owned() };
    if app.store.lanes.pause(lane, &pause, &paused).await? {
        report::log(&paused, None);
    }
    Ok(())
}

/// Opens a lane that is paused or closed. Every run that waits in it goes on.
pub async fn resume(app: &App, lane: &LaneName, actor: &str) -> Result<()> {
    let at = app.store.clock.now();
    let resumed = events::lane_resumed(lane, actor, at);
    if app.store.lanes.resume(lane, at, &resumed).await? {
        report::log(&resumed, None);
    }
    Ok(())
}
