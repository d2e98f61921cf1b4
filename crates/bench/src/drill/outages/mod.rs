//! Outages of the storage: its disk is unmounted, or full, while clients upload documents and runs read them. Nothing that
//! was acknowledged is lost, nothing that was refused is kept, and the work goes on by itself when the outage is over.

pub mod disk;
mod installation;
mod mounts;
mod small_database;
pub mod storage;
pub mod traffic;

use std::path::Path;
use std::time::Duration;

use quire_domain::{RunId, RunStateName};
use quire_ports::{RunFilter, Store};

use self::installation::Installation;
use self::traffic::Traffic;
use super::{check_history, wait_until_drained};

/// How long after an outage the work may take to go on.
const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until an upload that began after the outage is acknowledged, and a newer run than before has completed.
async fn wait_for_progress(traffic: &Traffic, store: &Store) {
    let (acknowledged, completed) = (traffic.acknowledged(), latest_completed(store).await);
    let progress = async {
        // Each client may have had an upload in the air when the outage ended.
        while traffic.acknowledged() <= acknowledged + traffic::UPLOADERS
            || latest_completed(store).await == completed
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    if tokio::time::timeout(PATIENCE, progress).await.is_err() {
        traffic.violation("the work did not go on after an outage".to_owned());
    }
}

async fn latest_completed(store: &Store) -> Option<RunId> {
    let filter = RunFilter { state: Some(RunStateName::Completed), limit: 1, ..RunFilter::default() };
    store.run_reader.runs(&filter).await.ok()?.first().map(|run| run.id)
}

/// Ends the uploads, waits for the runs, stops the processes, and checks everything. Returns whether nothing is wrong.
async fn conclude(installation: Installation, traffic: Traffic, outages: usize) -> bool {
    let log = traffic.finish().await;
    let store = installation.store.clone();
    let all_done = wait_until_drained(&store, Duration::from_mins(5)).await;
    let documents = installation.documents();
    let stopped_well = installation.stop();
    println!("outages {outages}, drained {all_done}, processes stopped well {stopped_well}");
    log.print();
    let found = log.check(&store, &documents).await;
    for violation in found.violations.iter().take(20) {
        println!("VIOLATION: {violation}");
    }
    let checked = check_history(&store, found.runs).await;
    println!("violations by uploads, documents and files: {}", found.violations.len());
    all_done && stopped_well && found.violations.is_empty() && checked.violations.is_empty()
}

/// How many entries a folder has.
fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}
