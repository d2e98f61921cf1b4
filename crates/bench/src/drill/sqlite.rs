//! The SQLite drill: kills the server and the producer of runs at random moments, again and again.

use std::time::Duration;

use quire_sqlite::SqliteStore;
use rand::RngExt;

use super::processes::{Environment, TestProcess, run_quire, start_producer};
use super::{check_history, wait_until_drained};
use crate::rehearsal;

pub async fn drill(short: bool) -> bool {
    let kills = if short { 6 } else { 60 };
    println!("\n## SQLite: {kills} kills -9 under load");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let database = folder.path().join("quire.db");
    let environment = |recovery: &str| -> Environment {
        vec![
            ("QUIRE_STORAGE_DATA", data.to_owned()),
            ("QUIRE_ENGINE_SLOTS", "16".to_owned()),
            // Producers are other processes, so the server finds their runs only by its tick.
            ("QUIRE_ENGINE_TICK", "50ms".to_owned()),
            ("QUIRE_PIPELINES_DOCUMENT_RECOVERY", recovery.to_owned()),
            ("QUIRE_LOG_LEVEL", "error".to_owned()),
            (rehearsal::STEP_MS, "20".to_owned()),
        ]
    };
    run_quire(&["migrate", "up"], &environment("fail"));
    let mut accepted = Vec::new();
    for kill in 0..kills {
        let (producer, collector) =
            start_producer(&["--database", database.to_str().unwrap(), "--runs", "400", "--subjects", "40"]);
        // Both recovery policies are tested.
        let policy = if kill % 2 == 0 { "fail" } else { "requeue" };
        let server = TestProcess::quire(&["serve", "--listen", "127.0.0.1:0"], &environment(policy));
        let (before, between) = {
            let mut rng = rand::rng();
            (rng.random_range(0..400), rng.random_range(0..50))
        };
        tokio::time::sleep(Duration::from_millis(before)).await;
        server.kill();
        tokio::time::sleep(Duration::from_millis(between)).await;
        producer.kill();
        accepted.extend(collector.join().unwrap());
    }
    let server = TestProcess::quire(&["serve", "--listen", "127.0.0.1:0"], &environment("requeue"));
    let store = SqliteStore::open(&database, quire_sqlite::Options::default()).unwrap().into_store();
    let all_done = wait_until_drained(&store, Duration::from_mins(2)).await;
    let stopped_well = server.stop();
    println!("kills {kills}, drained {all_done}, the last server stopped well {stopped_well}");
    let checked = check_history(&store, accepted).await;
    all_done && stopped_well && checked.runs > 0 && checked.violations.is_empty()
}
