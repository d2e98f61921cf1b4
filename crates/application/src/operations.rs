//! The state of the queue, the throughput, failures and workers, for the command line and the pages.

mod server_registration;
mod upgrade;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::Pipeline;
pub use quire_ports::{LaneOverview, MinuteMetrics, QueueDepth, StepFailures, Worker};
use quire_ports::{Lease, PortResult, Store};
use tokio::sync::Mutex;
use tokio::time::Instant;

pub use self::server_registration::ServerRegistration;
pub use self::upgrade::{WorkerTooOld, worker_too_old};
use crate::{App, Result};

/// The maximum age of a cached overview.
const FRESH: Duration = Duration::from_secs(3);
/// The period that the pages show.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The state of the engine at one moment.
#[derive(Clone, Debug)]
pub struct OperationsOverview {
    /// The moment.
    pub now: Timestamp,
    /// Queued runs by pipeline and priority.
    pub depth: Vec<QueueDepth>,
    /// Metrics by the minute, oldest first.
    pub minutes: Vec<MinuteMetrics>,
    /// Failed steps by step and code, most frequent first.
    pub failures: Vec<StepFailures>,
    /// Lanes, by name.
    pub lanes: Vec<LaneOverview>,
    /// Workers, newest first.
    pub workers: Vec<Worker>,
}

/// Completed runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompletedRuns {
    /// Their number.
    pub runs: u64,
    /// The sum of their durations.
    pub duration_ms: u64,
}

impl CompletedRuns {
    /// The mean duration.
    pub fn mean_ms(self) -> Option<u64> {
        self.duration_ms.checked_div(self.runs)
    }
}

/// The status of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseStatus {
    /// Valid.
    Live,
    /// Valid for as long as its process holds the database file.
    Exclusive,
    /// Its worker has not renewed it in time.
    Expired,
    /// Its worker has released it.
    Ended,
}

impl LeaseStatus {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Exclusive => "exclusive",
            Self::Expired => "expired",
            Self::Ended => "ended",
        }
    }
}

impl OperationsOverview {
    /// The current overview, with the metrics of that period.
    pub async fn load(store: &Store, period: SignedDuration) -> PortResult<Self> {
        let now = store.clock.now();
        let from = now.saturating_sub(period).unwrap_or(Timestamp::MIN);
        let to = now.saturating_add(SignedDuration::from_mins(1)).unwrap_or(Timestamp::MAX);
        Ok(Self {
            now,
            depth: store.run_reader.queue_depth().await?,
            minutes: store.metrics.between(from, to).await?,
            failures: store.run_reader.failures().await?,
            lanes: store.lanes.list().await?,
            workers: store.workers.list().await?,
        })
    }

    /// Completed runs by pipeline.
    pub fn completed(&self) -> BTreeMap<Pipeline, CompletedRuns> {
        let mut by_pipeline = BTreeMap::<Pipeline, CompletedRuns>::new();
        for minute in self.minutes.iter().filter(|minute| minute.completed > 0) {
            let completed = by_pipeline.entry(minute.pipeline).or_default();
            completed.runs += minute.completed;
            completed.duration_ms += minute.duration_ms;
        }
        by_pipeline
    }

    /// The status of a worker's lease.
    pub fn lease(&self, worker: &Worker) -> LeaseStatus {
        match worker.lease {
            None => LeaseStatus::Ended,
            Some(_) if !worker.is_live(self.now) => LeaseStatus::Expired,
            Some(Lease::Exclusive) => LeaseStatus::Exclusive,
            Some(Lease::Until(_)) => LeaseStatus::Live,
        }
    }
}

/// The overview of the last 24 hours, at most a few seconds old.
pub async fn overview(app: &App) -> Result<Arc<OperationsOverview>> {
    Ok(app.operations.overview(&app.store).await?)
}

/// Caches the overview, so that many readers cost one query every few seconds.
#[derive(Default)]
pub struct OperationsCache(Mutex<Option<(Instant, Arc<OperationsOverview>)>>);

impl OperationsCache {
    /// Drops what is cached, after a change that the person who made it wants to see.
    pub(crate) async fn forget(&self) {
        *self.0.lock().await = None;
    }

    /// The cached overview, or a new one.
    pub async fn overview(&self, store: &Store) -> PortResult<Arc<OperationsOverview>> {
        let mut last = self.0.lock().await;
        if let Some((at, overview)) = &*last
            && at.elapsed() < FRESH
        {
            return Ok(overview.clone());
        }
        let overview = Arc::new(OperationsOverview::load(store, DAY).await?);
        *last = Some((Instant::now(), overview.clone()));
        Ok(overview)
    }
}

#[cfg(test)]
mod tests {
    use quire_domain::{ClaimScope, WorkerId};
    use quire_sqlite::testing::store_fixture;

    use super::*;

    fn minute(completed: u64, duration_ms: u64) -> MinuteMetrics {
        MinuteMetrics {
            completed,
            duration_ms,
            ..MinuteMetrics::empty(Timestamp::UNIX_EPOCH, Pipeline::Document)
        }
    }

    fn overview(minutes: Vec<MinuteMetrics>) -> OperationsOverview {
        let now = Timestamp::from_second(100).unwrap();
        OperationsOverview {
            now,
            depth: Vec::new(),
            minutes,
            failures: Vec::new(),
            lanes: Vec::new(),
            workers: Vec::new(),
        }
    }

    /// Proves R161.
    #[test]
    fn the_mean_is_over_runs_and_not_over_minutes() {
        let seen = overview(vec![minute(9, 900), minute(1, 1_100), minute(0, 0)]);
        let completed = seen.completed()[&Pipeline::Document];
        assert_eq!((completed.runs, completed.mean_ms()), (10, Some(200)));
        assert_eq!(CompletedRuns::default().mean_ms(), None);
    }

    #[test]
    fn a_lease_expires_at_its_time() {
        let seen = overview(Vec::new());
        let until = |second| Some(Lease::Until(Timestamp::from_second(second).unwrap()));
        for (lease, expected) in [
            (None, LeaseStatus::Ended),
            (Some(Lease::Exclusive), LeaseStatus::Exclusive),
            (until(101), LeaseStatus::Live),
            (until(100), LeaseStatus::Expired),
        ] {
            let worker = Worker {
                id: WorkerId::new(),
                name: "a".to_owned(),
                slots: 1,
                started_at: seen.now,
                seen_at: seen.now,
                lease,
                program: None,
                scope: ClaimScope::default(),
            };
            assert_eq!(seen.lease(&worker), expected);
        }
    }

    #[tokio::test]
    async fn concurrent_readers_share_one_query() {
        let fixture = store_fixture().await;
        let cache = OperationsCache::default();
        let (first, second) = tokio::join!(cache.overview(&fixture.store), cache.overview(&fixture.store));
        assert!(Arc::ptr_eq(&first.unwrap(), &second.unwrap()));
    }
}
