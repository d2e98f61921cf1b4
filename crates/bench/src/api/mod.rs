//! `bench api`: uploads, lists and liveness over HTTP.
//!
//! Each server is its own process; this process has the clients. Compared servers take turns in the same run.

pub mod baseline;
pub mod client;
mod lists;
mod liveness;
pub mod seeding;
pub mod server;
mod upload;

use crate::database::DatabaseKind;
use crate::report;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Debug)]
pub struct ApiBenchOptions {
    /// Measure on this database only.
    #[arg(long)]
    store: Option<DatabaseKind>,
    /// Measure this part only.
    #[arg(long)]
    part: Option<ApiBenchPart>,
    /// The number of interleaved rounds of uploads.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The number of uploads per round.
    #[arg(long, default_value_t = 1600)]
    uploads: usize,
    /// The number of requests for each list, and for details of documents, per server.
    #[arg(long, alias = "looks", default_value_t = 3000)]
    requests: usize,
    /// The number of documents in the large database.
    #[arg(long, default_value_t = 1_000_000)]
    documents: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ApiBenchPart {
    Upload,
    #[value(alias = "looking")]
    Lists,
    Live,
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub async fn bench(options: ApiBenchOptions) -> bool {
    let kinds =
        options.store.map_or_else(|| vec![DatabaseKind::Sqlite, DatabaseKind::Postgres], |kind| vec![kind]);
    let parts = [ApiBenchPart::Upload, ApiBenchPart::Lists, ApiBenchPart::Live];
    let mut met = true;
    for kind in kinds {
        for part in parts.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
            eprintln!("measuring {part:?} on {}", kind.name());
            let (title, table) = match part {
                ApiBenchPart::Upload => ("Upload", upload::measure(kind, &options).await),
                ApiBenchPart::Lists => ("Lists and details", lists::measure(kind, &options).await),
                ApiBenchPart::Live => ("Liveness under load", liveness::measure(kind, &options).await),
            };
            met &= report::print(&format!("{title}, {}", kind.name()), &table);
        }
    }
    met
}
