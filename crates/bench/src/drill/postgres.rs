//! The PostgreSQL drill: kills some of four workers, stops others for longer than their lease, and restarts the database
//! server under load.

use std::process::Command;
use std::time::{Duration, Instant};

use quire_domain::{EventId, EventType, RunId};
use quire_ports::{EventFilter, Store};
use rand::RngExt;
use tokio_util::sync::CancellationToken;

use super::processes::{Environment, TestProcess, run_quire};
use super::{check_history, wait_until_drained};
use crate::{database, producer, rehearsal};

const WORKERS: usize = 4;
const PRODUCERS: usize = 8;
const LEASE: Duration = Duration::from_secs(3);

pub async fn drill(short: bool) -> bool {
    let (runs, subjects) = if short { (400, 60) } else { (5000, 300) };
    println!("\n## PostgreSQL: {WORKERS} workers, at least {runs} runs on {subjects} subjects");
    let database =
        database::create(database::DatabaseKind::Postgres, database::CommitGrouping::Default).await;
    let environment: Environment = vec![
        ("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()),
        ("QUIRE_DATABASE_SCHEMA", database.schema.clone()),
        ("QUIRE_STORAGE_DATA", std::env::temp_dir().to_string_lossy().into_owned()),
        ("QUIRE_ENGINE_SLOTS", "8".to_owned()),
        ("QUIRE_ENGINE_LEASE", "3s".to_owned()),
        ("QUIRE_ENGINE_HEARTBEAT", "1s".to_owned()),
        ("QUIRE_PIPELINES_DOCUMENT_REQUEUE_DELAY", "1s".to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
        (rehearsal::STEP_MS, "300".to_owned()),
    ];
    run_quire(&["migrate", "status"], &environment);
    let mut workers: Vec<TestProcess> =
        (0..WORKERS).map(|_| TestProcess::quire(&["worker"], &environment)).collect();

    let duration = if short { Duration::from_secs(8) } else { Duration::from_mins(1) };
    let stop = CancellationToken::new();
    let producing =
        tokio::spawn(produce_until(stop.clone(), database.store.clone(), runs, subjects, duration));

    let mut restarts = if short { Vec::new() } else { vec!["immediate", "fast"] };
    let (mut kills, mut stops) = (0, 0);
    let started = Instant::now();
    let (mut refused, mut seen) = (0, EventId(0));
    // Continues beyond the planned duration until a late write was refused, which the drill must provoke.
    while started.elapsed() < duration || (refused == 0 && started.elapsed() < 4 * duration) {
        refused += refused_since(&database.store, &mut seen).await;
        let share = started.elapsed().as_secs_f64() / duration.as_secs_f64();
        if restarts.len() == 2 && share > 0.3 || restarts.len() == 1 && share > 0.6 {
            restart_server(restarts.remove(0));
        }
        let (index, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..WORKERS), rng.random_range(200..1500))
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if kills < stops {
            let replacement = start_worker(&environment);
            std::mem::replace(&mut workers[index], replacement).kill();
            kills += 1;
        } else {
            workers[index].signal("STOP");
            tokio::time::sleep(LEASE + Duration::from_millis(1500)).await;
            workers[index].signal("CONT");
            stops += 1;
        }
    }
    stop.cancel();
    let accepted = producing.await.unwrap();
    let accepted_count = accepted.len();
    let all_done = wait_until_drained(&database.store, Duration::from_mins(3)).await;
    let stopped_well = workers.into_iter().all(TestProcess::stop);
    let restarted = if short { 0 } else { 2 };
    println!(
        "kills {kills}, stops past the lease {stops}, server restarts {restarted}, drained {all_done}, workers stopped \
         well {stopped_well}"
    );
    let checked = check_history(&database.store, accepted).await;
    if checked.refused == 0 {
        println!("no late write was refused: the drill did not test fencing");
    }
    all_done
        && stopped_well
        && checked.refused > 0
        && checked.violations.is_empty()
        && checked.runs == accepted_count
        && accepted_count >= runs
}

fn start_worker(environment: &Environment) -> TestProcess {
    TestProcess::quire(&["worker"], environment)
}

/// Enqueues runs until `stop`, at a rate that reaches `runs` within the drill. Retries each run until it is accepted, even
/// while the server restarts: enqueuing the same id twice is safe.
async fn produce_until(
    stop: CancellationToken,
    store: Store,
    runs: usize,
    subjects: u128,
    duration: Duration,
) -> Vec<RunId> {
    let pause = duration.mul_f64(0.8 * PRODUCERS as f64 / runs as f64);
    let produce = || {
        let (store, stop) = (store.clone(), stop.clone());
        tokio::spawn(async move {
            let mut accepted = Vec::new();
            while !stop.is_cancelled() || accepted.len() < runs.div_ceil(PRODUCERS) {
                let new = producer::random_run(subjects);
                while store.queue.enqueue(&new, store.clock.now()).await.is_err() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                accepted.push(new.id);
                tokio::time::sleep(pause).await;
            }
            accepted
        })
    };
    let tasks: Vec<_> = (0..PRODUCERS).map(|_| produce()).collect();
    let mut accepted = Vec::new();
    for task in tasks {
        accepted.extend(task.await.unwrap());
    }
    accepted
}

/// The number of refused late writes since event `seen`. Stops early if the server is down; the next call continues.
async fn refused_since(store: &Store, seen: &mut EventId) -> usize {
    let mut refused = 0;
    while let Ok(page) = store.run_reader.events(*seen, EventFilter::default(), 5000).await
        && let Some(last) = page.last()
    {
        *seen = last.id;
        refused += page.iter().filter(|event| event.event.event_type == EventType::LateWriteRefused).count();
    }
    refused
}

/// Restarts the PostgreSQL server that `cargo xtask` started, as its user.
pub fn restart_server(mode: &str) {
    let variable = |name: &str| {
        std::env::var(name)
            .unwrap_or_else(|_| panic!("{name} is not set; run this through `cargo xtask drill`"))
    };
    println!("restarting the server ({mode})");
    let mut command = Command::new(format!("{}/pg_ctl", variable("QUIRE_TEST_POSTGRES_BIN")));
    command.args(["restart", "-w", "-m", mode, "-D", &variable("QUIRE_TEST_POSTGRES_DATA")]);
    command.stdout(std::process::Stdio::null());
    if let Ok(uid) = std::env::var("QUIRE_TEST_POSTGRES_UID") {
        use std::os::unix::process::CommandExt;
        let uid = uid.parse().unwrap();
        command.uid(uid).gid(uid);
    }
    assert!(command.status().unwrap().success(), "the server did not restart");
}
