//! A database that answers nobody for some time while workers are in the middle of their runs. Nobody died, so every run
//! completes at its first attempt, whatever expired meanwhile.

use std::time::Duration;

use quire_domain::RunId;
use quire_testkit::SilentProxy;

use super::processes::{Environment, TestProcess};
use super::{all_completed_at_once, check_history, wait_until_drained};
use crate::{database, producer, rehearsal};

/// How long the database is silent. The lease is 15 s and its heartbeat 5 s, as by default.
const SILENCES: [u64; 4] = [8, 12, 20, 60];
const WORKERS: usize = 2;
const SLOTS: usize = 4;

pub async fn drill() -> bool {
    let mut passed = true;
    for seconds in SILENCES {
        passed &= silent_for(Duration::from_secs(seconds)).await;
    }
    passed
}

async fn silent_for(silence: Duration) -> bool {
    println!("\n## PostgreSQL: silent for {} s, with {WORKERS} workers at work", silence.as_secs());
    let database =
        database::create(database::DatabaseKind::Postgres, database::CommitGrouping::Default).await;
    let url = quire_postgres::testing::url();
    let proxy = SilentProxy::of_database(&url).await;
    let environment: Environment = vec![
        ("QUIRE_STORAGE_DATABASE", proxy.through(&url)),
        ("QUIRE_DATABASE_SCHEMA", database.schema.clone()),
        ("QUIRE_STORAGE_DATA", std::env::temp_dir().to_string_lossy().into_owned()),
        ("QUIRE_ENGINE_SLOTS", SLOTS.to_string()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
        (rehearsal::STEP_MS, "12000".to_owned()),
        (rehearsal::NO_FAILURES, "1".to_owned()),
    ];
    let workers: Vec<TestProcess> =
        (0..WORKERS).map(|_| TestProcess::quire(&["worker"], &environment)).collect();
    let mut accepted: Vec<RunId> = Vec::new();
    for _ in 0..3 * WORKERS * SLOTS {
        let new = producer::random_run(1_000_000);
        accepted.push(database.store.queue.enqueue(&new, database.store.clock.now()).await.unwrap().id);
    }
    // The runs are under way: all slots are taken.
    super::wait_for_running(&database.store, WORKERS * SLOTS).await;
    proxy.silence();
    tokio::time::sleep(silence).await;
    proxy.speak();
    let all_done = wait_until_drained(&database.store, Duration::from_mins(5)).await;
    let stopped_well = workers.into_iter().all(TestProcess::stop);
    println!("drained {all_done}, workers stopped well {stopped_well}");
    let checked = check_history(&database.store, accepted).await;
    let unharmed = all_completed_at_once(&database.store).await;
    all_done && stopped_well && unharmed && checked.violations.is_empty()
}
