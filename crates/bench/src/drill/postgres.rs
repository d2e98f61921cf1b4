//! PostgreSQL: four workers, of which some are killed and some stopped for longer than their lease, while the server
//! itself is restarted under them.

use std::process::Command;
use std::time::{Duration, Instant};

use quire_domain::{EventId, EventType, RunId};
use quire_ports::{EventFilter, Store};
use rand::RngExt;
use tokio_util::sync::CancellationToken;

use super::processes::{Environment, Victim, quire};
use super::{drained, judge};
use crate::{database, feed, rehearsal};

const WORKERS: usize = 4;
const ASKERS: usize = 8;
const LEASE: Duration = Duration::from_secs(3);

pub async fn drill(short: bool) -> bool {
    let (runs, subjects) = if short { (400, 60) } else { (5000, 300) };
    println!("\n## PostgreSQL: {WORKERS} workers, at least {runs} runs on {subjects} subjects");
    let database = database::fresh(database::Kind::Postgres, database::Grouping::Usual).await;
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
    quire(&["migrate", "status"], &environment);
    let mut workers: Vec<Victim> = (0..WORKERS).map(|_| Victim::quire(&["worker"], &environment)).collect();

    let long = if short { Duration::from_secs(8) } else { Duration::from_mins(1) };
    let enough = CancellationToken::new();
    let feeding = tokio::spawn(feed_until(enough.clone(), database.store.clone(), runs, subjects, long));

    let mut restarts = if short { Vec::new() } else { vec!["immediate", "fast"] };
    let (mut kills, mut stops) = (0, 0);
    let started = Instant::now();
    let (mut refused, mut seen) = (0, EventId(0));
    // As long as planned, and until it has reached what it is for.
    while started.elapsed() < long || (refused == 0 && started.elapsed() < 4 * long) {
        refused += refused_since(&database.store, &mut seen).await;
        let share = started.elapsed().as_secs_f64() / long.as_secs_f64();
        if restarts.len() == 2 && share > 0.3 || restarts.len() == 1 && share > 0.6 {
            restart_server(restarts.remove(0));
        }
        let (index, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..WORKERS), rng.random_range(200..1500))
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if kills < stops {
            let fresh = start_worker(&environment);
            std::mem::replace(&mut workers[index], fresh).kill();
            kills += 1;
        } else {
            workers[index].signal("STOP");
            tokio::time::sleep(LEASE + Duration::from_millis(1500)).await;
            workers[index].signal("CONT");
            stops += 1;
        }
    }
    enough.cancel();
    let accepted = feeding.await.unwrap();
    let known = accepted.len();
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
    all_done
        && ended_well
        && checked.refused > 0
        && checked.violations.is_empty()
        && checked.runs == known
        && known >= runs
}

/// A worker cannot start while the server is down; the next try finds it up.
fn start_worker(environment: &Environment) -> Victim {
    Victim::quire(&["worker"], environment)
}

/// Asks for runs until told that it is enough, at a pace that reaches `runs` within the drill, and for each until it is
/// accepted, whatever the server does meanwhile: asking twice for the same id is safe.
async fn feed_until(
    enough: CancellationToken,
    store: Store,
    runs: usize,
    subjects: u128,
    long: Duration,
) -> Vec<RunId> {
    let pause = long.mul_f64(0.8 * ASKERS as f64 / runs as f64);
    let ask = || {
        let (store, enough) = (store.clone(), enough.clone());
        tokio::spawn(async move {
            let mut accepted = Vec::new();
            while !enough.is_cancelled() || accepted.len() < runs.div_ceil(ASKERS) {
                let new = feed::any_run(subjects);
                while store.queue.enqueue(&new, store.clock.now()).await.is_err() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                accepted.push(new.id);
                tokio::time::sleep(pause).await;
            }
            accepted
        })
    };
    let asking: Vec<_> = (0..ASKERS).map(|_| ask()).collect();
    let mut accepted = Vec::new();
    for asker in asking {
        accepted.extend(asker.await.unwrap());
    }
    accepted
}

/// Late writes refused since the last look. A server that is down is asked again later.
async fn refused_since(store: &Store, seen: &mut EventId) -> usize {
    let mut refused = 0;
    while let Ok(page) = store.history.events(*seen, EventFilter::default(), 5000).await
        && let Some(last) = page.last()
    {
        *seen = last.id;
        refused += page.iter().filter(|told| told.event.event_type == EventType::LateWriteRefused).count();
    }
    refused
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
