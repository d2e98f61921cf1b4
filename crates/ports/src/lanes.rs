//! Lanes: which are closed or paused, what waits in them, and how many calls the installation makes in each.

use std::any::Any;

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

/// A place among the calls that the whole installation may make in a lane. It is free again when this is dropped.
pub type InstallationPlace = Box<dyn Any + Send + Sync>;

/// The lanes of an installation.
#[async_trait]
pub trait Lanes: Send + Sync {
    /// Makes lanes known, so that they are listed. Those that are known stay as they are.
    async fn register(&self, lanes: &[LaneName]) -> PortResult<()>;

    /// Every known lane and every lane in which runs wait, by name.
    async fn list(&self) -> PortResult<Vec<LaneOverview>>;

    /// Closes a lane until a time. A lane that is closed for longer stays so.
    /// Returns whether it changed; then `closed` is recorded.
    async fn close(&self, lane: &LaneName, closing: &LaneClosing, closed: &Event) -> PortResult<bool>;

    /// Pauses a known lane. Returns whether it changed; then `paused` is recorded.
    async fn pause(&self, lane: &LaneName, pause: &LanePause, paused: &Event) -> PortResult<bool>;

    /// Ends the pause and the closing of a known lane, and wakes every run that waits in it. Returns whether it changed; then
    /// `resumed` is recorded.
    async fn resume(&self, lane: &LaneName, at: Timestamp, resumed: &Event) -> PortResult<bool>;

    /// Lets the first `limit` runs that wait in a lane go on now, in the order of the queue. Returns their number.
    async fn wake(&self, lane: &LaneName, limit: usize) -> PortResult<usize>;

    /// Takes one of `places` places that all processes of the installation share. None if all are taken. The places of a
    /// process that dies are free. A store for one process has no such limit.
    async fn take_place(&self, lane: &LaneName, places: u32) -> PortResult<Option<InstallationPlace>>;
}
