//! How fast one worker empties a queue of runs whose steps do nothing, against a bare loop that writes the same
//! rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings, PipelineSetup};
use quire_domain::{
    Backoff, Pipeline, PipelinePlan, RecoveryPolicy, RequeuePolicy, RetryPolicy, RunId, StepName,
};
use quire_ports::{Breakpoint, PortError, Probe, Store};
use quire_testkit::steps;
use tokio::sync::Notify;

use super::{Options, bare};
use crate::database::{self, Grouping, Kind};
use crate::report::{Line, Table, median};

/// The document pipeline with steps that do nothing.
pub fn no_op_documents() -> Vec<PipelineSetup> {
    let plan = PipelinePlan {
        pipeline: Pipeline::Document,
        steps: vec![StepName::Extraction, StepName::Interpretation],
        limit: SignedDuration::from_secs(120),
    };
    let policy = RetryPolicy {
        backoff: Backoff { attempts: 2, base_ms: 500, max_ms: 5000, jitter_ratio: 0.2 },
        requeue: RequeuePolicy::Never,
        recovery: RecoveryPolicy::Fail,
    };
    vec![PipelineSetup { steps: steps::for_every_step(&plan, &steps::no_op()), plan, policy }]
}

/// How many slots keep a store busy.
const MANY_SLOTS: u32 = 400;

/// A worker with that many slots.
pub fn settings(slots: u32) -> EngineSettings {
    EngineSettings {
        name: "bench:1".to_owned(),
        slots,
        claim_limit: 100,
        tick: Duration::from_secs(1),
        lease: LeaseSettings::Renewed { term: SignedDuration::from_secs(15) },
        heartbeat: Duration::from_secs(5),
        ownerless_after: SignedDuration::from_hours(2),
        grace: SignedDuration::from_secs(5),
        shutdown_wait: Duration::from_secs(15),
        recovery: vec![(Pipeline::Document, RecoveryPolicy::Fail)],
    }
}

/// Counts what is settled, and says when it is enough.
pub struct Counter {
    left: AtomicUsize,
    done: Notify,
}

impl Counter {
    /// Enough is `runs`.
    pub fn of(runs: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(runs), done: Notify::new() })
    }

    /// Returns when enough runs were settled.
    pub async fn done(&self) {
        self.done.notified().await;
    }
}

#[async_trait]
impl Probe for Counter {
    async fn reached(&self, place: Breakpoint, _: Option<RunId>) -> Result<(), PortError> {
        if place == Breakpoint::AfterEnd && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.done.notify_one();
        }
        Ok(())
    }
}

/// Runs settled per second by an engine with enough slots to keep the store busy.
pub async fn engine_rate(store: &Store, runs: usize) -> f64 {
    rate(store, runs, settings(MANY_SLOTS)).await
}

/// The same, taking one run at a time. On a store that groups nothing, each transition has its own commit.
async fn one_by_one_rate(store: &Store, runs: usize) -> f64 {
    rate(store, runs, EngineSettings { claim_limit: 1, ..settings(MANY_SLOTS) }).await
}

async fn rate(store: &Store, runs: usize, settings: EngineSettings) -> f64 {
    let counter = Counter::of(runs);
    let start = Instant::now();
    let engine = Engine::start(store.clone(), settings, no_op_documents(), counter.clone()).await.unwrap();
    counter.done().await;
    let rate = runs as f64 / start.elapsed().as_secs_f64();
    engine.stop().await;
    rate
}

/// The table for one database.
pub async fn measure(kind: Kind, options: &Options) -> Table {
    let (mut to_bare, mut to_single) = (Vec::new(), Vec::new());
    let (mut bare_rates, mut engine_rates) = (Vec::new(), Vec::new());
    let mut weights = (String::new(), String::new());
    for pair in 0..options.pairs {
        let database = database::fresh(kind, Grouping::Usual).await;
        bare::fill(kind, &database, options.runs).await;
        let bare = bare::drain(kind, &database, options.runs).await;
        weights.0 = bare::weight(kind, &database, options.runs).await;

        let database = database::fresh(kind, Grouping::Usual).await;
        bare::fill(kind, &database, options.runs).await;
        let engine = engine_rate(&database.store, options.runs).await;
        weights.1 = bare::weight(kind, &database, options.runs).await;

        let few = options.runs / 10;
        let database = database::fresh(kind, Grouping::None).await;
        bare::fill(kind, &database, few).await;
        let single = one_by_one_rate(&database.store, few).await;
        eprintln!("pair {}: bare {bare:.0}/s, engine {engine:.0}/s, one commit each {single:.0}/s", pair + 1);
        to_bare.push(engine / bare);
        to_single.push(engine / single);
        bare_rates.push(bare);
        engine_rates.push(engine);
    }
    let notes = vec![
        format!("bare loop {:.0} runs/s, engine {:.0} runs/s", median(bare_rates), median(engine_rates)),
        format!("bare {}", weights.0),
        format!("engine {}", weights.1),
    ];
    let single = "engine to itself with one commit per transition";
    let lines = match kind {
        Kind::Sqlite => vec![
            Line::at_least("engine to bare loop", median(to_bare), 0.7, "×"),
            Line::at_least(single, median(to_single), 6.0, "×"),
        ],
        Kind::Postgres => vec![
            Line::at_least("engine to bare loop", median(to_bare), 0.8, "×"),
            Line::at_least(single, median(to_single), 1.0, "×"),
        ],
    };
    Table { lines, notes }
}
