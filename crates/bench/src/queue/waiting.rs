//! Measures what a wait costs the other runs: a worker of two slots drains runs whose steps do nothing, but every fiftieth
//! attempt fails and is made again after a pause. One baseline is the same worker, told to hold its slot during the pause;
//! the other is the same worker when nothing fails, which is the most that waiting can reach.

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
const NEVER: usize = usize::MAX;

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &QueueBenchOptions) -> Table {
    // The baseline is slow. With fewer runs, the last pauses would take a large part of the time.
    let runs = options.runs / 4;
    let (mut to_holding, mut to_faultless) = (Vec::new(), Vec::new());
    let (mut holding_rates, mut waiting_rates, mut faultless_rates) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..options.pairs {
        let holding = rate_on_new_database(kind, runs, Duration::MAX, FAILS_EVERY).await;
        let waiting = rate_on_new_database(kind, runs, EngineSettings::SLOT_PAUSE, FAILS_EVERY).await;
        let faultless = rate_on_new_database(kind, runs, EngineSettings::SLOT_PAUSE, NEVER).await;
        eprintln!(
            "pair {}: holding {holding:.0}/s, waiting {waiting:.0}/s, nothing fails {faultless:.0}/s",
            pair + 1
        );
        to_holding.push(waiting / holding);
        to_faultless.push(waiting / faultless);
        holding_rates.push(holding);
        waiting_rates.push(waiting);
        faultless_rates.push(faultless);
    }
    let name = "two slots, one attempt in fifty fails: waiting in the queue, relative to holding the slot";
    let rates = format!(
        "holding {:.0} runs/s, waiting {:.0} runs/s, nothing fails {:.0} runs/s",
        median(holding_rates),
        median(waiting_rates),
        median(faultless_rates)
    );
    Table {
        measurements: vec![
            Measurement::at_least(name, median(to_holding), 5.0, "×"),
            Measurement::at_least(
                "the same, relative to runs of which none fails",
                median(to_faultless),
                0.7,
                "×",
            ),
        ],
        notes: vec![rates],
    }
}

async fn rate_on_new_database(
    kind: DatabaseKind,
    runs: usize,
    longest_slot_pause: Duration,
    fails_every: usize,
) -> f64 {
    let database = database::create(kind, CommitGrouping::Default).await;
    baseline::enqueue_many(kind, &database, runs).await;
    let settings = EngineSettings { longest_slot_pause, ..settings(SLOTS) };
    rate(&database.store, runs, settings, flaky_documents(fails_every)).await
}

async fn rate(store: &Store, runs: usize, settings: EngineSettings, pipelines: Vec<PipelineSetup>) -> f64 {
    let counter = RunCounter::of(runs);
    let start = Instant::now();
    let engine =
        Engine::start(store.clone(), settings, pipelines, lanes(store), counter.clone()).await.unwrap();
    counter.done().await;
    let rate = runs as f64 / start.elapsed().as_secs_f64();
    engine.stop().await;
    rate
}

/// The document pipeline with steps that do nothing, of whose attempts every so many fail.
fn flaky_documents(fails_every: usize) -> Vec<PipelineSetup> {
    let attempts = Arc::new(AtomicUsize::new(0));
    let work = steps::step(move |_| {
        let fails = attempts.fetch_add(1, Ordering::Relaxed) % fails_every == fails_every - 1;
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
