//! The baseline on PostgreSQL: the same rows, by the shortest way, one connection, in groups of 100.

use std::time::Instant;

use quire_postgres::testing::url;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Row};
use uuid::Uuid;

const GROUP: i64 = 100;

/// A connection that works in that schema.
pub async fn connect(schema: &str) -> PgConnection {
    let options: PgConnectOptions = url().parse().unwrap();
    options.options([("search_path", schema)]).connect().await.unwrap()
}

/// Queues that many runs, with their first event. Each has a subject of its own unless one is given.
pub async fn fill(schema: &str, runs: usize) {
    fill_with(schema, runs, "gen_random_uuid()", "'READY'").await;
}

/// Queues that many runs of one subject, the first at its front.
pub async fn fill_one_subject(schema: &str, runs: usize) {
    let subject = format!("'{}'::uuid", Uuid::now_v7());
    fill_with(schema, runs, &subject, "CASE n WHEN 1 THEN 'READY' ELSE 'BEHIND' END").await;
}

async fn fill_with(schema: &str, runs: usize, subject: &str, turn: &str) {
    let mut connection = connect(schema).await;
    let statement = format!(
        "WITH made AS (
             INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at)
             SELECT uuidv7(), 'document', {subject}, 'QUEUED', {turn}, clock_timestamp(), clock_timestamp()
             FROM generate_series(1, $1) AS n
             RETURNING id, subject_id, created_at)
         INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence)
         SELECT created_at, 'RUN_CREATED', 'document', subject_id, id, 0 FROM made"
    );
    let count = i64::try_from(runs).unwrap();
    sqlx::query(sqlx::AssertSqlSafe(statement)).bind(count).execute(&mut connection).await.unwrap();
    sqlx::query("ANALYZE runs").execute(&mut connection).await.unwrap();
}

/// Takes that many through both steps to the end; runs per second.
pub async fn drain(schema: &str, runs: usize) -> f64 {
    let mut connection = connect(schema).await;
    let worker = Uuid::now_v7();
    let start = Instant::now();
    let mut left = runs;
    while left > 0 {
        let claimed = claim(&mut connection, worker).await;
        assert!(!claimed.is_empty(), "there are runs left");
        next_step(&mut connection, &claimed, worker).await;
        settle(&mut connection, &claimed, worker).await;
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
    let told = [("STEP_SUCCEEDED", Some("EXTRACTION")), ("STEP_STARTED", Some("INTERPRETATION"))];
    events(&mut transaction, ids, worker, &told).await;
    transaction.commit().await.unwrap();
}

async fn settle(connection: &mut PgConnection, ids: &[Uuid], worker: Uuid) {
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
    let told = [("STEP_SUCCEEDED", Some("INTERPRETATION")), ("RUN_COMPLETED", None)];
    events(&mut transaction, ids, worker, &told).await;
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

async fn events(connection: &mut PgConnection, ids: &[Uuid], worker: Uuid, told: &[(&str, Option<&str>)]) {
    let (kinds, steps): (Vec<_>, Vec<_>) = told.iter().copied().unzip();
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

/// Rows and bytes that a run leaves behind.
pub async fn weight(schema: &str, runs: usize) -> String {
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

/// One run asked for on a connection of its own, committed by itself: what a bare enqueuer does. Runs per second.
pub async fn insert_each(schema: &str, askers: usize, each: usize) -> f64 {
    let mut connections = Vec::new();
    for _ in 0..askers {
        connections.push(connect(schema).await);
    }
    let start = Instant::now();
    let asking: Vec<_> = connections
        .into_iter()
        .map(|mut connection| {
            tokio::spawn(async move {
                for _ in 0..each {
                    insert_one(&mut connection).await;
                }
            })
        })
        .collect();
    for asker in asking {
        asker.await.unwrap();
    }
    (askers * each) as f64 / start.elapsed().as_secs_f64()
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
