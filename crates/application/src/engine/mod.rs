//! The engine: claims runs, executes their steps and settles them, and saves what others left behind.
//!
//! ```text
//!   claim ──▶ execute ──▶ persist        a run, from the queue to its end
//!   heartbeat                            keeps the lease; without it, everything claimed is lost
//!   watch                                recovers orphans, times out the overdue, releases the delayed
//!   tally                                writes the figures of the minute
//! ```
//!
//! All safety is in the store: a run belongs to whoever holds its fence. The engine may be slow, stopped, cut off
//! or killed at any point without harm. It keeps ticking whatever the store answers.

mod claim;
mod execute;
mod heartbeat;
mod minute_metrics;
mod persist;
pub mod report;
mod settings;
mod slots;
mod watchdog;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quire_domain::{Pipeline, PipelinePlan, RunId, WorkerId};
use quire_ports::{Lease, PortResult, Probe, RecoveryRules, Store, Worker};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use settings::{EngineSettings, LeaseSettings, PipelineSetup};

use minute_metrics::Tally;
use slots::Slots;

/// How long a store that does not answer may hold up the end of a shutdown.
const LAST_WRITES: Duration = Duration::from_secs(10);
/// After so many heartbeats without success an engine counts as unheard.
const MISSED_BEATS: u32 = 3;

/// A running engine. Dropping it without [`Engine::stop`] is what a crash looks like to everyone else.
pub struct Engine {
    inner: Arc<Inner>,
    /// Where steps run: threads of their own, so that no step can hold up a lease or a request.
    work: Option<tokio::runtime::Runtime>,
    /// The loop that claims; it ends first.
    claiming: TaskTracker,
    /// The loops that must go on while runs are under way.
    tending: TaskTracker,
}

struct Inner {
    store: Store,
    settings: EngineSettings,
    pipelines: HashMap<Pipeline, PipelineSetup>,
    plans: Vec<PipelinePlan>,
    rules: RecoveryRules,
    probe: Arc<dyn Probe>,
    work: tokio::runtime::Handle,
    /// This engine's current life as a worker.
    lease: Mutex<Arc<WorkerLease>>,
    slots: Arc<Slots>,
    /// The runs that this engine knows to be its own.
    held: Mutex<HashSet<RunId>>,
    runs: TaskTracker,
    /// No more claims.
    stopping: CancellationToken,
    /// No more waiting for runs either.
    halted: CancellationToken,
    tally: Tally,
    /// When the store last took a sign of life.
    last_contact: Mutex<Instant>,
}

/// One registration as a worker, from its lease to the loss of it.
struct WorkerLease {
    worker: WorkerId,
    lost: CancellationToken,
}

impl Engine {
    /// Registers as a worker, recovers what is orphaned and starts working.
    pub async fn start(
        store: Store,
        settings: EngineSettings,
        pipelines: Vec<PipelineSetup>,
        probe: Arc<dyn Probe>,
    ) -> PortResult<Self> {
        let work = settings.work_runtime()?;
        let inner = Arc::new(Inner {
            rules: settings.rescue_rules(),
            plans: pipelines.iter().map(|setup| setup.plan.clone()).collect(),
            pipelines: pipelines.into_iter().map(|setup| (setup.plan.pipeline, setup)).collect(),
            work: work.handle().clone(),
            lease: Mutex::new(Arc::new(WorkerLease::new())),
            slots: Slots::new(settings.slots),
            held: Mutex::default(),
            runs: TaskTracker::new(),
            stopping: CancellationToken::new(),
            halted: CancellationToken::new(),
            tally: Tally::default(),
            last_contact: Mutex::new(Instant::now()),
            store,
            settings,
            probe,
        });
        let (claiming, tending) = (TaskTracker::new(), TaskTracker::new());
        let engine = Self { inner: inner.clone(), work: Some(work), claiming, tending };
        inner.register(&inner.lease()).await?;
        inner.recover_orphans().await?;
        engine.claiming.spawn(claim::keep_claiming(inner.clone()));
        engine.tending.spawn(heartbeat::keep_alive(inner.clone()));
        engine.tending.spawn(watchdog::keep_watching(inner.clone()));
        engine.tending.spawn(minute_metrics::keep_counting(inner));
        Ok(engine)
    }

    /// Stops: takes nothing new, hands back what has not begun, waits a bounded time for the rest, settles what is
    /// still not done as its pipeline's recovery says, and resigns.
    pub async fn stop(self) {
        let inner = self.inner.clone();
        inner.stopping.cancel();
        for tracker in [&self.claiming, &self.tending, &inner.runs] {
            tracker.close();
        }
        tokio::select! {
            () = self.all_ended() => {}
            () = inner.store.clock.sleep(inner.settings.shutdown_wait) => {
                tracing::warn!(running = inner.runs.len(), "runs are still under way at shutdown; settling them");
            }
        }
        inner.halted.cancel();
        let last_writes = async {
            self.all_ended().await;
            self.tending.wait().await;
            inner.resign().await;
        };
        if tokio::time::timeout(LAST_WRITES, last_writes).await.is_err() {
            tracing::warn!("the store does not answer; leaving what is not settled to recovery");
        }
    }

    async fn all_ended(&self) {
        // What the claiming loop had just taken becomes a run under way, so it is waited for first.
        self.claiming.wait().await;
        self.inner.runs.wait().await;
    }

    /// Whether the store has lately taken a sign of life. An engine without one can store nothing, whatever else
    /// still answers.
    pub fn is_connected(&self) -> bool {
        let last = *self.inner.last_contact.lock().unwrap_or_else(PoisonError::into_inner);
        last.elapsed() <= self.inner.settings.heartbeat * MISSED_BEATS
    }

    /// Runs being worked on now.
    pub fn running(&self) -> usize {
        self.inner.runs.len()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.inner.stopping.cancel();
        self.inner.halted.cancel();
        self.inner.lease().lost.cancel();
        if let Some(work) = self.work.take() {
            // A step that ignores its cancellation may still hold a thread; it is not waited for.
            work.shutdown_background();
        }
    }
}

impl Inner {
    fn lease(&self) -> Arc<WorkerLease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn register(&self, life: &WorkerLease) -> PortResult<()> {
        let now = self.store.clock.now();
        let worker = Worker {
            id: life.worker,
            name: self.settings.name.clone(),
            slots: self.settings.slots,
            started_at: now,
            seen_at: now,
            lease: Some(self.lease_from(now)),
        };
        self.store.workers.register(&worker).await?;
        self.note_contact();
        Ok(())
    }

    fn note_contact(&self) {
        *self.last_contact.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    async fn resign(&self) {
        if let Err(error) = self.store.workers.resign(self.lease().worker, self.store.clock.now()).await {
            tracing::warn!(%error, "the worker could not resign; its lease will run out");
        }
    }

    fn lease_from(&self, now: jiff::Timestamp) -> Lease {
        match self.settings.lease {
            LeaseSettings::Exclusive => Lease::Exclusive,
            LeaseSettings::Renewed { term } => {
                Lease::Until(now.saturating_add(term).unwrap_or(jiff::Timestamp::MAX))
            }
        }
    }
}

impl WorkerLease {
    fn new() -> Self {
        Self { worker: WorkerId::new(), lost: CancellationToken::new() }
    }
}
