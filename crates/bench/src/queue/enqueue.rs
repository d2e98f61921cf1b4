//! Measures sixteen concurrent producers that enqueue one run after the other, relative to sixteen connections that insert
//! the same rows.

use std::time::Instant;

use super::{QueueBenchOptions, baseline};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::producer;
use crate::report::{Measurement, Table, median};

const PRODUCERS: usize = 16;

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind, options: &QueueBenchOptions) -> Table {
    let each = options.runs / PRODUCERS / 4;
    let mut ratios = Vec::new();
    for pair in 0..options.pairs {
        let database = database::create(kind, CommitGrouping::Default).await;
        let baseline = baseline::insert_concurrently(kind, &database, PRODUCERS, each).await;

        let database = database::create(kind, CommitGrouping::Default).await;
        let start = Instant::now();
        let tasks: Vec<_> = (0..PRODUCERS)
            .map(|_| {
                let store = database.store.clone();
                tokio::spawn(async move {
                    for _ in 0..each {
                        let new = producer::random_run(u128::MAX >> 16);
                        store.queue.enqueue(&new, store.clock.now()).await.unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let quire = (PRODUCERS * each) as f64 / start.elapsed().as_secs_f64();
        eprintln!("pair {}: baseline {baseline:.0}/s, Quire {quire:.0}/s", pair + 1);
        ratios.push(quire / baseline);
    }
    Table {
        measurements: vec![Measurement::at_least(
            format!("{PRODUCERS} producers, relative to {PRODUCERS} baseline connections"),
            median(ratios),
            0.8,
            "×",
        )],
        notes: Vec::new(),
    }
}
