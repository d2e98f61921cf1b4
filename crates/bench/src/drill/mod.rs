//! `drill`: kill, stop and restart things at random under load, then let the checker read what is stored.

mod postgres;
pub mod processes;
mod sqlite;

use std::collections::HashMap;
use std::time::Duration;

use quire_domain::{Pipeline, RunId, StepName};
use quire_ports::{RunFilter, Store};
use quire_testkit::checker::{CheckReport, StoredHistory};

use crate::database::Kind;

/// What to drill.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Only on this database.
    #[arg(long)]
    store: Option<Kind>,
    /// A short form for the test suite: fewer kills, no restart of the PostgreSQL server.
    #[arg(long)]
    short: bool,
}

/// Drills, prints what was found, and answers whether all is well.
pub async fn drill(options: Options) -> bool {
    let kinds = options.store.map_or_else(|| vec![Kind::Sqlite, Kind::Postgres], |kind| vec![kind]);
    let mut sound = true;
    for kind in kinds {
        sound &= match kind {
            Kind::Sqlite => sqlite::drill(options.short).await,
            Kind::Postgres => postgres::drill(options.short).await,
        };
    }
    println!("\n{}", if sound { "The drill was survived." } else { "THE DRILL WAS NOT SURVIVED." });
    sound
}

/// How often to look whether the queue is empty.
const LOOK: Duration = Duration::from_millis(200);

/// Waits until nothing is queued or running. False if that does not happen in time.
async fn drained(store: &Store, patience: Duration) -> bool {
    let looking = async {
        loop {
            let mut open = 0;
            for state in ["QUEUED", "RUNNING"] {
                let filter = RunFilter { state: Some(state.to_owned()), limit: 1, ..RunFilter::default() };
                open += store.history.runs(&filter).await.map_or(1, |runs| runs.len());
            }
            if open == 0 {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(patience, looking).await.is_ok()
}

/// Reads everything that is stored and judges it.
async fn judge(store: &Store, accepted: Vec<RunId>) -> CheckReport {
    let plan = HashMap::from([(Pipeline::Document, vec![StepName::Extraction, StepName::Interpretation])]);
    let known = accepted.len();
    let checked = StoredHistory::load(store, accepted, plan).await.unwrap().check();
    println!(
        "accepted {known}, stored {}, events {}, attempts {}, requeued {}, late writes refused {}, states {:?}",
        checked.runs, checked.events, checked.attempts, checked.requeued, checked.refused, checked.states
    );
    for violation in checked.violations.iter().take(20) {
        println!("VIOLATION: {violation}");
    }
    println!("violations: {}", checked.violations.len());
    checked
}
