//! `bench search`: the latency of searches among many chunks against the bare queries of the same store, how many of the nearest
//! vectors are found, what a local model costs, and how well both halves of a search order a made set of questions.

mod bare;
mod corpus;
mod latency;
mod made;
mod quality;
mod set;
mod vectors;

use std::path::PathBuf;
use std::time::Instant;

use self::corpus::Corpus;
use self::quality::Targets;
use self::set::RetrievalSet;
use crate::database::{self, CommitGrouping, DatabaseKind};
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
    /// Measures the order of results of this set alone, a folder in the layout of BEIR.
    #[arg(long)]
    set: Option<PathBuf>,
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub async fn bench(options: SearchBenchOptions) -> bool {
    let mut met = true;
    if let Some(folder) = &options.set {
        let set = set::RetrievalSet::open(folder);
        for kind in &options.store {
            // The whole must not be worse than a half.
            met &= order_of_results(*kind, &set, &Targets { model: 0.0, lexical: 0.0 }).await;
        }
        return met;
    }
    let corpus = Corpus::new(options.documents);
    let made = made::made();
    for kind in &options.store {
        let database = database::create(*kind, CommitGrouping::Default).await;
        let seconds = corpus.index(&database).await;
        let recall = vectors::recall(&database.store, &corpus, options.queries).await;
        let mut table = latency::measure(&database, &corpus, options.queries).await;
        table.measurements.push(recall);
        table.notes.push(format!(
            "{} documents of {} chunks, indexed at {:.0} documents a second by one client",
            corpus.documents.len(),
            corpus::CHUNKS,
            corpus.documents.len() as f64 / seconds,
        ));
        met &= report::print(&format!("Search on {}", kind.name()), &table);
        met &= order_of_results(*kind, &made, &Targets { model: 0.05, lexical: 0.0 }).await;
    }
    met
}

async fn order_of_results(kind: DatabaseKind, set: &RetrievalSet, targets: &Targets) -> bool {
    let table = quality::measure(kind, set, targets).await;
    report::print(&format!("Order of results of the set {} on {}", set.name, kind.name()), &table)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
