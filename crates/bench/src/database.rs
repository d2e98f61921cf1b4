//! Creates empty, migrated databases for benchmarks. They are removed afterwards.

use std::any::Any;
use std::path::{Path, PathBuf};

use quire_ports::Store;
use quire_postgres::PgStore;
use quire_postgres::testing::{self, TestSchema};
use quire_sqlite::SqliteStore;
use sqlx::AssertSqlSafe;

/// The kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DatabaseKind {
    /// SQLite, in a temporary folder.
    Sqlite,
    /// PostgreSQL, on the server given by `QUIRE_TEST_POSTGRES_URL`.
    Postgres,
}

impl DatabaseKind {
    /// The name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// An empty database with the current schema.
pub struct Database {
    /// The ports.
    pub store: Store,
    /// The file, for SQLite.
    pub path: PathBuf,
    /// The PostgreSQL schema, for PostgreSQL.
    pub schema: String,
    _keep: Box<dyn Any + Send>,
}

/// Whether operations share a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitGrouping {
    /// As the store does by default.
    Default,
    /// Each operation has its own commit.
    None,
}

/// Creates an empty database with the current schema.
pub async fn create(kind: DatabaseKind, grouping: CommitGrouping) -> Database {
    match kind {
        DatabaseKind::Sqlite => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("bench.db");
            let mut options = quire_sqlite::SqliteOptions::default();
            if grouping == CommitGrouping::None {
                options.group_limit = 1;
            }
            let store = SqliteStore::open(&path, options).unwrap().into_store();
            store.migrations.up(None).await.unwrap();
            Database { store, path, schema: String::new(), _keep: Box::new(folder) }
        }
        DatabaseKind::Postgres => {
            let place = TestSchema::migrated().await;
            let schema = place.schema.clone();
            let mut options = quire_postgres::PostgresOptions {
                schema: Some(schema.clone()),
                ..quire_postgres::PostgresOptions::default()
            };
            if grouping == CommitGrouping::None {
                options.group_limit = 1;
            }
            let store = PgStore::connect(&testing::url(), options).await.unwrap().into_store();
            Database { store, path: PathBuf::new(), schema, _keep: Box::new(place) }
        }
    }
}

/// The database in a PostgreSQL schema that stays, and whether it is new.
pub async fn kept(schema: &str) -> (Database, bool) {
    let place = TestSchema { schema: schema.to_owned() };
    let exists = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)");
    let exists: bool = exists.bind(schema).fetch_one(&mut place.connection().await).await.unwrap();
    if !exists {
        let create = AssertSqlSafe(format!("CREATE SCHEMA {schema}"));
        sqlx::raw_sql(create).execute(&mut place.connection().await).await.unwrap();
    }
    let options = quire_postgres::PostgresOptions {
        schema: Some(schema.to_owned()),
        ..quire_postgres::PostgresOptions::default()
    };
    let store = PgStore::connect(&testing::url(), options).await.unwrap().into_store();
    store.migrations.up(None).await.unwrap();
    // It would remove the schema.
    std::mem::forget(place);
    let database = Database { store, path: PathBuf::new(), schema: schema.to_owned(), _keep: Box::new(()) };
    (database, !exists)
}

/// The database in a SQLite file that stays, and whether it is new.
pub async fn kept_file(path: &Path) -> (Database, bool) {
    let is_new = !path.exists();
    let store = SqliteStore::open(path, quire_sqlite::SqliteOptions::default()).unwrap().into_store();
    store.migrations.up(None).await.unwrap();
    let database = Database { store, path: path.to_owned(), schema: String::new(), _keep: Box::new(()) };
    (database, is_new)
}
