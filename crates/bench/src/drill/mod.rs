//! `drill`: kills, stops and restarts processes under load, takes their database, their storage and their disk space away,
//! gives them a document that ends its process, a model that keeps failing, a Redis or an object store that comes and goes, then
//! checks the stored history. Also stalls clients.

mod blobs;
mod cloud;
mod kills;
mod links;
mod outages;
mod poison;
mod postgres;
pub mod processes;
mod proposals;
mod silence;
mod sqlite;
mod stalled_clients;
mod suspension;
mod upgrade;
mod uploads;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use quire_domain::{EventId, EventType, FailureType, Pipeline, Run, RunId, RunStateName, StepName};
use quire_ports::{EventFilter, RunFilter, Store};
use quire_testkit::checker::{CheckReport, StoredHistory};

use crate::database::DatabaseKind;

/// A part of the drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Kills, stops and restarts of processes at random moments.
    Kills,
    /// A database that answers nobody for 8, 12, 20 and 60 s (PostgreSQL).
    Silence,
    /// A machine that is suspended for longer than the limit of its runs.
    Suspension,
    /// A document among fifty that ends the process that reads it.
    Poison,
    /// Kills of workers that review proposals with a model that fails a third of its calls (PostgreSQL).
    Proposals,
    /// Kills of servers that summarise links, and restarts of Redis (PostgreSQL).
    Links,
    /// Kills of workers and servers whose files are in Azurite, and restarts of Azurite and the database (PostgreSQL).
    Blobs,
    /// A new program takes over from an older one under the uploads and disturbances of `blobs` (PostgreSQL). `cargo xtask drill upgrade` builds the older one.
    Upgrade,
    /// The disk of the storage is unmounted while documents come in, and comes back.
    Storage,
    /// The disk with database and storage is full while documents come in, and has space again.
    Disk,
    /// Clients that stall.
    Clients,
}

/// The options of the drill.
#[derive(clap::Args, Clone, Debug)]
pub struct DrillOptions {
    /// Drill on this database only.
    #[arg(long)]
    store: Option<DatabaseKind>,
    /// Drill these failures only; may be repeated.
    #[arg(long)]
    only: Vec<Part>,
    /// A short form for the test suite: fewer kills, no restart of the PostgreSQL server, no silence.
    #[arg(long)]
    short: bool,
    /// How many documents the drills of blobs and upgrades upload [default: 2000, or 200 and 800 in the short form].
    #[arg(long)]
    uploads: Option<u64>,
    /// A thousand kills on SQLite. An interrupted drill continues where it was.
    #[arg(long, conflicts_with_all = ["short", "store", "only"])]
    long: bool,
    /// The folder in which the long drill keeps its state.
    #[arg(long, default_value = "target/long-drill")]
    state: PathBuf,
}

/// Runs the drills and prints the results. Returns whether all passed.
pub async fn drill(options: DrillOptions) -> bool {
    let mut not_run = Vec::new();
    let passed = if options.long {
        kills::long_drill(&options.state).await
    } else {
        rehearse(&options, &mut not_run).await
    };
    println!("\n{}", if passed { "The drill passed." } else { "THE DRILL FAILED." });
    for part in not_run {
        println!("NOT RUN: {part}");
    }
    passed
}

/// Adds to `not_run` what this machine does not allow, with the reason.
async fn rehearse(options: &DrillOptions, not_run: &mut Vec<String>) -> bool {
    let kinds =
        options.store.map_or_else(|| vec![DatabaseKind::Sqlite, DatabaseKind::Postgres], |kind| vec![kind]);
    let is_wanted = |part| options.only.is_empty() || options.only.contains(&part);
    let mut passed = true;
    for kind in kinds {
        if is_wanted(Part::Kills) {
            passed &= match kind {
                DatabaseKind::Sqlite => sqlite::drill(options.short).await,
                DatabaseKind::Postgres => postgres::drill(options.short).await,
            };
        }
        if is_wanted(Part::Silence) && kind == DatabaseKind::Postgres && !options.short {
            passed &= silence::drill().await;
        }
        if is_wanted(Part::Suspension) {
            passed &= suspension::drill(kind).await;
        }
        if is_wanted(Part::Poison) {
            passed &= poison::drill(kind).await;
        }
        if is_wanted(Part::Proposals) && kind == DatabaseKind::Postgres {
            passed &= proposals::drill(options.short).await;
        }
        if is_wanted(Part::Links) && kind == DatabaseKind::Postgres {
            passed &= links::drill(options.short).await;
        }
        if is_wanted(Part::Blobs) && kind == DatabaseKind::Postgres {
            let uploads = options.uploads.unwrap_or(if options.short { 200 } else { 2000 });
            passed &= blobs::drill(uploads, !options.short).await;
        }
        if options.only.contains(&Part::Upgrade) && kind == DatabaseKind::Postgres {
            let uploads = options.uploads.unwrap_or(if options.short { 800 } else { 2000 });
            passed &= upgrade::drill(uploads, !options.short).await;
        }
        if is_wanted(Part::Storage) {
            passed &= outages::storage::drill(kind, options.short).await;
        }
        if is_wanted(Part::Disk) {
            match outages::disk::drill(kind, options.short).await {
                Ok(outcome) => passed &= outcome,
                Err(reason) => not_run.push(format!("disk on {}: {reason}", kind.name())),
            }
        }
    }
    if is_wanted(Part::Clients) && options.store != Some(DatabaseKind::Postgres) {
        passed &= stalled_clients::drill(options.short).await;
    }
    passed
}

/// How often to check whether the queue is empty.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Waits until no run is queued or running. Returns false after the timeout.
async fn wait_until_drained(store: &Store, timeout: Duration) -> bool {
    let drained = async {
        loop {
            let mut open = 0;
            for state in [RunStateName::Queued, RunStateName::Running] {
                let filter = RunFilter { state: Some(state), limit: 1, ..RunFilter::default() };
                open += store.run_reader.runs(&filter).await.map_or(1, |runs| runs.len());
            }
            if open == 0 {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(timeout, drained).await.is_ok()
}

/// Waits until that many runs are RUNNING.
async fn wait_for_running(store: &Store, count: usize) {
    let filter = RunFilter { state: Some(RunStateName::Running), limit: 1000, ..RunFilter::default() };
    while store.run_reader.runs(&filter).await.map_or(0, |runs| runs.len()) < count {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// How many attempts at these steps a kill has interrupted.
async fn interrupted_steps(store: &Store, is_counted: impl Fn(StepName) -> bool) -> u64 {
    let (mut interrupted, mut seen) = (0, EventId(0));
    loop {
        let page = store.run_reader.events(seen, EventFilter::default(), 5000).await.unwrap();
        let Some(last) = page.last() else { return interrupted };
        seen = last.id;
        let events = page.iter().map(|recorded| &recorded.event);
        let killed = events.filter(|event| {
            event.event_type == EventType::StepFailed
                && event.step.is_some_and(&is_counted)
                && event.error_code() == Some(FailureType::ProcessTerminated.as_str())
        });
        interrupted += killed.count() as u64;
    }
}

/// Reads the stored history and checks it.
async fn check_history(store: &Store, accepted: Vec<RunId>) -> CheckReport {
    let plan = HashMap::from([(Pipeline::Document, vec![StepName::Extraction, StepName::Interpretation])]);
    let accepted_count = accepted.len();
    let checked = StoredHistory::load(store, accepted, plan).await.unwrap().check();
    print_report(&checked, accepted_count);
    checked
}

/// Prints what the check of a history found.
fn print_report(checked: &CheckReport, accepted_count: usize) {
    println!(
        "accepted {accepted_count}, stored {}, events {}, claims {}, requeued {}, late writes refused {}, states {:?}",
        checked.runs, checked.events, checked.claims, checked.requeued, checked.refused, checked.states
    );
    for violation in checked.violations.iter().take(20) {
        println!("VIOLATION: {violation}");
    }
    println!("violations: {}", checked.violations.len());
}

/// Every stored run.
async fn all_runs(store: &Store) -> Vec<Run> {
    StoredHistory::load(store, Vec::new(), HashMap::new()).await.unwrap().runs
}

/// Prints the first of these runs, which did not end as they should.
fn print_violations(runs: &[&Run]) {
    for run in runs.iter().take(20) {
        println!(
            "VIOLATION: run {} is {} after {} failed attempts",
            run.id,
            run.state.as_str(),
            run.failed_attempts
        );
    }
}

/// Whether every run completed at its first attempt. Prints those that did not.
async fn all_completed_at_once(store: &Store) -> bool {
    let runs = all_runs(store).await;
    let bad: Vec<_> =
        runs.iter().filter(|run| run.state.as_str() != "COMPLETED" || run.failed_attempts > 0).collect();
    print_violations(&bad);
    println!("runs that were not completed at their first attempt: {}", bad.len());
    bad.is_empty()
}
