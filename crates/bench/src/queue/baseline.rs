//! The baseline of the queue benchmarks: plain SQL that writes the same rows as the engine, on either database.

use super::{postgres_baseline, sqlite_baseline};
use crate::database::{Database, DatabaseKind};

/// Enqueues runs, each on its own subject.
pub async fn enqueue_many(kind: DatabaseKind, database: &Database, runs: usize) {
    match kind {
        DatabaseKind::Sqlite => sqlite_baseline::enqueue_many(&database.path, runs),
        DatabaseKind::Postgres => postgres_baseline::enqueue_many(&database.schema, runs).await,
    }
}

/// Enqueues runs on one subject.
pub async fn enqueue_one_subject(kind: DatabaseKind, database: &Database, runs: usize) {
    match kind {
        DatabaseKind::Sqlite => sqlite_baseline::enqueue_one_subject(&database.path, runs),
        DatabaseKind::Postgres => postgres_baseline::enqueue_one_subject(&database.schema, runs).await,
    }
}

/// Takes runs through both steps to their end. Returns runs per second.
pub async fn drain(kind: DatabaseKind, database: &Database, runs: usize) -> f64 {
    match kind {
        DatabaseKind::Sqlite => sqlite_baseline::drain(&database.path, runs),
        DatabaseKind::Postgres => postgres_baseline::drain(&database.schema, runs).await,
    }
}

/// Enqueues runs from several connections at once. Returns runs per second.
pub async fn insert_concurrently(
    kind: DatabaseKind,
    database: &Database,
    connections: usize,
    each: usize,
) -> f64 {
    match kind {
        DatabaseKind::Sqlite => sqlite_baseline::insert_concurrently(&database.path, connections, each),
        DatabaseKind::Postgres => {
            postgres_baseline::insert_concurrently(&database.schema, connections, each).await
        }
    }
}

/// The rows and bytes per run, as text.
pub async fn storage_per_run(kind: DatabaseKind, database: &Database, runs: usize) -> String {
    match kind {
        DatabaseKind::Sqlite => sqlite_baseline::storage_per_run(&database.path, runs),
        DatabaseKind::Postgres => postgres_baseline::storage_per_run(&database.schema, runs).await,
    }
}
