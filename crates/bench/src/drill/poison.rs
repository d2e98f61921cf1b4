//! A document among fifty that ends every process that reads it. A supervisor starts the process again. The document fails
//! alone, and all others complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use quire_domain::{NewRun, RunId};

use super::processes::{Environment, TestProcess};
use super::{all_runs, check_history, print_violations, wait_until_drained};
use crate::database::DatabaseKind;
use crate::{database, producer, rehearsal};

const DOCUMENTS: u128 = 50;
const POISON: u128 = 17;

pub async fn drill(kind: DatabaseKind) -> bool {
    println!("\n## {}: a document among {DOCUMENTS} that ends its process", kind.name());
    let database = database::create(kind, database::CommitGrouping::Default).await;
    let folder = tempfile::tempdir().unwrap();
    let mut environment: Environment = vec![
        ("QUIRE_STORAGE_DATA", folder.path().to_str().unwrap().to_owned()),
        ("QUIRE_ENGINE_SLOTS", "8".to_owned()),
        ("QUIRE_ENGINE_TICK", "200ms".to_owned()),
        ("QUIRE_ENGINE_LEASE", "3s".to_owned()),
        ("QUIRE_ENGINE_HEARTBEAT", "1s".to_owned()),
        ("QUIRE_PIPELINES_DOCUMENT_RECOVERY", "requeue".to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
        (rehearsal::STEP_MS, "300".to_owned()),
        (rehearsal::NO_FAILURES, "1".to_owned()),
        (rehearsal::POISON_SUBJECT, producer::subject(POISON).to_string()),
    ];
    let command: &'static [&'static str] = match kind {
        DatabaseKind::Sqlite => {
            environment
                .push(("QUIRE_STORAGE_DATABASE", format!("sqlite:{}", database.path.to_str().unwrap())));
            &["serve", "--listen", "127.0.0.1:0"]
        }
        DatabaseKind::Postgres => {
            environment.push(("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()));
            environment.push(("QUIRE_DATABASE_SCHEMA", database.schema.clone()));
            &["worker"]
        }
    };
    let mut accepted = Vec::new();
    let mut poison = None;
    for document in 0..DOCUMENTS {
        let new = NewRun { subject: producer::subject(document), ..producer::random_run(1) };
        let run = database.store.queue.enqueue(&new, database.store.clock.now()).await.unwrap();
        accepted.push(run.id);
        if document == POISON {
            poison = Some(run.id);
        }
    }
    let supervisors = if kind == DatabaseKind::Sqlite { 1 } else { 2 };
    let (stop, deaths) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let supervising: Vec<_> = (0..supervisors)
        .map(|_| {
            let (stop, deaths, environment) = (stop.clone(), deaths.clone(), environment.clone());
            std::thread::spawn(move || supervise(command, &environment, &stop, &deaths))
        })
        .collect();
    let all_done = wait_until_drained(&database.store, Duration::from_mins(5)).await;
    stop.store(true, Ordering::SeqCst);
    let stopped_well = supervising.into_iter().all(|supervisor| supervisor.join().unwrap());
    let deaths = deaths.load(Ordering::SeqCst);
    println!("deaths {deaths}, drained {all_done}, the last processes stopped well {stopped_well}");
    let checked = check_history(&database.store, accepted).await;
    let only_it_failed = only_failed(&database.store, poison.unwrap()).await;
    all_done && stopped_well && only_it_failed && deaths > 0 && checked.violations.is_empty()
}

/// Starts the process again whenever it dies, until it is told to stop. Returns whether the last one stopped well.
fn supervise(command: &[&str], environment: &Environment, stop: &AtomicBool, deaths: &AtomicUsize) -> bool {
    loop {
        let mut process = TestProcess::quire(command, environment);
        loop {
            if stop.load(Ordering::SeqCst) {
                return process.stop();
            }
            if process.has_ended() {
                deaths.fetch_add(1, Ordering::SeqCst);
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Whether that run failed because its process died, and every other run completed.
async fn only_failed(store: &quire_ports::Store, poison: RunId) -> bool {
    let runs = all_runs(store).await;
    let as_expected = |id: RunId, state: &str| state == if id == poison { "FAILED" } else { "COMPLETED" };
    let bad: Vec<_> = runs.iter().filter(|run| !as_expected(run.id, run.state.as_str())).collect();
    print_violations(&bad);
    let harmed = runs.iter().filter(|run| run.id != poison && run.failed_attempts > 0).count();
    println!(
        "runs that lost an attempt to their neighbour and completed: {harmed}; others that ended otherwise: {}",
        bad.len()
    );
    bad.is_empty()
}
