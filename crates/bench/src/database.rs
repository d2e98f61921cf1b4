//! Databases to measure on: empty, migrated, gone afterwards.

use std::any::Any;
use std::path::PathBuf;

use quire_ports::Store;
use quire_postgres::PgStore;
use quire_postgres::testing::{self, Place};
use quire_sqlite::SqliteStore;

/// Which database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// A file.
    Sqlite,
    /// The server given by `QUIRE_TEST_POSTGRES_URL`.
    Postgres,
}

impl Kind {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// An empty database with the current schema.
pub struct Database {
    /// Its ports.
    pub store: Store,
    /// Its file, for SQLite.
    pub path: PathBuf,
    /// Its schema, for PostgreSQL.
    pub schema: String,
    _keep: Box<dyn Any + Send>,
}

/// Whether operations share commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// As many as the store sees fit.
    Usual,
    /// Each has its own.
    None,
}

/// Makes one.
pub async fn fresh(kind: Kind, grouping: Grouping) -> Database {
    match kind {
        Kind::Sqlite => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("bench.db");
            let mut options = quire_sqlite::Options::default();
            if grouping == Grouping::None {
                options.group_limit = 1;
            }
            let store = SqliteStore::open(&path, options).unwrap().into_store();
            store.migrations.up(None).await.unwrap();
            Database { store, path, schema: String::new(), _keep: Box::new(folder) }
        }
        Kind::Postgres => {
            let place = Place::migrated().await;
            let schema = place.schema.clone();
            let mut options = quire_postgres::Options {
                schema: Some(schema.clone()),
                ..quire_postgres::Options::default()
            };
            if grouping == Grouping::None {
                options.group_limit = 1;
            }
            let store = PgStore::connect(&testing::url(), options).await.unwrap().into_store();
            Database { store, path: PathBuf::new(), schema, _keep: Box::new(place) }
        }
    }
}
