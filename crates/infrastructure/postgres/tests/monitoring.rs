//! The views for monitoring, with queries as operators have them.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use std::str::FromStr;

use quire_postgres::testing::{TestSchema, url};
use quire_postgres::{PgStore, PostgresOptions};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, PgConnection, Row};
use uuid::Uuid;

const QUEUE_DEPTH: &str = "\
SELECT priority, COUNT(*) 
FROM runs 
WHERE status = 'queued' 
GROUP BY priority;";

const MEAN_DURATION: &str = "\
SELECT AVG(EXTRACT(EPOCH FROM (completed_at - started_at))) as avg_duration_seconds
FROM runs
WHERE status = 'completed' AND started_at IS NOT NULL AND completed_at IS NOT NULL;";

const FAILED_STEPS: &str = "\
SELECT step_name, COUNT(*) as failure_count
FROM step_progress
WHERE status = 'failed'
GROUP BY step_name
ORDER BY failure_count DESC;";

/// Three queued runs, two completed ones that took 10 and 20 seconds, one that failed and one that timed out.
const RUNS: &str = "\
    INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, created_at, queued_at, started_at, completed_at, \
                      failure_type, error) \
    SELECT gen_random_uuid(), 'proposal', gen_random_uuid(), state, turn, priority, now(), now(), \
           CASE WHEN seconds > 0 THEN now() END, CASE WHEN seconds > 0 THEN now() + seconds * interval '1 second' END, \
           failure, CASE WHEN failure IS NOT NULL THEN '{\"error_type\": \"permanent\", \"error_code\": \"X\", \"message\": \"x\"}'::jsonb END \
    FROM (VALUES ('QUEUED', 'READY', 0, 0, NULL), ('QUEUED', 'READY', 0, 0, NULL), ('QUEUED', 'READY', 1, 0, NULL), \
                 ('COMPLETED', NULL, 0, 10, NULL), ('COMPLETED', NULL, 0, 20, NULL), \
                 ('FAILED', NULL, 0, 5, 'UNKNOWN_ERROR'), ('TIMED_OUT', NULL, 0, 1800, 'RUN_TIMED_OUT')) \
         AS made (state, turn, priority, seconds, failure); \
    INSERT INTO step_progress (run_id, step_name, step_order, status) \
    SELECT id, step, place, CASE WHEN state = 'COMPLETED' THEN 'SUCCEEDED' ELSE 'FAILED' END \
    FROM runs, (VALUES ('expand', 0), ('review_critic', 2)) AS steps (step, place) \
    WHERE state <> 'QUEUED' AND (state <> 'FAILED' OR step = 'review_critic')";

async fn assert_answered(connection: &mut PgConnection, search_path: String) {
    connection.execute(AssertSqlSafe(search_path)).await.unwrap();
    let depth = connection.fetch_all(QUEUE_DEPTH).await.unwrap();
    let mut depth: Vec<(String, i64)> = depth.iter().map(|row| (row.get(0), row.get(1))).collect();
    depth.sort();
    assert_eq!(depth, [("high".to_owned(), 1), ("normal".to_owned(), 2)]);
    connection.execute(MEAN_DURATION).await.unwrap();
    let inner = MEAN_DURATION.trim_end_matches(';');
    let mean = format!("SELECT avg_duration_seconds::float8 FROM ({inner}) AS printed");
    let mean: f64 = connection.fetch_one(AssertSqlSafe(mean)).await.unwrap().get(0);
    assert!((mean - 15.0).abs() < 1e-6, "{mean}");
    let failed = connection.fetch_all(FAILED_STEPS).await.unwrap();
    let failed: Vec<(String, i64)> = failed.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(failed, [("review_critic".to_owned(), 2), ("expand".to_owned(), 1)]);
    let timed_out = "SELECT count(*) FROM runs WHERE status = 'failed' AND run_type = 'initial'";
    assert_eq!(connection.fetch_one(timed_out).await.unwrap().get::<i64, _>(0), 2);
}

/// Proves R206, as printed and in a database of its own.
#[tokio::test(flavor = "multi_thread")]
async fn the_three_queries_run_as_printed() {
    let name = format!("quire_{}", Uuid::now_v7().simple());
    let options = PgConnectOptions::from_str(&url()).unwrap();
    let mut server = options.clone().connect().await.unwrap();
    server.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
    let options = options.database(&name);
    let store = PgStore::connect(options.to_url_lossy().as_str(), PostgresOptions::default()).await.unwrap();
    store.into_store().migrations.up(None).await.unwrap();
    let mut connection = options.connect().await.unwrap();
    connection.execute(RUNS).await.unwrap();
    assert_answered(&mut connection, "SET search_path = monitoring, public".to_owned()).await;
    drop(connection);
    server.execute(AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"))).await.unwrap();
}

/// Proves R206 for an installation in a schema: it has views of its own, which go with their migration.
#[tokio::test(flavor = "multi_thread")]
async fn each_schema_has_views_of_its_own() {
    let place = TestSchema::migrated().await;
    let schema = &place.schema;
    let mut connection = place.connection().await;
    connection.execute(RUNS).await.unwrap();
    assert_answered(&mut connection, format!("SET search_path = {schema}_monitoring, {schema}")).await;
    let store = place.store().await.into_store();
    store.migrations.down(1).await.unwrap();
    let left = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}_monitoring'");
    assert_eq!(connection.fetch_one(AssertSqlSafe(left)).await.unwrap().get::<i64, _>(0), 0);
}
