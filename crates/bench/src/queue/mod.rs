//! `bench queue`.

mod backlog;
mod bare;
mod drain;
mod enqueue;
mod idle;
mod latency;
mod postgres_bare;
mod sqlite_bare;

use quire_domain::RunId;
use quire_ports::Store;

use crate::database::Kind;
use crate::report;

/// What to measure.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Only on this database.
    #[arg(long)]
    store: Option<Kind>,
    /// Only this part.
    #[arg(long)]
    part: Option<Part>,
    /// Interleaved pairs of each measurement.
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// Runs drained in each measurement.
    #[arg(long, default_value_t = 10_000)]
    runs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Drain,
    Latency,
    Enqueue,
    Backlog,
    Idle,
}

/// Measures everything and prints the tables. Answers whether all that was wanted was reached.
pub async fn bench(options: Options) -> bool {
    let kinds = options.store.map_or_else(|| vec![Kind::Sqlite, Kind::Postgres], |kind| vec![kind]);
    let parts = [Part::Drain, Part::Latency, Part::Enqueue, Part::Backlog, Part::Idle];
    let mut met = true;
    for kind in kinds {
        for part in parts.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
            eprintln!("measuring {part:?} on {}", kind.name());
            let table = match part {
                Part::Drain => drain::measure(kind, &options).await,
                Part::Latency => latency::measure(kind).await,
                Part::Enqueue => enqueue::measure(kind, &options).await,
                Part::Backlog => backlog::measure(kind, &options).await,
                Part::Idle => idle::measure(kind).await,
            };
            met &= report::print(&format!("{part:?}, {}", kind.name()), &table);
        }
    }
    met
}

/// Returns when a run has ended.
async fn settled(store: &Store, run: RunId) {
    while !store.history.run(run).await.unwrap().state.is_terminal() {
        tokio::task::yield_now().await;
    }
}
