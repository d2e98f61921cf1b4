//! PostgreSQL: four workers, of which some are killed and some stopped for longer than their lease, while the server
//! itself is restarted under them.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quire_domain::RunId;
use quire_ports::Store;
use rand::RngExt;

use super::processes::{Environment, Victim, quire};
use super::{drained, judge};
use crate::{database, feed, rehearsal};

const WORKERS: usize = 4;
const LEASE: Duration = Duration::from_secs(3);

pub async fn drill(short: bool) -> bool {
    let (runs, subjects) = if short { (400, 60) } else { (5000, 300) };
    println!("\n## PostgreSQL: {WORKERS} workers, {runs} runs on {subjects} subjects");
    let database = database::fresh(database::Kind::Postgres, 100).await;
    let environment: Environment = vec![
        ("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()),
        ("QUIRE_DATABASE_SCHEMA", database.schema.clone()),
        ("QUIRE_STORAGE_DATA", std::env::temp_dir().to_string_lossy().into_owned()),
        ("QUIRE_ENGINE_SLOTS", "8".to_owned()),
        ("QUIRE_ENGINE_LEASE", "3s".to_owned()),
        ("QUIRE_ENGINE_HEARTBEAT", "1s".to_owned()),
        ("QUIRE_PIPELINES_DOCUMENT_REQUEUE_DELAY", "1s".to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
        (rehearsal::STEP_MS, if short { "40" } else { "150" }.to_owned()),
    ];
    quire(&["migrate", "status"], &environment);
    let mut workers: Vec<Victim> = (0..WORKERS).map(|_| Victim::quire(&["worker"], &environment)).collect();
    let accepted = Arc::new(AtomicUsize::new(0));
    let feeding = tokio::spawn(feed_all(database.store.clone(), runs, subjects, accepted.clone()));

    let mut restarts = if short { Vec::new() } else { vec!["immediate", "fast"] };
    let (mut kills, mut stops) = (0, 0);
    let started = Instant::now();
    let long = if short { Duration::from_secs(8) } else { Duration::from_mins(1) };
    while started.elapsed() < long {
        let share = started.elapsed().as_secs_f64() / long.as_secs_f64();
        if restarts.len() == 2 && share > 0.3 || restarts.len() == 1 && share > 0.6 {
            restart_server(restarts.remove(0));
        }
        let (index, kill, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..WORKERS), rng.random_ratio(1, 2), rng.random_range(200..1500))
        };
        if kill {
            let fresh = start_worker(&environment);
            std::mem::replace(&mut workers[index], fresh).kill();
            kills += 1;
        } else {
            workers[index].signal("STOP");
            tokio::time::sleep(LEASE + Duration::from_millis(1500)).await;
            workers[index].signal("CONT");
            stops += 1;
        }
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    let accepted = feeding.await.unwrap();
    let all_done = drained(&database.store, Duration::from_mins(3)).await;
    let ended_well = workers.into_iter().all(Victim::stop);
    let restarted = if short { 0 } else { 2 };
    println!(
        "kills {kills}, stops past the lease {stops}, server restarts {restarted}, drained {all_done}, workers stopped \
         well {ended_well}"
    );
    let checked = judge(&database.store, accepted).await;
    if checked.refused == 0 {
        println!("no late write was refused: the drill did not reach what it is for");
    }
    all_done && ended_well && checked.refused > 0 && checked.violations.is_empty() && checked.runs == runs
}

/// A worker cannot start while the server is down; the next try finds it up.
fn start_worker(environment: &Environment) -> Victim {
    Victim::quire(&["worker"], environment)
}

/// Asks for every run until it is accepted, whatever the server does meanwhile. Asking twice for the same id is safe.
async fn feed_all(store: Store, runs: usize, subjects: u128, count: Arc<AtomicUsize>) -> Vec<RunId> {
    let mut askers = Vec::new();
    for _ in 0..8 {
        let (store, count) = (store.clone(), count.clone());
        askers.push(tokio::spawn(async move {
            let mut accepted = Vec::new();
            while count.fetch_add(1, Ordering::Relaxed) < runs {
                let new = feed::any_run(subjects);
                while store.queue.enqueue(&new, store.clock.now()).await.is_err() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                accepted.push(new.id);
            }
            accepted
        }));
    }
    let mut accepted = Vec::new();
    for asker in askers {
        accepted.extend(asker.await.unwrap());
    }
    accepted
}

/// Restarts the private server that `cargo xtask` started, as the user it runs as.
fn restart_server(mode: &str) {
    let given = |name: &str| {
        std::env::var(name)
            .unwrap_or_else(|_| panic!("{name} is not set; run this through `cargo xtask drill`"))
    };
    println!("restarting the server ({mode})");
    let mut command = Command::new(format!("{}/pg_ctl", given("QUIRE_TEST_POSTGRES_BIN")));
    command.args(["restart", "-w", "-m", mode, "-D", &given("QUIRE_TEST_POSTGRES_DATA")]);
    command.stdout(std::process::Stdio::null());
    if let Ok(uid) = std::env::var("QUIRE_TEST_POSTGRES_UID") {
        use std::os::unix::process::CommandExt;
        let uid = uid.parse().unwrap();
        command.uid(uid).gid(uid);
    }
    assert!(command.status().unwrap().success(), "the server came back");
}
