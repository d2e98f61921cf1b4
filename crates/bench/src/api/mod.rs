//! `bench api`: documents over HTTP, on a socket, as clients meet them.
//!
//! Every server is a process of its own; this one has the clients. What is compared is asked in turns in the same run.

pub mod bare;
pub mod client;
pub mod fill;
mod live;
mod looking;
pub mod server;
mod upload;

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
    /// Interleaved rounds of uploads.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Uploads in each round.
    #[arg(long, default_value_t = 1600)]
    uploads: usize,
    /// How often each list, or the details of documents, are asked for on either side.
    #[arg(long, default_value_t = 3000)]
    looks: usize,
    /// Documents in the large database.
    #[arg(long, default_value_t = 1_000_000)]
    documents: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Upload,
    Looking,
    Live,
}

/// Measures everything and prints the tables. Answers whether all that was wanted was reached.
pub async fn bench(options: Options) -> bool {
    let kinds = options.store.map_or_else(|| vec![Kind::Sqlite, Kind::Postgres], |kind| vec![kind]);
    let parts = [Part::Upload, Part::Looking, Part::Live];
    let mut met = true;
    for kind in kinds {
        for part in parts.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
            eprintln!("measuring {part:?} on {}", kind.name());
            let (title, table) = match part {
                Part::Upload => ("Upload", upload::measure(kind, &options).await),
                Part::Looking => ("Lists and details", looking::measure(kind, &options).await),
                Part::Live => ("Signs of life under load", live::measure(kind, &options).await),
            };
            met &= report::print(&format!("{title}, {}", kind.name()), &table);
        }
    }
    met
}
