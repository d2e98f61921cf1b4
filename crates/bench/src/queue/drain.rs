//! Measures how fast one worker drains runs whose steps do nothing, relative to a baseline loop that writes the same rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings, PipelineSetup};
use quire_application::lanes::{LaneLimits, LanePermits};
use quire_domain::{
    Backoff, ClaimScope, Pipeline, PipelinePlan, RecoveryPolicy, RequeuePolicy, RetryPolicy, RunId, StepName,
};
use quire_ports::{Breakpoint, Breakpoints, PortError, Store};
use quire_testkit::steps;
use tokio::sync::Notify;

use super::{QueueBenchOptions, baseline};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::report::{Measurement, Table, median};

/// The document pipeline with steps that do nothing.
pub fn no_op_documents() -> Vec<PipelineSetup> {
    let plan = PipelinePlan {
        pipeline: Pipeline::Document,
        steps: vec![StepName::Extraction, StepName::Interpretation],
        limit: SignedDuration::from_secs(120),
    };
    let policy = RetryPolicy {
        backoff: Backoff { max_attempts: 2, base_ms: 500, max_ms: 5000, jitter_ratio: 0.2 },
        requeue: RequeuePolicy::Never,
        recovery: RecoveryPolicy::Fail,
        continuations: 0,
    };
    vec![PipelineSetup { steps: steps::for_every_step(&plan, &steps::no_op()), plan, policy }]
}

/// How many slots keep a store busy.
const MANY_SLOTS: u32 = 400;

/// A worker with that many slots.
pub fn settings(slots: u32) -> EngineSettings {
    EngineSettings {
        name: "bench:1".to_owned(),
        scope: ClaimScope::default(),
        slots,
        claim_limit: 100,
        longest_slot_pause: EngineSettings::SLOT_PAUSE,
        tick: Duration::from_secs(1),
        lease: LeaseSettings::Renewed { term: SignedDuration::from_secs(15) },
        heartbeat: Duration::from_secs(5),
        unowned_after: SignedDuration::from_hours(2),
        grace: SignedDuration::from_secs(5),
        shutdown_wait: Duration::from_secs(15),
        recovery: vec![(Pipeline::Document, RecoveryPolicy::Fail)],
    }
}

/// The permits of a worker whose steps need none.
pub fn lanes(store: &Store) -> Arc<LanePermits> {
    LanePermits::new(store, LaneLimits { per_process: 1, per_installation: None, ocr: 1 })
}

/// Counts ended runs and notifies when there are enough.
pub struct RunCounter {
    left: AtomicUsize,
    done: Notify,
}

impl RunCounter {
    /// Waits for this many runs.
    pub fn of(runs: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(runs), done: Notify::new() })
    }

    /// Waits until enough runs have ended.
    pub async fn done(&self) {
        self.done.notified().await;
    }
}

#[async_trait]
impl Breakpoints for RunCounter {
    async fn reached(&self, breakpoint: Breakpoint, _: Option<RunId>) -> Result<(), PortError> {
        if breakpoint == Breakpoint::AfterEnd && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.done.notify_one();
        }
        Ok(())
    }
}

/// The runs per second of an engine with enough slots to keep the store busy.
pub async fn engine_rate(store: &Store, runs: usize) -> f64 {
    rate(store, runs, settings(MANY_SLOTS)).await
}

/// The same with one run per claim. On a store without commit grouping, each transition has its own commit.
async fn one_by_one_rate(store: &Store, runs: usize) -> f64 {
    rate(store, runs, EngineSettings { claim_limit: 1, ..settings(MANY_SLOTS) }).await
}

async fn rate(store: &Store, runs: usize, settings: EngineSettings) -> f64 {
    let counter = RunCounter::of(runs);
    let start = Instant::now();
    let engine = Engine::start(store.clone(), settings, no_op_documents(), lanes(store), counter.clone())
        .await
        .unwrap();
    counter.done().await;
    let rate = runs as f64 / start.elapsed().as_secs_f64();
    engine.stop().await;
    rate
}

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &QueueBenchOptions) -> Table {
    let (mut baseline_ratios, mut single_ratios) = (Vec::new(), Vec::new());
    let (mut baseline_rates, mut engine_rates) = (Vec::new(), Vec::new());
    let mut storage = (String::new(), String::new());
    for pair in 0..options.pairs {
        let database = database::create(kind, CommitGrouping::Default).await;
        baseline::enqueue_many(kind, &database, options.runs).await;
        let baseline = baseline::drain(kind, &database, options.runs).await;
        storage.0 = baseline::storage_per_run(kind, &database, options.runs).await;

        let database = database::create(kind, CommitGrouping::Default).await;
        baseline::enqueue_many(kind, &database, options.runs).await;
        let engine = engine_rate(&database.store, options.runs).await;
        storage.1 = baseline::storage_per_run(kind, &database, options.runs).await;

        let few = options.runs / 10;
        let database = database::create(kind, CommitGrouping::None).await;
        baseline::enqueue_many(kind, &database, few).await;
        let single = one_by_one_rate(&database.store, few).await;
        eprintln!(
            "pair {}: baseline {baseline:.0}/s, engine {engine:.0}/s, one commit each {single:.0}/s",
            pair + 1
        );
        baseline_ratios.push(engine / baseline);
        single_ratios.push(engine / single);
        baseline_rates.push(baseline);
        engine_rates.push(engine);
    }
    let notes = vec![
        format!("baseline {:.0} runs/s, engine {:.0} runs/s", median(baseline_rates), median(engine_rates)),
        format!("baseline {}", storage.0),
        format!("engine {}", storage.1),
    ];
    let single = "engine, relative to one commit per transition";
    let lines = match kind {
        DatabaseKind::Sqlite => vec![
            Measurement::at_least("engine, relative to the baseline", median(baseline_ratios), 0.7, "×"),
            Measurement::at_least(single, median(single_ratios), 6.0, "×"),
        ],
        DatabaseKind::Postgres => vec![
            Measurement::at_least("engine, relative to the baseline", median(baseline_ratios), 0.8, "×"),
            Measurement::at_least(single, median(single_ratios), 1.0, "×"),
        ],
    };
    Table { measurements: lines, notes }
}
