//! `drill`: kills, stops and restarts processes at random under load, then checks the stored history. Also stalls clients.

mod postgres;
pub mod processes;
mod sqlite;
mod stalled_clients;

use std::collections::HashMap;
use std::time::Duration;

use quire_domain::{Pipeline, RunId, StepName};
use quire_ports::{RunFilter, Store};
use quire_testkit::checker::{CheckReport, StoredHistory};

use crate::database::DatabaseKind;

/// The options of the drill.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Drill on this database only.
    #[arg(long)]
    store: Option<DatabaseKind>,
    /// Drill these failures only.
    #[arg(long)]
    only: Option<Part>,
    /// A short form for the test suite: fewer kills, no restart of the PostgreSQL server.
    #[arg(long)]
    short: bool,
}

/// A part of the drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Kills and stops of processes.
    Kills,
    /// Clients that stall.
    Clients,
}

/// Runs the drills and prints the results. Returns whether all passed.
pub async fn drill(options: Options) -> bool {
    let kinds =
        options.store.map_or_else(|| vec![DatabaseKind::Sqlite, DatabaseKind::Postgres], |kind| vec![kind]);
    let mut passed = true;
    let runs = |part| options.only.is_none_or(|only| only == part);
    for kind in kinds.into_iter().filter(|_| runs(Part::Kills)) {
        passed &= match kind {
            DatabaseKind::Sqlite => sqlite::drill(options.short).await,
            DatabaseKind::Postgres => postgres::drill(options.short).await,
        };
    }
    if runs(Part::Clients) && options.store != Some(DatabaseKind::Postgres) {
        passed &= stalled_clients::drill(options.short).await;
    }
    println!("\n{}", if passed { "The drill passed." } else { "THE DRILL FAILED." });
    passed
}

/// How often to check whether the queue is empty.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Waits until no run is queued or running. Returns false after the timeout.
async fn wait_until_drained(store: &Store, timeout: Duration) -> bool {
    let drained = async {
        loop {
            let mut open = 0;
            for state in ["QUEUED", "RUNNING"] {
                let filter = RunFilter { state: Some(state.to_owned()), limit: 1, ..RunFilter::default() };
                open += store.history.runs(&filter).await.map_or(1, |runs| runs.len());
            }
            if open == 0 {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(timeout, drained).await.is_ok()
}

/// Reads the stored history and checks it.
async fn check_history(store: &Store, accepted: Vec<RunId>) -> CheckReport {
    let plan = HashMap::from([(Pipeline::Document, vec![StepName::Extraction, StepName::Interpretation])]);
    let accepted_count = accepted.len();
    let checked = StoredHistory::load(store, accepted, plan).await.unwrap().check();
    println!(
        "accepted {accepted_count}, stored {}, events {}, attempts {}, requeued {}, late writes refused {}, states {:?}",
        checked.runs, checked.events, checked.attempts, checked.requeued, checked.refused, checked.states
    );
    for violation in checked.violations.iter().take(20) {
        println!("VIOLATION: {violation}");
    }
    println!("violations: {}", checked.violations.len());
    checked
}
