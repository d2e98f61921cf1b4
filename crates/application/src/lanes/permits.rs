//! Permits to make calls in a lane.
//!
//! A step takes a permit before each call and keeps it during the call alone. If the lane is full, closed or paused, the
//! step gives up with [`Failure::lane_busy`], and its run waits in the queue without losing an attempt. It goes on when a
//! permit is free, or when the lane opens.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{ClaimScope, Failure, Lane, LaneClosing, LaneName, LaneState};
use quire_ports::{Clock, InstallationPermit, LaneOverview, Lanes, PortResult, Store};
use tokio::sync::Notify;

use super::events::lane_closed;
use super::metrics::{report_calls, report_lanes};

/// When a run looks again at a full lane that nobody has woken it for.
const RETRY_WHEN_FULL: SignedDuration = SignedDuration::from_mins(10);
/// When a run looks again at a paused lane that nobody has resumed.
const RETRY_WHEN_PAUSED: SignedDuration = SignedDuration::from_hours(24);

/// How many calls may be made at once in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLimits {
    /// By this process.
    pub per_process: u32,
    /// By all processes of the installation, where the database counts them. None without a limit.
    pub per_installation: Option<u32>,
    /// How many documents this process recognises at once, in the lane `ocr`. It needs the processor of its own machine, so
    /// that the other limits do not apply.
    pub ocr: u32,
}

impl LaneLimits {
    fn per_process(self, lane: &LaneName) -> u32 {
        if *lane == LaneName::ocr() { self.ocr } else { self.per_process }
    }

    fn per_installation(self, lane: &LaneName) -> Option<u32> {
        self.per_installation.filter(|_| *lane != LaneName::ocr())
    }
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
    /// Held for the whole installation, where it has a limit.
    installation: Option<InstallationPermit>,
    /// Whether a run is woken when it is free. One that was refused by the installation frees nothing for others.
    wakes: bool,
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
    fn until(self, now: Timestamp) -> Timestamp {
        let until = match self {
            Self::Full => now.saturating_add(RETRY_WHEN_FULL),
            Self::Closed { until } => Ok(until),
            Self::Paused => now.saturating_add(RETRY_WHEN_PAUSED),
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
        self.register(lane).await;
        if !self.start_call(lane) {
            return Err(LaneBusy::Full);
        }
        // Before the next await: if the caller is cancelled there, dropping the permit ends the call.
        let mut permit =
            LanePermit { permits: self.clone(), lane: lane.clone(), installation: None, wakes: true };
        match self.acquire_installation_permit(lane).await {
            Ok(installation) => {
                permit.installation = installation;
                Ok(permit)
            }
            Err(busy) => {
                permit.wakes = false;
                Err(busy)
            }
        }
    }

    /// Makes a lane known, so that operators can see and pause it. Those of hosts are too many for that.
    pub async fn register(&self, lane: &LaneName) {
        if lane.is_host() || self.change(lane, |calls| std::mem::replace(&mut calls.is_known, true)) {
            return;
        }
        if let Err(error) = self.lanes.register(std::slice::from_ref(lane)).await {
            tracing::warn!(%error, lane = lane.as_str(), "lane could not be registered, will retry with the next call");
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

    /// Closes a lane for as long as its provider asked to wait.
    pub(super) async fn close_for(&self, lane: &LaneName, wait: Duration, reason: &str) {
        if let Ok(until) = self.clock.now().checked_add(wait) {
            self.close(lane, until, reason).await;
        }
    }

    /// How long a run waits that found the lane like this, if nothing wakes it before.
    pub(super) fn longest_wait(&self, busy: LaneBusy) -> Duration {
        let now = self.clock.now();
        busy.until(now).duration_since(now).try_into().unwrap_or_default()
    }

    /// Wakes a run that waits in the lane, if there is a permit for it. A run calls this after it was sent to wait: the
    /// permit may have become free, or the lane open, before the wait was stored.
    pub(crate) async fn wake_if_free(self: &Arc<Self>, lane: &LaneName) {
        self.change(lane, |calls| calls.is_wanted = true);
        // Dropping the permit wakes the run.
        drop(self.try_acquire(lane).await);
    }

    /// Reads all lanes, and wakes runs that wait in lanes where calls can be made, if an engine of this scope claims such runs. A
    /// permit of a process that died woke nobody.
    pub(crate) async fn refresh(&self, scope: &ClaimScope) -> PortResult<()> {
        let now = self.clock.now();
        let lanes = self.read().await?;
        report_lanes(&lanes, now);
        self.forget_hosts(&lanes);
        for LaneOverview { lane, waiting, .. } in lanes {
            let is_open = lane.state(now) == LaneState::Open;
            let running = self.change(&lane.name, |calls| {
                calls.is_wanted = waiting > 0;
                calls.running
            });
            if !is_open || waiting == 0 || !scope.wakes(&lane.name) {
                continue;
            }
            let free = self.free(&lane.name, running).await?;
            if free > 0 {
                self.lanes.wake(&lane.name, free as usize).await?;
            }
        }
        Ok(())
    }

    /// Waits until permits are free, and wakes as many runs that wait for them.
    pub(crate) async fn wake_for_freed(&self, scope: &ClaimScope) -> PortResult<()> {
        self.freed.notified().await;
        let freed: Vec<(LaneName, u32)> = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let freed = calls.iter_mut().filter(|(_, calls)| calls.freed > 0);
            freed.map(|(lane, calls)| (lane.clone(), std::mem::take(&mut calls.freed))).collect()
        };
        // A lane that was closed meanwhile wakes its runs when it opens.
        let is_open = |lane: &LaneName| self.known_state(lane) == LaneState::Open;
        for (lane, count) in freed.into_iter().filter(|(lane, _)| is_open(lane) && scope.wakes(lane)) {
            self.lanes.wake(&lane, count as usize).await?;
        }
        Ok(())
    }

    /// The open ones of these lanes in which this process has permits, and how many permits it has in them together.
    pub(crate) async fn free_permits(&self, lanes: &[LaneName]) -> (Vec<LaneName>, usize) {
        let (mut open, mut permits) = (Vec::new(), 0);
        for lane in lanes {
            let running = self.change(lane, |calls| calls.running);
            // Without an answer, the limit of this process is all that is known.
            let free = self.free(lane, running).await;
            let free = free.unwrap_or_else(|_| self.limits.per_process(lane).saturating_sub(running));
            if free > 0 && self.state(lane).await == LaneState::Open {
                open.push(lane.clone());
                permits += free as usize;
            }
        }
        (open, permits)
    }

    /// Reads which lanes are closed or paused.
    pub(crate) async fn read(&self) -> PortResult<Vec<LaneOverview>> {
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

    async fn acquire_installation_permit(
        &self,
        lane: &LaneName,
    ) -> Result<Option<InstallationPermit>, LaneBusy> {
        let Some(limit) = self.limits.per_installation(lane) else { return Ok(None) };
        match self.lanes.acquire_installation_permit(lane, limit).await {
            Ok(Some(permit)) => Ok(Some(permit)),
            Ok(None) => Err(LaneBusy::Full),
            Err(error) => {
                tracing::warn!(%error, lane = lane.as_str(), "lanes: calling without a permit of the installation");
                Ok(None)
            }
        }
    }

    /// How many calls this process can begin now. A run that is woken beyond that is claimed for nothing.
    async fn free(&self, lane: &LaneName, running: u32) -> PortResult<u32> {
        let here = self.limits.per_process(lane).saturating_sub(running);
        match self.limits.per_installation(lane) {
            Some(limit) if here > 0 => Ok(here.min(self.lanes.free_installation_permits(lane, limit).await?)),
            _ => Ok(here),
        }
    }

    fn start_call(&self, lane: &LaneName) -> bool {
        self.change(lane, |calls| {
            let is_free = calls.running < self.limits.per_process(lane);
            if is_free {
                calls.running += 1;
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
        });
        self.freed.notify_one();
    }

    fn change<T>(&self, lane: &LaneName, change: impl FnOnce(&mut Calls) -> T) -> T {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let of_lane = calls.entry(lane.clone()).or_default();
        let before = of_lane.running;
        let changed = change(of_lane);
        let of_lane = *of_lane;
        if lane.is_host() && of_lane.is_idle() {
            calls.remove(lane);
        }
        if of_lane.running != before {
            report_calls(lane, of_lane.running, calls.iter().map(|(lane, calls)| (lane, calls.running)));
        }
        changed
    }

    /// Forgets that runs wanted the lanes of hosts in which none wait any more.
    fn forget_hosts(&self, listed: &[LaneOverview]) {
        let listed: HashSet<&LaneName> = listed.iter().map(|one| &one.lane.name).collect();
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|lane, calls| {
            let is_known = !lane.is_host() || listed.contains(lane);
            calls.is_wanted &= is_known;
            is_known || !calls.is_idle()
        });
    }
}

impl Calls {
    /// Whether nothing is lost with it.
    fn is_idle(self) -> bool {
        self.running == 0 && self.freed == 0 && !self.is_wanted
    }
}

impl Drop for LanePermit {
    fn drop(&mut self) {
        // First, so that a run that is woken finds the permit of the installation free.
        self.installation = None;
        self.permits.end_call(&self.lane, self.wakes);
    }
}
