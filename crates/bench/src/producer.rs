//! Enqueues runs and prints the id of each accepted one. The reader of the output then knows which runs must never be lost,
//! even if this process is killed.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use quire_domain::{NewRun, Pipeline, Priority, RunId, SubjectId};
use quire_ports::Store;
use quire_sqlite::SqliteStore;
use rand::RngExt;
use uuid::Uuid;

/// The options of the `produce` command.
#[derive(clap::Args, Clone, Debug)]
pub struct ProducerOptions {
    /// The SQLite file.
    #[arg(long)]
    database: PathBuf,
    /// The number of runs.
    #[arg(long, default_value_t = 1000)]
    runs: usize,
    /// The number of subjects.
    #[arg(long, default_value_t = 50)]
    subjects: u128,
}

/// The subject with this number. Every process gets the same one.
pub fn subject(number: u128) -> SubjectId {
    SubjectId(Uuid::from_u128(0x5ab_0000_0000_0000_0000_0000_0000_0000 + number))
}

/// A run on a random subject, with a random priority.
pub fn random_run(subjects: u128) -> NewRun {
    let mut rng = rand::rng();
    NewRun {
        id: RunId::new(),
        pipeline: Pipeline::Document,
        subject: subject(rng.random_range(0..subjects)),
        priority: if rng.random_ratio(1, 10) { Priority::High } else { Priority::Normal },
        correlation_id: None,
        requested_by: None,
        extractor: None,
        continues: None,
    }
}

/// Enqueues all runs, from eight tasks in parallel.
pub async fn produce(options: ProducerOptions) {
    let store =
        SqliteStore::open(&options.database, quire_sqlite::SqliteOptions::default()).unwrap().into_store();
    let store = Arc::new(store);
    let mut producers = Vec::new();
    for _ in 0..8 {
        producers.push(tokio::spawn(enqueue_runs(store.clone(), options.runs / 8, options.subjects)));
    }
    for producer in producers {
        producer.await.unwrap();
    }
}

async fn enqueue_runs(store: Arc<Store>, runs: usize, subjects: u128) {
    for _ in 0..runs {
        let new = random_run(subjects);
        if store.queue.enqueue(&new, store.clock.now()).await.is_ok() {
            // One write per line, so that the output of a killed process has whole lines only.
            let line = format!("{}\n", new.id);
            std::io::stdout().write_all(line.as_bytes()).unwrap();
        }
    }
}
