//! `bench queue`: the drain rate, the latency, concurrent enqueuing, long backlogs, waits and the idle cost
//! of the queue.

mod backlog;
mod baseline;
mod drain;
mod enqueue;
mod idle;
mod latency;
mod postgres_baseline;
mod sqlite_baseline;
mod waiting;

use quire_domain::RunId;
use quire_ports::Store;

use crate::database::DatabaseKind;
use crate::report;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Debug)]
pub struct QueueBenchOptions {
    /// Measure on this database only.
    #[arg(long)]
    store: Option<DatabaseKind>,
    /// Measure this part only.
    #[arg(long)]
    part: Option<QueueBenchPart>,
    /// The number of interleaved pairs per measurement.
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// The number of runs per measurement.
    #[arg(long, default_value_t = 10_000)]
    runs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum QueueBenchPart {
    Drain,
    Latency,
    Enqueue,
    Backlog,
    Waiting,
    Idle,
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub async fn bench(options: QueueBenchOptions) -> bool {
    let kinds =
        options.store.map_or_else(|| vec![DatabaseKind::Sqlite, DatabaseKind::Postgres], |kind| vec![kind]);
    let parts = [
        QueueBenchPart::Drain,
        QueueBenchPart::Latency,
        QueueBenchPart::Enqueue,
        QueueBenchPart::Backlog,
        QueueBenchPart::Waiting,
        QueueBenchPart::Idle,
    ];
    let mut met = true;
    for kind in kinds {
        for part in parts.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
            eprintln!("measuring {part:?} on {}", kind.name());
            let table = match part {
                QueueBenchPart::Drain => drain::measure(kind, &options).await,
                QueueBenchPart::Latency => latency::measure(kind).await,
                QueueBenchPart::Enqueue => enqueue::measure(kind, &options).await,
                QueueBenchPart::Backlog => backlog::measure(kind, &options).await,
                QueueBenchPart::Waiting => waiting::measure(kind, &options).await,
                QueueBenchPart::Idle => idle::measure(kind).await,
            };
            met &= report::print(&format!("{part:?}, {}", kind.name()), &table);
        }
    }
    met
}

/// Waits until a run has ended.
async fn wait_until_ended(store: &Store, run: RunId) {
    while !store.run_reader.run(run).await.unwrap().state.is_terminal() {
        tokio::task::yield_now().await;
    }
}
