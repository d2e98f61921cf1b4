//! The engine claims runs, executes their steps, ends them, and recovers the runs of workers that died.
//!
//! ```text
//!   claim ──▶ execute ──▶ persist        one run, from the queue to its end
//!   group                                the steps of a run that work side by side
//!   step_failure, due                    what follows a failed step; the end of a wait
//!   ownership                            the engine's own runs; stops the work on runs that were cancelled
//!   heartbeat                            renews the worker lease; without it, this worker's runs become orphaned
//!   watchdog                             every tick: recovery, timeouts, release of delayed runs
//!   recovery                             what a crash does to a run
//!   fronts                               once a minute: subjects whose runs all wait get a front again
//!   contact                              whether the store was silent; then leases are not judged
//!   readiness                            which pipelines can be worked on now
//!   lanes                                wakes runs that wait in lanes
//!   minute_metrics                       counts for charts
//!   settings, slots                      configuration; how many runs are worked on at once
//! ```
//!
//! The store guarantees safety: a write counts only if it carries the run's current fence. The engine may be slow,
//! stopped, disconnected or killed at any point without harm. It keeps ticking whatever the store answers. What may
//! become of a run is decided in `domain/run/transition.rs`.

mod claim;
mod contact;
mod due;
mod execute;
mod fronts;
mod group;
mod heartbeat;
mod lanes;
mod minute_metrics;
mod ownership;
mod persist;
mod readiness;
mod recovery;
mod settings;
mod slots;
mod step_failure;
mod watchdog;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quire_domain::{LaneName, Pipeline, PipelinePlan, WorkerId};
use quire_ports::{AwakeTime, Breakpoints, Lease, PortResult, RecoveryRules, Store, Worker};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use settings::{EngineSettings, LeaseSettings, PipelineSetup};

use crate::lanes::LanePermits;

use contact::StoreContact;
use due::DueTimes;
use minute_metrics::MinuteCounters;
use ownership::OwnedRuns;
use readiness::NotReady;
use slots::Slots;

/// How long the last writes of a shutdown may take.
const LAST_WRITES_TIMEOUT: Duration = Duration::from_secs(5);

/// A running engine. Dropping it without [`Engine::stop`] looks like a crash to other workers.
pub struct Engine {
    core: Arc<EngineCore>,
    /// The threads for steps. They are separate so that no step can delay a heartbeat or a request.
    step_threads: Option<tokio::runtime::Runtime>,
    /// The claim loop. It ends first in a shutdown.
    claiming: TaskTracker,
    /// The loops that must continue while runs are in progress.
    background: TaskTracker,
}

/// What the loops of an engine share.
struct EngineCore {
    store: Store,
    settings: EngineSettings,
    pipelines: HashMap<Pipeline, PipelineSetup>,
    plans: Vec<PipelinePlan>,
    recovery_rules: RecoveryRules,
    /// What tests do at named places of the loop. Nothing in a program that runs.
    breakpoints: Arc<dyn Breakpoints>,
    step_threads: tokio::runtime::Handle,
    /// The lease under which this engine claims runs now.
    lease: Mutex<Arc<WorkerLease>>,
    slots: Arc<Slots>,
    /// The runs that this engine knows it owns.
    owned_runs: OwnedRuns,
    runs: TaskTracker,
    /// Cancelled when the engine stops claiming.
    draining: CancellationToken,
    /// Cancelled when the engine no longer waits for runs.
    aborting: CancellationToken,
    minute_counters: MinuteCounters,
    not_ready: NotReady,
    /// When runs that this engine sent to wait are due.
    due: DueTimes,
    /// The permits for calls, which the steps share.
    lanes: Arc<LanePermits>,
    /// When the store answered.
    contact: StoreContact,
    /// The time that the limits of runs count.
    awake: Arc<AwakeTime>,
}

/// One registration as a worker, from the start of its lease to its loss.
struct WorkerLease {
    worker: WorkerId,
    /// Cancelled when another engine has ended the lease.
    lost: CancellationToken,
}

impl Engine {
    /// Registers as a worker, recovers orphaned runs and starts to claim.
    pub async fn start(
        store: Store,
        settings: EngineSettings,
        pipelines: Vec<PipelineSetup>,
        lanes: Arc<LanePermits>,
        breakpoints: Arc<dyn Breakpoints>,
    ) -> PortResult<Self> {
        let step_threads = settings.step_runtime()?;
        let core = Arc::new(EngineCore {
            recovery_rules: settings.recovery_rules(),
            plans: pipelines.iter().map(|setup| setup.plan.clone()).collect(),
            pipelines: pipelines.into_iter().map(|setup| (setup.plan.pipeline, setup)).collect(),
            step_threads: step_threads.handle().clone(),
            lease: Mutex::new(Arc::new(WorkerLease::new())),
            slots: Slots::new(settings.slots),
            owned_runs: OwnedRuns::default(),
            runs: TaskTracker::new(),
            draining: CancellationToken::new(),
            aborting: CancellationToken::new(),
            minute_counters: MinuteCounters::default(),
            not_ready: NotReady::default(),
            due: DueTimes::default(),
            lanes,
            contact: StoreContact::new(settings.lease, settings.heartbeat, store.clock.now()),
            awake: Arc::new(AwakeTime::start(store.clock.clone())),
            store,
            settings,
            breakpoints,
        });
        let (claiming, background) = (TaskTracker::new(), TaskTracker::new());
        let engine = Self { core: core.clone(), step_threads: Some(step_threads), claiming, background };
        core.register(&core.lease()).await?;
        core.store.lanes.register(&Pipeline::ALL.map(LaneName::pipeline)).await?;
        core.recover_orphaned_runs().await?;
        // A pipeline that is paused is not claimed from.
        core.watch_lanes().await?;
        engine.claiming.spawn(claim::keep_claiming(core.clone()));
        engine.background.spawn(heartbeat::keep_alive(core.clone()));
        engine.background.spawn(ownership::keep_checking(core.clone()));
        engine.background.spawn(watchdog::keep_watching(core.clone()));
        engine.background.spawn(due::keep_releasing(core.clone()));
        engine.background.spawn(lanes::keep_waking(core.clone()));
        engine.background.spawn(watchdog::observe_awake_time(core.clone()));
        engine.background.spawn(minute_metrics::keep_counting(core));
        Ok(engine)
    }

    /// Stops the engine. It claims nothing more, hands back runs that have not begun and waits up to
    /// `shutdown_wait` for the others. Then it hands back the runs that are still in progress and resigns as a worker.
    /// A run that is handed back counts no attempt and continues at its first unfinished step.
    pub async fn stop(self) {
        let core = self.core.clone();
        core.draining.cancel();
        for tracker in [&self.claiming, &self.background, &core.runs] {
            tracker.close();
        }
        tokio::select! {
            () = self.all_ended() => {}
            () = core.store.clock.sleep(core.settings.shutdown_wait) => {
                tracing::warn!(running = core.runs.len(), "shutdown: runs are still in progress, handing them back to the queue");
            }
        }
        core.aborting.cancel();
        let last_writes = async {
            self.all_ended().await;
            self.background.wait().await;
            core.resign().await;
        };
        if tokio::time::timeout(LAST_WRITES_TIMEOUT, last_writes).await.is_err() {
            tracing::warn!("shutdown: the store does not answer, leaving unfinished runs to recovery");
        }
    }

    async fn all_ended(&self) {
        // The claim loop may still start runs, so wait for it first.
        self.claiming.wait().await;
        self.core.runs.wait().await;
    }

    /// Whether the store has accepted a heartbeat lately. A disconnected engine can store nothing.
    pub fn is_connected(&self) -> bool {
        self.core.contact.is_connected()
    }

    /// How many runs this engine works on now.
    pub fn running(&self) -> usize {
        self.core.runs.len()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.core.draining.cancel();
        self.core.aborting.cancel();
        self.core.lease().lost.cancel();
        if let Some(threads) = self.step_threads.take() {
            // Does not wait for steps that ignore their cancellation.
            threads.shutdown_background();
        }
    }
}

impl EngineCore {
    fn lease(&self) -> Arc<WorkerLease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn register(&self, lease: &WorkerLease) -> PortResult<()> {
        let now = self.store.clock.now();
        let worker = Worker {
            id: lease.worker,
            name: self.settings.name.clone(),
            slots: self.settings.slots,
            started_at: now,
            seen_at: now,
            lease: Some(self.lease_from(now)),
            program: Some(self.store.migrations.newest_known()),
            scope: self.settings.scope.clone(),
        };
        self.store.workers.register(&worker).await?;
        self.contact.answered(self.store.clock.now());
        Ok(())
    }

    async fn resign(&self) {
        if let Err(error) = self.store.workers.resign(self.lease().worker, self.store.clock.now()).await {
            tracing::warn!(%error, "worker could not resign; its lease will expire");
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
