//! A machine that is suspended for longer than its leases and the limit of its runs. Every process of the machine stops, the
//! database seems silent, and all clocks of the processes jump when they go on (SIGSTOP and SIGCONT). A machine that really
//! sleeps also stops `CLOCK_MONOTONIC`; that is the easier half, because timers then do not fire at once.

use std::time::Duration;

use quire_testkit::SilentProxy;

use super::processes::{Environment, TestProcess};
use super::{all_completed_at_once, check_history, wait_for_running, wait_until_drained};
use crate::database::DatabaseKind;
use crate::{database, producer, rehearsal};

const SLOTS: usize = 4;
/// The steps take up to 4 s each, so the limit leaves no time for the suspension.
const RUN_LIMIT: &str = "15s";
const SUSPENDED: Duration = Duration::from_secs(25);

pub async fn drill(kind: DatabaseKind) -> bool {
    println!("\n## {}: the machine is suspended for {} s", kind.name(), SUSPENDED.as_secs());
    let database = database::create(kind, database::CommitGrouping::Default).await;
    let mut environment: Environment = vec![
        ("QUIRE_ENGINE_SLOTS", SLOTS.to_string()),
        ("QUIRE_ENGINE_TICK", "200ms".to_owned()),
        ("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT", RUN_LIMIT.to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
        (rehearsal::STEP_MS, "4000".to_owned()),
        (rehearsal::NO_FAILURES, "1".to_owned()),
    ];
    let folder = tempfile::tempdir().unwrap();
    environment.push(("QUIRE_STORAGE_DATA", folder.path().to_str().unwrap().to_owned()));
    let mut proxy = None;
    let (command, processes): (&[&str], usize) = match kind {
        DatabaseKind::Sqlite => {
            let path = database.path.to_str().unwrap();
            environment.push(("QUIRE_STORAGE_DATABASE", format!("sqlite:{path}")));
            (&["serve", "--listen", "127.0.0.1:0"], 1)
        }
        DatabaseKind::Postgres => {
            let url = quire_postgres::testing::url();
            let started = SilentProxy::of_database(&url).await;
            environment.push(("QUIRE_STORAGE_DATABASE", started.through(&url)));
            environment.push(("QUIRE_DATABASE_SCHEMA", database.schema.clone()));
            proxy = Some(started);
            (&["worker"], 2)
        }
    };
    let workers: Vec<_> = (0..processes).map(|_| TestProcess::quire(command, &environment)).collect();
    let mut accepted = Vec::new();
    for _ in 0..3 * processes * SLOTS {
        let new = producer::random_run(1_000_000);
        accepted.push(database.store.queue.enqueue(&new, database.store.clock.now()).await.unwrap().id);
    }
    wait_for_running(&database.store, processes * SLOTS).await;
    for worker in &workers {
        worker.signal("STOP");
    }
    if let Some(proxy) = &proxy {
        proxy.silence();
    }
    tokio::time::sleep(SUSPENDED).await;
    if let Some(proxy) = &proxy {
        proxy.speak();
    }
    for worker in &workers {
        worker.signal("CONT");
    }
    let all_done = wait_until_drained(&database.store, Duration::from_mins(3)).await;
    let stopped_well = workers.into_iter().all(TestProcess::stop);
    println!("drained {all_done}, processes stopped well {stopped_well}");
    let checked = check_history(&database.store, accepted).await;
    let unharmed = all_completed_at_once(&database.store).await;
    all_done && stopped_well && unharmed && checked.violations.is_empty()
}
