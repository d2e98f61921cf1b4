//! Measures whether a long queue slows the engine: drains the same number of runs from a short backlog, from a long one, and
//! from one with a subject at its head that has 100,000 waiting runs.

use super::drain::engine_rate;
use super::{QueueBenchOptions, baseline};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::report::{Measurement, Table, median};

const SHORT: usize = 10_000;
const LONG: usize = 1_000_000;
const ONE_SUBJECT: usize = 100_000;

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &QueueBenchOptions) -> Table {
    let drained = options.runs.min(SHORT) / 2;
    // The long backlog is created once. All pairs together drain only a small part of it.
    let long = database::create(kind, CommitGrouping::Default).await;
    baseline::enqueue_many(kind, &long, LONG).await;
    let one_subject = database::create(kind, CommitGrouping::Default).await;
    baseline::enqueue_one_subject(kind, &one_subject, ONE_SUBJECT).await;
    let (mut long_ratios, mut one_subject_ratios) = (Vec::new(), Vec::new());
    for pair in 0..options.pairs {
        let short = database::create(kind, CommitGrouping::Default).await;
        baseline::enqueue_many(kind, &short, SHORT).await;
        let base = engine_rate(&short.store, drained).await;
        let with_backlog = engine_rate(&long.store, drained).await;
        baseline::enqueue_many(kind, &one_subject, drained).await;
        let with_one_subject = engine_rate(&one_subject.store, drained).await;
        eprintln!(
            "pair {}: 10k {base:.0}/s, 1M {with_backlog:.0}/s, 100k on one subject {with_one_subject:.0}/s",
            pair + 1
        );
        long_ratios.push(base / with_backlog);
        one_subject_ratios.push(base / with_one_subject);
    }
    Table {
        measurements: vec![
            Measurement::at_most(
                "slowdown with 1M queued runs, relative to 10k",
                median(long_ratios),
                1.3,
                "×",
            ),
            Measurement::at_most(
                "slowdown with 100k runs of one subject at the head",
                median(one_subject_ratios),
                1.3,
                "×",
            ),
        ],
        notes: Vec::new(),
    }
}
