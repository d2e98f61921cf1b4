//! The baseline on SQLite: writes the same rows with plain SQL, 100 runs per transaction.

use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;
use rusqlite::{Connection, params};
use uuid::Uuid;

const GROUP: u32 = 100;

fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA foreign_keys = ON;")
        .unwrap();
    connection.set_prepared_statement_cache_capacity(64);
    connection
}

fn now() -> i64 {
    Timestamp::now().as_microsecond()
}

/// Enqueues runs with their first event, each on its own subject.
pub fn enqueue_many(path: &Path, runs: usize) {
    let mut connection = open(path);
    let transaction = connection.transaction().unwrap();
    {
        let mut run = transaction
            .prepare(
                "INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at) \
                 VALUES (?1, 'document', ?2, 'QUEUED', 'READY', ?3, ?3)",
            )
            .unwrap();
        let mut event = transaction
            .prepare(
                "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence) \
                 VALUES (?1, 'RUN_CREATED', 'document', ?2, ?3, 0)",
            )
            .unwrap();
        for _ in 0..runs {
            let (id, subject) = (Uuid::now_v7(), Uuid::now_v7());
            run.execute(params![id.as_bytes(), subject.as_bytes(), now()]).unwrap();
            event.execute(params![now(), subject.as_bytes(), id.as_bytes()]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// Takes runs through both steps to their end. Returns runs per second.
pub fn drain(path: &Path, runs: usize) -> f64 {
    let mut connection = open(path);
    let worker = Uuid::now_v7();
    let start = Instant::now();
    let mut left = runs;
    while left > 0 {
        let claimed = claim(&mut connection, worker);
        assert!(!claimed.is_empty(), "the queue is empty too early");
        next_step(&mut connection, &claimed, worker);
        complete(&mut connection, &claimed, worker);
        left -= claimed.len();
    }
    runs as f64 / start.elapsed().as_secs_f64()
}

/// The id of a run, its subject and its start time in microseconds.
type ClaimedRun = (Uuid, Uuid, i64);

fn claim(connection: &mut Connection, worker: Uuid) -> Vec<ClaimedRun> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let claimed: Vec<ClaimedRun> = transaction
        .prepare_cached(
            "SELECT id, subject_id FROM runs WHERE turn = 'READY' AND pipeline = 'document' \
             ORDER BY priority DESC, queued_at, id LIMIT ?1",
        )
        .unwrap()
        .query_map([GROUP], |row| Ok((Uuid::from_bytes(row.get(0)?), Uuid::from_bytes(row.get(1)?), now())))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (id, subject, at) in &claimed {
        transaction
            .prepare_cached(
                "UPDATE runs SET state = 'RUNNING', turn = 'HELD', fence = 1, started_at = ?2, deadline_at = ?3, \
                 worker_id = ?4 WHERE id = ?1 AND fence = 0",
            )
            .unwrap()
            .execute(params![id.as_bytes(), at, at + 120_000_000, worker.as_bytes()])
            .unwrap();
        event(&transaction, "RUN_STARTED", *id, *subject, worker, None, None);
        event(&transaction, "STEP_STARTED", *id, *subject, worker, Some("EXTRACTION"), None);
        start_step(&transaction, *id, "EXTRACTION", 0);
    }
    transaction.commit().unwrap();
    claimed
}

fn next_step(connection: &mut Connection, claimed: &[ClaimedRun], worker: Uuid) {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    for (id, subject, at) in claimed {
        event(&transaction, "STEP_SUCCEEDED", *id, *subject, worker, Some("EXTRACTION"), Some(*at));
        event(&transaction, "STEP_STARTED", *id, *subject, worker, Some("INTERPRETATION"), None);
        end_step(&transaction, *id, "EXTRACTION");
        start_step(&transaction, *id, "INTERPRETATION", 1);
    }
    transaction.commit().unwrap();
}

fn complete(connection: &mut Connection, claimed: &[ClaimedRun], worker: Uuid) {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    for (id, subject, at) in claimed {
        transaction
            .prepare_cached(
                "UPDATE runs SET state = 'COMPLETED', turn = NULL, fence = 2, completed_at = ?2, deadline_at = NULL, \
                 worker_id = NULL WHERE id = ?1 AND fence = 1",
            )
            .unwrap()
            .execute(params![id.as_bytes(), now()])
            .unwrap();
        event(&transaction, "STEP_SUCCEEDED", *id, *subject, worker, Some("INTERPRETATION"), Some(*at));
        event(&transaction, "RUN_COMPLETED", *id, *subject, worker, None, Some(*at));
        end_step(&transaction, *id, "INTERPRETATION");
    }
    transaction.commit().unwrap();
}

fn event(
    connection: &Connection,
    kind: &str,
    run: Uuid,
    subject: Uuid,
    worker: Uuid,
    step: Option<&str>,
    started_at: Option<i64>,
) {
    connection
        .prepare_cached(
            "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, worker_id, step_name, attempt, \
             started_at) VALUES (?1, ?2, 'document', ?3, ?4, 1, ?5, ?6, ?7, ?8)",
        )
        .unwrap()
        .execute(params![
            now(),
            kind,
            subject.as_bytes(),
            run.as_bytes(),
            worker.as_bytes(),
            step,
            step.map(|_| 1),
            started_at
        ])
        .unwrap();
}

fn start_step(connection: &Connection, run: Uuid, step: &str, order: u8) {
    connection
        .prepare_cached(
            "INSERT INTO step_progress (run_id, step_name, step_order, status, attempt, started_at) \
             VALUES (?1, ?2, ?3, 'RUNNING', 1, ?4)",
        )
        .unwrap()
        .execute(params![run.as_bytes(), step, order, now()])
        .unwrap();
}

fn end_step(connection: &Connection, run: Uuid, step: &str) {
    connection
        .prepare_cached(
            "UPDATE step_progress SET status = 'SUCCEEDED', completed_at = ?3 WHERE run_id = ?1 AND step_name = ?2",
        )
        .unwrap()
        .execute(params![run.as_bytes(), step, now()])
        .unwrap();
}

/// Enqueues runs on one subject. The first one is ready, the others wait behind it.
pub fn enqueue_one_subject(path: &Path, runs: usize) {
    let mut connection = open(path);
    let transaction = connection.transaction().unwrap();
    let subject = Uuid::now_v7();
    {
        let mut run = transaction
            .prepare(
                "INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at) \
                 VALUES (?1, 'document', ?2, 'QUEUED', ?3, ?4, ?4)",
            )
            .unwrap();
        for index in 0..runs {
            let turn = if index == 0 { "READY" } else { "BEHIND" };
            run.execute(params![Uuid::now_v7().as_bytes(), subject.as_bytes(), turn, now()]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// Enqueues runs from several connections at once, one commit per run. Returns runs per second.
pub fn insert_concurrently(path: &Path, connections: usize, each: usize) -> f64 {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let mut connection = open(path);
                connection.busy_timeout(std::time::Duration::from_mins(1)).unwrap();
                for _ in 0..each {
                    insert_one(&mut connection);
                }
            });
        }
    });
    (connections * each) as f64 / start.elapsed().as_secs_f64()
}

fn insert_one(connection: &mut Connection) {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let (id, subject) = (Uuid::now_v7(), Uuid::now_v7());
    transaction
        .prepare_cached(
            "INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at) \
             VALUES (?1, 'document', ?2, 'QUEUED', 'READY', ?3, ?3)",
        )
        .unwrap()
        .execute(params![id.as_bytes(), subject.as_bytes(), now()])
        .unwrap();
    transaction
        .prepare_cached(
            "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence) \
             VALUES (?1, 'RUN_CREATED', 'document', ?2, ?3, 0)",
        )
        .unwrap()
        .execute(params![now(), subject.as_bytes(), id.as_bytes()])
        .unwrap();
    transaction.commit().unwrap();
}

/// The rows and bytes per run, as text.
pub fn storage_per_run(path: &Path, runs: usize) -> String {
    let connection = open(path);
    let rows: i64 = connection
        .query_row(
            "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM events) + (SELECT count(*) FROM step_progress)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let bytes: i64 = connection
        .query_row("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()", [], |row| {
            row.get(0)
        })
        .unwrap();
    format!(
        "rows per run {:.1}, {:.0} bytes on disk with indexes",
        rows as f64 / runs as f64,
        bytes as f64 / runs as f64
    )
}
