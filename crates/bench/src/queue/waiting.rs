//! Measures what a wait costs the other runs: a worker of two slots drains runs whose steps do nothing, but every fiftieth
//! attempt fails and is made again after a pause. The baseline is the same worker, told to hold its slot during the pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quire_application::engine::{Engine, EngineSettings, PipelineSetup};
use quire_domain::Failure;
use quire_ports::{StepOutput, Store};
use quire_testkit::steps;

use super::drain::{RunCounter, lanes, no_op_documents, settings};
use super::{QueueBenchOptions, baseline};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::report::{Measurement, Table, median};

const SLOTS: u32 = 2;
const FAILS_EVERY: usize = 50;

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &QueueBenchOptions) -> Table {
    // The baseline is slow, and a tenth of the runs still shows many pauses.
    let runs = options.runs / 10;
    let (mut ratios, mut holding_rates, mut waiting_rates) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..options.pairs {
        let holding = rate_on_new_database(kind, runs, Duration::MAX).await;
        let waiting = rate_on_new_database(kind, runs, EngineSettings::SLOT_PAUSE).await;
        eprintln!("pair {}: holding {holding:.0}/s, waiting {waiting:.0}/s", pair + 1);
        ratios.push(waiting / holding);
        holding_rates.push(holding);
        waiting_rates.push(waiting);
    }
    let name = "two slots, one attempt in fifty fails: waiting in the queue, relative to holding the slot";
    let rates =
        format!("holding {:.0} runs/s, waiting {:.0} runs/s", median(holding_rates), median(waiting_rates));
    Table { measurements: vec![Measurement::at_least(name, median(ratios), 5.0, "×")], notes: vec![rates] }
}

async fn rate_on_new_database(kind: DatabaseKind, runs: usize, longest_slot_pause: Duration) -> f64 {
    let database = database::create(kind, CommitGrouping::Default).await;
    baseline::enqueue_many(kind, &database, runs).await;
    rate(&database.store, runs, EngineSettings { longest_slot_pause, ..settings(SLOTS) }).await
}

async fn rate(store: &Store, runs: usize, settings: EngineSettings) -> f64 {
    let counter = RunCounter::of(runs);
    let start = Instant::now();
    let engine = Engine::start(store.clone(), settings, flaky_documents(), lanes(store), counter.clone())
        .await
        .unwrap();
    counter.done().await;
    let rate = runs as f64 / start.elapsed().as_secs_f64();
    engine.stop().await;
    rate
}

/// The document pipeline with steps that do nothing and fail every fiftieth time.
fn flaky_documents() -> Vec<PipelineSetup> {
    let attempts = Arc::new(AtomicUsize::new(0));
    let work = steps::step(move |_| {
        let fails = attempts.fetch_add(1, Ordering::Relaxed) % FAILS_EVERY == FAILS_EVERY - 1;
        async move {
            if fails { Err(Failure::transient("FLAKY", "try again")) } else { Ok(StepOutput::default()) }
        }
    });
    let mut pipelines = no_op_documents();
    for setup in &mut pipelines {
        setup.steps = steps::for_every_step(&setup.plan, &work);
    }
    pipelines
}
