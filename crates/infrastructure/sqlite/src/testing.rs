//! A fixture for the test suites: this store on an empty file, and a connection that bypasses the store.

// Only tests call this code, and there a panic reports a failure.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use quire_testkit::{RawSql, StoreFixture};
use uuid::Uuid;

use crate::{SqliteOptions, SqliteStore};

struct DirectSql {
    path: PathBuf,
}

impl DirectSql {
    fn connect(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        connection
    }

    fn texts(&self, query: &str) -> Vec<String> {
        let connection = self.connect();
        let mut statement = connection.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }
}

#[async_trait]
impl RawSql for DirectSql {
    async fn execute(&self, statement: &str) -> Result<u64, String> {
        let connection = self.connect();
        let mut prepared = connection.prepare(statement).map_err(|error| error.to_string())?;
        if prepared.column_count() > 0 {
            prepared.exists([]).map_err(|error| error.to_string())?;
            return Ok(0);
        }
        prepared.execute([]).map(|changed| changed as u64).map_err(|error| error.to_string())
    }

    async fn number(&self, query: &str) -> i64 {
        self.connect().query_row(query, [], |row| row.get(0)).unwrap()
    }

    fn id(&self, id: Uuid) -> String {
        format!("x'{}'", id.simple())
    }

    async fn schema(&self) -> Vec<String> {
        // Renaming a table puts quotes around its name.
        self.texts(
            "SELECT type || ' ' || name || ' ' || replace(coalesce(sql, ''), '\"', '') FROM sqlite_master ORDER BY 1",
        )
    }

    async fn refuse_updates(&self, table: &str, condition: &str) {
        let refuse = format!(
            "CREATE TRIGGER refusing BEFORE UPDATE ON {table} WHEN {condition} BEGIN SELECT RAISE(ABORT, 'refused'); END"
        );
        self.execute(&refuse).await.unwrap();
    }

    async fn allow_updates(&self, _: &str) {
        self.execute("DROP TRIGGER refusing").await.unwrap();
    }

    async fn tables(&self) -> Vec<String> {
        self.texts(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' \
             AND name NOT IN ('schema_migrations', 'migration_progress') ORDER BY 1",
        )
    }
}

/// Runs SQL on that file without the store.
pub fn raw_sql(path: PathBuf) -> Arc<dyn RawSql> {
    Arc::new(DirectSql { path })
}

/// A store on a file of its own.
pub async fn store_fixture() -> StoreFixture {
    store_fixture_with(SqliteOptions::default()).await.0
}

/// A store on a file of its own with the given options, and the path of the file.
pub async fn store_fixture_with(options: SqliteOptions) -> (StoreFixture, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quire.db");
    let store = SqliteStore::open(&path, options).unwrap().into_store();
    store.migrations.up(None).await.unwrap();
    let sql = raw_sql(path.clone());
    (StoreFixture { store, sql, keep: Box::new(folder) }, path)
}
