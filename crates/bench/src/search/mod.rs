//! `bench search`: the latency of searches among many chunks against the bare queries of the same store, how many of the nearest
//! vectors are found, how well both halves of a search order a made set of questions, and what indexing adds to the time of a document.

mod bare;
mod corpus;
mod latency;
mod made;
mod quality;
mod set;
mod share;
mod vectors;

use std::path::PathBuf;
use std::time::Instant;

use self::corpus::Corpus;
use self::quality::Targets;
use self::set::RetrievalSet;
use crate::database::{self, CommitGrouping, Database, DatabaseKind};
use crate::report;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Debug)]
pub struct SearchBenchOptions {
    /// The databases.
    #[arg(long, value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    store: Vec<DatabaseKind>,
    /// Documents with ten chunks each.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// Searches that are measured.
    #[arg(long, default_value_t = 200)]
    queries: usize,
    /// Measures latency alone, on PostgreSQL in this schema, which stays. It is filled unless it exists.
    #[arg(long)]
    schema: Option<String>,
    /// Measures latency alone, on SQLite in this file, which stays. It is filled unless it exists.
    #[arg(long)]
    file: Option<PathBuf>,
    /// Measures what indexing adds to the time of a document, and nothing else.
    #[arg(long)]
    share: bool,
    /// Measures the order of results of this set alone, a folder in the layout of BEIR.
    #[arg(long)]
    set: Option<PathBuf>,
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub async fn bench(options: SearchBenchOptions) -> bool {
    let mut met = true;
    if options.share {
        return report::print("The share of indexing", &share::measure().await);
    }
    if let Some(folder) = &options.set {
        let set = set::RetrievalSet::open(folder);
        for kind in &options.store {
            // The whole must not be worse than a half.
            met &= order_of_results(*kind, &set, &Targets { model: 0.0, lexical: 0.0 }).await;
        }
        return met;
    }
    let corpus = Corpus::new(options.documents);
    let kept = match (&options.schema, &options.file) {
        (Some(schema), _) => Some((DatabaseKind::Postgres, database::kept(schema).await)),
        (None, Some(file)) => Some((DatabaseKind::Sqlite, database::kept_file(file).await)),
        (None, None) => None,
    };
    if let Some((kind, (database, is_new))) = kept {
        if is_new {
            corpus.index(&database).await;
        }
        return latency(kind, &database, &corpus, options.queries).await;
    }
    let made = made::made();
    for kind in &options.store {
        let database = database::create(*kind, CommitGrouping::Default).await;
        corpus.index(&database).await;
        met &= latency(*kind, &database, &corpus, options.queries).await;
        met &= order_of_results(*kind, &made, &Targets { model: 0.05, lexical: 0.0 }).await;
    }
    met & report::print("The share of indexing", &share::measure().await)
}

async fn latency(kind: DatabaseKind, database: &Database, corpus: &Corpus, queries: usize) -> bool {
    let recall = vectors::recall(&database.store, corpus, queries).await;
    let mut table = latency::measure(database, corpus, queries).await;
    table.measurements.push(recall);
    table.notes.push(format!(
        "{} documents of {} chunks; one client indexes {:.0} more in a second",
        corpus.documents.len(),
        corpus::CHUNKS,
        corpus::indexing_rate(database).await,
    ));
    report::print(&format!("Search on {}", kind.name()), &table)
}

async fn order_of_results(kind: DatabaseKind, set: &RetrievalSet, targets: &Targets) -> bool {
    let table = quality::measure(kind, set, targets).await;
    report::print(&format!("Order of results of the set {} on {}", set.name, kind.name()), &table)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
