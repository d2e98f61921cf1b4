//! Asks for runs and prints the id of each one that was accepted, so that whoever reads along knows what must never
//! be lost, even if this process is killed.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use quire_domain::{NewRun, Pipeline, Priority, RunId, SubjectId};
use quire_ports::Store;
use quire_sqlite::SqliteStore;
use rand::RngExt;
use uuid::Uuid;

/// What to ask for.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// The SQLite file.
    #[arg(long)]
    database: PathBuf,
    /// How many runs.
    #[arg(long, default_value_t = 1000)]
    runs: usize,
    /// On how many subjects.
    #[arg(long, default_value_t = 50)]
    subjects: u128,
}

/// Subject number so and so: the same in every process.
pub fn subject(number: u128) -> SubjectId {
    SubjectId(Uuid::from_u128(0x5ab_0000_0000_0000_0000_0000_0000_0000 + number))
}

/// A run on one of so many subjects.
pub fn any_run(subjects: u128) -> NewRun {
    let mut rng = rand::rng();
    NewRun {
        id: RunId::new(),
        pipeline: Pipeline::Document,
        subject: subject(rng.random_range(0..subjects)),
        priority: if rng.random_ratio(1, 10) { Priority::High } else { Priority::Normal },
        correlation_id: None,
    }
}

/// Asks and prints until done.
pub async fn feed(options: Options) {
    let store = SqliteStore::open(&options.database, quire_sqlite::Options::default()).unwrap().into_store();
    let store = Arc::new(store);
    let mut askers = Vec::new();
    for _ in 0..8 {
        askers.push(tokio::spawn(ask(store.clone(), options.runs / 8, options.subjects)));
    }
    for asker in askers {
        asker.await.unwrap();
    }
}

async fn ask(store: Arc<Store>, runs: usize, subjects: u128) {
    for _ in 0..runs {
        let new = any_run(subjects);
        if store.queue.enqueue(&new, store.clock.now()).await.is_ok() {
            // One write per line: a reader of a killed process sees whole lines only.
            let line = format!("{}\n", new.id);
            std::io::stdout().write_all(line.as_bytes()).unwrap();
        }
    }
}
