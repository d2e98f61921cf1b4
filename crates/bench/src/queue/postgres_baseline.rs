//! The baseline on PostgreSQL: writes the same rows with plain SQL on one connection, 100 runs per transaction.

use std::time::Instant;

use quire_postgres::testing::url;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Row};
use uuid::Uuid;

const GROUP: i64 = 100;

/// Connects with the given schema as search path.
pub async fn connect(schema: &str) -> PgConnection {
    let options: PgConnectOptions = url().parse().unwrap();
    options.options([("search_path", schema)]).connect().await.unwrap()
}

/// Enqueues runs with their first event, each on its own subject.
pub async fn enqueue_many(schema: &str, runs: usize) {
    enqueue_with(schema, runs, "gen_random_uuid()", "'READY'").await;
}

/// Enqueues runs on one subject. The first one is ready, the others wait behind it.
pub async fn enqueue_one_subject(schema: &str, runs: usize) {
    let subject = format!("'{}'::uuid", Uuid::now_v7());
    enqueue_with(schema, runs, &subject, "CASE n WHEN 1 THEN 'READY' ELSE 'BEHIND' END").await;
}

async fn enqueue_with(schema: &str, runs: usize, subject: &str, turn: &str) {
    let mut connection = connect(schema).await;
    let statement = format!(
        "WITH inserted AS (
             INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at)
             SELECT uuidv7(), 'document', {subject}, 'QUEUED', {turn}, clock_timestamp(), clock_timestamp()
             FROM generate_series(1, $1) AS n
             RETURNING id, subject_id, created_at)
         INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence)
         SELECT created_at, 'RUN_CREATED', 'document', subject_id, id, 0 FROM inserted"
    );
    let count = i64::try_from(runs).unwrap();
    sqlx::query(sqlx::AssertSqlSafe(statement)).bind(count).execute(&mut connection).await.unwrap();
    sqlx::query("ANALYZE runs").execute(&mut connection).await.unwrap();
}

/// Takes runs through both steps to their end. Returns runs per second.
pub async fn drain(schema: &str, runs: usize) -> f64 {
    let mut connection = connect(schema).await;
    let worker = Uuid::now_v7();
    let start = Instant::now();
    let mut left = runs;
    while left > 0 {
        let claimed = claim(&mut connection, worker).await;
        assert!(!claimed.is_empty(), "the queue is empty too early");
        next_step(&mut connection, &claimed, worker).await;
        complete(&mut connection, &claimed, worker).await;
        left -= claimed.len().min(left);
    }
    runs as f64 / start.elapsed().as_secs_f64()
}

async fn claim(connection: &mut PgConnection, worker: Uuid) -> Vec<Uuid> {
    let mut transaction = connection.begin().await.unwrap();
    let rows = sqlx::query(
        "WITH next AS (
             SELECT id FROM runs WHERE turn = 'READY' AND pipeline = 'document'
             ORDER BY priority DESC, queued_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)
         UPDATE runs SET state = 'RUNNING', turn = 'HELD', fence = 1, started_at = clock_timestamp(),
                         deadline_at = clock_timestamp() + interval '120 s', worker_id = $2
         FROM next WHERE runs.id = next.id RETURNING runs.id",
    )
    .bind(GROUP)
    .bind(worker)
    .fetch_all(&mut *transaction)
    .await
    .unwrap();
    let ids: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
    start_step(&mut transaction, &ids, "EXTRACTION", 0).await;
    events(&mut transaction, &ids, worker, &[("RUN_STARTED", None), ("STEP_STARTED", Some("EXTRACTION"))])
        .await;
    transaction.commit().await.unwrap();
    ids
}

async fn next_step(connection: &mut PgConnection, ids: &[Uuid], worker: Uuid) {
    let mut transaction = connection.begin().await.unwrap();
    end_step(&mut transaction, ids, "EXTRACTION").await;
    start_step(&mut transaction, ids, "INTERPRETATION", 1).await;
    let new_events = [("STEP_SUCCEEDED", Some("EXTRACTION")), ("STEP_STARTED", Some("INTERPRETATION"))];
    events(&mut transaction, ids, worker, &new_events).await;
    transaction.commit().await.unwrap();
}

async fn complete(connection: &mut PgConnection, ids: &[Uuid], worker: Uuid) {
    let mut transaction = connection.begin().await.unwrap();
    sqlx::query(
        "UPDATE runs SET state = 'COMPLETED', turn = NULL, fence = 2, completed_at = clock_timestamp(),
                         deadline_at = NULL, worker_id = NULL
         FROM unnest($1) AS u (id) WHERE runs.id = u.id AND fence = 1",
    )
    .bind(ids)
    .execute(&mut *transaction)
    .await
    .unwrap();
    end_step(&mut transaction, ids, "INTERPRETATION").await;
    let new_events = [("STEP_SUCCEEDED", Some("INTERPRETATION")), ("RUN_COMPLETED", None)];
    events(&mut transaction, ids, worker, &new_events).await;
    transaction.commit().await.unwrap();
}

async fn start_step(connection: &mut PgConnection, ids: &[Uuid], step: &str, order: i16) {
    sqlx::query(
        "INSERT INTO step_progress (run_id, step_name, step_order, status, attempt, started_at)
         SELECT id, $2, $3, 'RUNNING', 1, clock_timestamp() FROM unnest($1) AS u (id)",
    )
    .bind(ids)
    .bind(step)
    .bind(order)
    .execute(connection)
    .await
    .unwrap();
}

async fn end_step(connection: &mut PgConnection, ids: &[Uuid], step: &str) {
    sqlx::query(
        "UPDATE step_progress SET status = 'SUCCEEDED', completed_at = clock_timestamp()
         FROM unnest($1) AS u (id) WHERE run_id = u.id AND step_name = $2",
    )
    .bind(ids)
    .bind(step)
    .execute(connection)
    .await
    .unwrap();
}

async fn events(
    connection: &mut PgConnection,
    ids: &[Uuid],
    worker: Uuid,
    new_events: &[(&str, Option<&str>)],
) {
    let (kinds, steps): (Vec<_>, Vec<_>) = new_events.iter().copied().unzip();
    sqlx::query(
        "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, worker_id, step_name, attempt,
                             started_at)
         SELECT clock_timestamp(), t.kind, 'document', u.id, u.id, 1, $2, t.step,
                CASE WHEN t.step IS NULL THEN NULL ELSE 1 END,
                CASE WHEN t.kind IN ('RUN_STARTED', 'STEP_STARTED') THEN NULL ELSE clock_timestamp() END
         FROM unnest($1) AS u (id), unnest($3::text[], $4::text[]) AS t (kind, step)",
    )
    .bind(ids)
    .bind(worker)
    .bind(kinds)
    .bind(steps)
    .execute(connection)
    .await
    .unwrap();
}

/// The rows and bytes per run, as text.
pub async fn storage_per_run(schema: &str, runs: usize) -> String {
    let mut connection = connect(schema).await;
    let row = sqlx::query(
        "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM events) + (SELECT count(*) FROM step_progress),
                pg_total_relation_size('runs') + pg_total_relation_size('events')
                    + pg_total_relation_size('step_progress')",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    let each = |index: usize| row.get::<i64, _>(index) as f64 / runs as f64;
    format!("rows per run {:.1}, {:.0} bytes on disk with indexes and old versions", each(0), each(1))
}

/// Enqueues runs from several connections at once, one commit per run. Returns runs per second.
pub async fn insert_concurrently(schema: &str, connections: usize, each: usize) -> f64 {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(connect(schema).await);
    }
    let start = Instant::now();
    let tasks: Vec<_> = open
        .into_iter()
        .map(|mut connection| {
            tokio::spawn(async move {
                for _ in 0..each {
                    insert_one(&mut connection).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    (connections * each) as f64 / start.elapsed().as_secs_f64()
}

async fn insert_one(connection: &mut PgConnection) {
    let mut transaction = connection.begin().await.unwrap();
    let (id, subject) = (Uuid::now_v7(), Uuid::now_v7());
    sqlx::query(
        "INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at)
         VALUES ($1, 'document', $2, 'QUEUED', 'READY', clock_timestamp(), clock_timestamp())",
    )
    .bind(id)
    .bind(subject)
    .execute(&mut *transaction)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence)
         VALUES (clock_timestamp(), 'RUN_CREATED', 'document', $1, $2, 0)",
    )
    .bind(subject)
    .bind(id)
    .execute(&mut *transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
}
