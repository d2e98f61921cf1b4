//! The baseline, on whichever database.

use super::{postgres_bare, sqlite_bare};
use crate::database::{Database, Kind};

/// Queues runs, each of a subject of its own.
pub async fn fill(kind: Kind, database: &Database, runs: usize) {
    match kind {
        Kind::Sqlite => sqlite_bare::fill(&database.path, runs),
        Kind::Postgres => postgres_bare::fill(&database.schema, runs).await,
    }
}

/// Queues runs of one subject.
pub async fn fill_one_subject(kind: Kind, database: &Database, runs: usize) {
    match kind {
        Kind::Sqlite => sqlite_bare::fill_one_subject(&database.path, runs),
        Kind::Postgres => postgres_bare::fill_one_subject(&database.schema, runs).await,
    }
}

/// Takes runs to their end by the shortest way; runs per second.
pub async fn drain(kind: Kind, database: &Database, runs: usize) -> f64 {
    match kind {
        Kind::Sqlite => sqlite_bare::drain(&database.path, runs),
        Kind::Postgres => postgres_bare::drain(&database.schema, runs).await,
    }
}

/// Concurrent enqueuers without Quire; runs per second.
pub async fn insert_each(kind: Kind, database: &Database, askers: usize, each: usize) -> f64 {
    match kind {
        Kind::Sqlite => sqlite_bare::insert_each(&database.path, askers, each),
        Kind::Postgres => postgres_bare::insert_each(&database.schema, askers, each).await,
    }
}

/// What a run costs in rows and bytes.
pub async fn weight(kind: Kind, database: &Database, runs: usize) -> String {
    match kind {
        Kind::Sqlite => sqlite_bare::weight(&database.path, runs),
        Kind::Postgres => postgres_bare::weight(&database.schema, runs).await,
    }
}
