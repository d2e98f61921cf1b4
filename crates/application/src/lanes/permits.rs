//! Permits to make calls in a lane.
//!
//! A step takes a permit before each call and keeps it during the call alone. If the lane is full, closed or paused, the
//! step gives up with [`Failure::lane_busy`], and its run waits in the queue without losing an attempt. It goes on when a
//! permit is free, or when the lane opens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use quire_domain::{Failure, Lane, LaneClosing, LaneName, LaneState};
use quire_ports::{Clock, InstallationPlace, LaneOverview, Lanes, PortResult, Store};
use tokio::sync::Notify;

use super::events::lane_closed;

/// When a run looks again at a full lane that nobody has woken it for.
const FULL: SignedDuration = SignedDuration::from_mins(10);
/// When a run looks again at a paused lane that nobody has resumed.
const PAUSED: SignedDuration = SignedDuration::from_hours(24);

/// How many calls may be made at once in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLimits {
    /// By this process.
    pub per_process: u32,
    /// By all processes of the installation, where the database counts them. None without a limit.
    pub per_installation: Option<u32>,
}

/// Gives permits for calls. All steps of a process share one.
pub struct LanePermits {
    lanes: Arc<dyn Lanes>,
    clock: Arc<dyn Clock>,
    limits: LaneLimits,
    calls: Mutex<HashMap<LaneName, Calls>>,
    /// The lanes that were closed or paused when they were last read.
    restricted: Mutex<HashMap<LaneName, Lane>>,
    /// Notified when a permit becomes free.
    freed: Notify,
}

/// The calls of this process in one lane.
#[derive(Clone, Copy, Default)]
struct Calls {
    running: u32,
    /// How many permits became free since waiting runs were last woken.
    freed: u32,
    /// Whether runs may wait in the lane. If none do, a free permit wakes nobody.
    is_wanted: bool,
    /// Whether the lane was made known, so that operators see it.
    is_known: bool,
}

/// A permit for one call. It is free again when it is dropped.
pub struct LanePermit {
    permits: Arc<LanePermits>,
    lane: LaneName,
    place: Option<InstallationPlace>,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneBusy {
    /// As many calls are running as the lane allows.
    Full,
    /// The provider asked to wait.
    Closed {
        /// Until then.
        until: Timestamp,
    },
    /// An operator paused it.
    Paused,
}

impl LaneBusy {
    /// When a run looks again that nobody has woken before.
    pub(super) fn until(self, now: Timestamp) -> Timestamp {
        let until = match self {
            Self::Full => now.saturating_add(FULL),
            Self::Closed { until } => Ok(until),
            Self::Paused => now.saturating_add(PAUSED),
        };
        until.unwrap_or(Timestamp::MAX)
    }
}

impl LanePermits {
    /// Permits within these limits.
    pub fn new(store: &Store, limits: LaneLimits) -> Arc<Self> {
        Arc::new(Self {
            lanes: store.lanes.clone(),
            clock: store.clock.clone(),
            limits,
            calls: Mutex::default(),
            restricted: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// A permit for a call in that lane. Without one, the failure with which the step gives up: its run waits.
    pub async fn acquire(self: &Arc<Self>, lane: &LaneName) -> Result<LanePermit, Failure> {
        let permit = self.try_acquire(lane).await;
        permit.map_err(|busy| Failure::lane_busy(lane.clone(), busy.until(self.clock.now())))
    }

    /// A permit for a call in that lane, if there is one.
    pub async fn try_acquire(self: &Arc<Self>, lane: &LaneName) -> Result<LanePermit, LaneBusy> {
        match self.state(lane).await {
            LaneState::Open => {}
            LaneState::Closed { until } => return Err(LaneBusy::Closed { until }),
            LaneState::Paused => return Err(LaneBusy::Paused),
        }
        self.make_known(lane).await;
        if !self.start_call(lane) {
            return Err(LaneBusy::Full);
        }
        match self.take_place(lane).await {
            Ok(place) => Ok(LanePermit { permits: self.clone(), lane: lane.clone(), place }),
            Err(busy) => {
                self.end_call(lane, false);
                Err(busy)
            }
        }
    }

    /// Makes a lane known, so that operators can see and pause it.
    pub async fn make_known(&self, lane: &LaneName) {
        if self.change(lane, |calls| std::mem::replace(&mut calls.is_known, true)) {
            return;
        }
        if let Err(error) = self.lanes.register(std::slice::from_ref(lane)).await {
            tracing::warn!(%error, lane = lane.as_str(), "lanes: could not be made known, will retry with the next call");
            self.change(lane, |calls| calls.is_known = false);
        }
    }

    /// Whether calls may be made in that lane, or runs of that pipeline be claimed.
    pub async fn state(&self, lane: &LaneName) -> LaneState {
        let known = self.known_state(lane);
        if known == LaneState::Open {
            return known;
        }
        // It may have been resumed by another process, which has woken the run that asks now.
        if let Err(error) = self.read().await {
            tracing::warn!(%error, lane = lane.as_str(), "lanes: reading failed, using what was read before");
        }
        self.known_state(lane)
    }

    /// Closes a lane, because its provider asked to wait until then.
    pub async fn close(&self, lane: &LaneName, until: Timestamp, reason: &str) {
        let closing = LaneClosing { until, reason: reason.to_owned() };
        let closed = lane_closed(lane, &closing, self.clock.now());
        if let Err(error) = self.lanes.close(lane, &closing, &closed).await {
            tracing::warn!(%error, lane = lane.as_str(), "lanes: could not be closed for other processes");
        }
        let mut restricted = self.restricted.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = restricted.entry(lane.clone()).or_insert_with(|| Lane::open(lane.clone()));
        if lane.closed.as_ref().is_none_or(|known| known.until < until) {
            lane.closed = Some(closing);
        }
    }

    /// Wakes a run that waits in the lane, if there is a permit for it. A run calls this after it was sent to wait: the
    /// permit may have become free, or the lane open, before the wait was stored.
    pub(crate) async fn look_again(self: &Arc<Self>, lane: &LaneName) {
        self.change(lane, |calls| calls.is_wanted = true);
        // Dropping the permit wakes the run.
        drop(self.try_acquire(lane).await);
    }

    /// Reads all lanes, and wakes runs that wait in lanes where calls can be made. A permit of a process that died woke
    /// nobody.
    pub(crate) async fn look_at_all(&self) -> PortResult<()> {
        let now = self.clock.now();
        for LaneOverview { lane, waiting, .. } in self.read().await? {
            let name = lane.name.as_str().to_owned();
            let is_open = lane.state(now) == LaneState::Open;
            let count = u32::try_from(waiting).unwrap_or(u32::MAX);
            metrics::gauge!("quire_lane_waiting", "lane" => name.clone()).set(f64::from(count));
            metrics::gauge!("quire_lane_closed", "lane" => name).set(f64::from(u8::from(!is_open)));
            let running = self.change(&lane.name, |calls| {
                calls.is_wanted = waiting > 0;
                calls.running
            });
            let free = self.limits.per_process.saturating_sub(running);
            if is_open && waiting > 0 && free > 0 {
                self.lanes.wake(&lane.name, free as usize).await?;
            }
        }
        Ok(())
    }

    /// Waits until permits are free, and wakes as many runs that wait for them.
    pub(crate) async fn wake_for_freed(&self) -> PortResult<()> {
        self.freed.notified().await;
        let freed: Vec<(LaneName, u32)> = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let freed = calls.iter_mut().filter(|(_, calls)| calls.freed > 0);
            freed.map(|(lane, calls)| (lane.clone(), std::mem::take(&mut calls.freed))).collect()
        };
        // A lane that was closed meanwhile wakes its runs when it opens.
        for (lane, count) in freed.into_iter().filter(|(lane, _)| self.known_state(lane) == LaneState::Open) {
            self.lanes.wake(&lane, count as usize).await?;
        }
        Ok(())
    }

    async fn read(&self) -> PortResult<Vec<LaneOverview>> {
        let lanes = self.lanes.list().await?;
        let restricted = lanes.iter().filter(|one| one.lane.closed.is_some() || one.lane.paused.is_some());
        *self.restricted.lock().unwrap_or_else(PoisonError::into_inner) =
            restricted.map(|one| (one.lane.name.clone(), one.lane.clone())).collect();
        Ok(lanes)
    }

    fn known_state(&self, lane: &LaneName) -> LaneState {
        let restricted = self.restricted.lock().unwrap_or_else(PoisonError::into_inner);
        restricted.get(lane).map_or(LaneState::Open, |lane| lane.state(self.clock.now()))
    }

    async fn take_place(&self, lane: &LaneName) -> Result<Option<InstallationPlace>, LaneBusy> {
        let Some(places) = self.limits.per_installation else { return Ok(None) };
        match self.lanes.take_place(lane, places).await {
            Ok(Some(place)) => Ok(Some(place)),
            Ok(None) => Err(LaneBusy::Full),
            Err(error) => {
                tracing::warn!(%error, lane = lane.as_str(), "lanes: calling without a place in the installation");
                Ok(None)
            }
        }
    }

    fn start_call(&self, lane: &LaneName) -> bool {
        self.change(lane, |calls| {
            let is_free = calls.running < self.limits.per_process;
            if is_free {
                calls.running += 1;
                report_calls(lane, calls.running);
            } else {
                calls.is_wanted = true;
            }
            is_free
        })
    }

    fn end_call(&self, lane: &LaneName, wakes: bool) {
        self.change(lane, |calls| {
            calls.running = calls.running.saturating_sub(1);
            calls.freed += u32::from(wakes && calls.is_wanted);
            report_calls(lane, calls.running);
        });
        self.freed.notify_one();
    }

    fn change<T>(&self, lane: &LaneName, change: impl FnOnce(&mut Calls) -> T) -> T {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        change(calls.entry(lane.clone()).or_default())
    }
}

impl Drop for LanePermit {
    fn drop(&mut self) {
        // First, so that a run that is woken finds the place free.
        self.place = None;
        self.permits.end_call(&self.lane, true);
    }
}

fn report_calls(lane: &LaneName, running: u32) {
    metrics::gauge!("quire_lane_calls", "lane" => lane.as_str().to_owned()).set(f64::from(running));
}
