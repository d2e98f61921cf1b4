//! Lanes: which are closed or paused, what waits in them, and how many calls the installation makes in each.

use std::any::Any;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Event, Lane, LaneClosing, LaneName, LanePause};

use crate::PortResult;

/// A lane and the runs that wait in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneOverview {
    /// The lane.
    pub lane: Lane,
    /// How many runs wait in it.
    pub waiting: u64,
    /// When the first of them goes on by itself.
    pub next_at: Option<Timestamp>,
}

/// A permit for one of the calls that the whole installation may make in a lane. It is free again when this is dropped.
pub type InstallationPermit = Box<dyn Any + Send + Sync>;

/// The lanes of an installation.
#[async_trait]
pub trait Lanes: Send + Sync {
    /// Makes lanes known, so that they are listed. Those that are known stay as they are.
    async fn register(&self, lanes: &[LaneName]) -> PortResult<()>;

    /// Every known lane and every lane in which runs wait, by name.
    async fn list(&self) -> PortResult<Vec<LaneOverview>>;

    /// Closes a lane until a time. A lane that is closed for longer stays so. Lanes of hosts that are open again are
    /// forgotten.
    /// Returns whether it changed; then `closed` is recorded.
    async fn close(&self, lane: &LaneName, closing: &LaneClosing, closed: &Event) -> PortResult<bool>;

    /// Pauses a known lane. Returns whether it changed; then `paused` is recorded.
    async fn pause(&self, lane: &LaneName, pause: &LanePause, paused: &Event) -> PortResult<bool>;

    /// Ends the pause and the closing of a known lane, and wakes every run that waits in it. Returns whether it changed; then
    /// `resumed` is recorded.
    async fn resume(&self, lane: &LaneName, at: Timestamp, resumed: &Event) -> PortResult<bool>;

    /// Lets the first `limit` runs that wait in a lane go on now, in the order of the queue. Returns their number.
    async fn wake(&self, lane: &LaneName, limit: usize) -> PortResult<usize>;

    /// Takes one of `limit` permits that all processes of the installation share. None if all are taken. The permits of a
    /// process that dies are free. A store for one process has no such limit.
    async fn acquire_installation_permit(
        &self,
        lane: &LaneName,
        limit: u32,
    ) -> PortResult<Option<InstallationPermit>>;

    /// How many of `limit` such permits are free.
    async fn free_installation_permits(&self, lane: &LaneName, limit: u32) -> PortResult<u32>;
}

/// A permit for one call. It is free again when this is dropped.
pub type CallPermit = Box<dyn Any + Send + Sync>;

/// Permits for the calls of this process, for connectors that learn only during their work which hosts they call.
#[async_trait]
pub trait CallPermits: Send + Sync {
    /// A permit for a call in that lane. Without one, how long the run waits if nothing wakes it before.
    async fn permit(&self, lane: &LaneName) -> Result<CallPermit, Duration>;

    /// Closes a lane for this time, because its provider asked for it.
    async fn close(&self, lane: &LaneName, wait: Duration, reason: &str);
}
