//! A fixture for the test suites: this store in an empty schema of its own, and a connection that bypasses the store.

// Only tests call this code, and there a panic reports a failure.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use quire_testkit::{RawSql, StoreFixture};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, PgConnection, Row};
use uuid::Uuid;

use crate::{PgStore, PostgresOptions};

/// A schema that is dropped with this value.
pub struct TestSchema {
    /// The name of the schema.
    pub schema: String,
}

/// The URL of the server.
pub fn url() -> String {
    std::env::var("QUIRE_TEST_POSTGRES_URL")
        .expect("QUIRE_TEST_POSTGRES_URL is not set; run `cargo xtask test`, which starts a server")
}

impl TestSchema {
    /// Creates an empty schema.
    pub async fn empty() -> Self {
        let place = Self { schema: format!("t_{}", Uuid::now_v7().simple()) };
        let create = format!("CREATE SCHEMA {}", place.schema);
        place.connection().await.execute(AssertSqlSafe(create)).await.unwrap();
        place
    }

    /// Creates a schema with every table.
    pub async fn migrated() -> Self {
        let place = Self::empty().await;
        place.store().await.into_store().migrations.up(None).await.unwrap();
        place
    }

    /// Connects a store to this schema. Each store has connections of its own, as a store in another process would.
    pub async fn store(&self) -> PgStore {
        let options = PostgresOptions {
            schema: Some(self.schema.clone()),
            max_connections: 4,
            ..PostgresOptions::default()
        };
        PgStore::connect(&url(), options).await.unwrap()
    }

    /// Opens a connection that bypasses the store.
    pub async fn connection(&self) -> PgConnection {
        let options = PgConnectOptions::from_str(&url()).unwrap().application_name("quire-test");
        options.options([("search_path", self.schema.as_str())]).connect().await.unwrap()
    }
}

impl Drop for TestSchema {
    /// Drops the schema if possible. A schema that is left behind does no harm.
    fn drop(&mut self) {
        let drop = format!("SET lock_timeout = '2s'; DROP SCHEMA IF EXISTS {} CASCADE", self.schema);
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let options = PgConnectOptions::from_str(&url()).map_err(std::io::Error::other)?;
                let mut connection = options.connect().await.map_err(std::io::Error::other)?;
                let dropping = sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut connection).await;
                dropping.map(|_| ()).map_err(std::io::Error::other)
            })
        });
        let _ = dropped.join();
    }
}

struct DirectSql {
    place: Arc<TestSchema>,
}

#[async_trait]
impl RawSql for DirectSql {
    async fn execute(&self, statement: &str) -> Result<u64, String> {
        let statement = AssertSqlSafe(statement.to_owned());
        let done = self.place.connection().await.execute(statement).await;
        done.map(|done| done.rows_affected()).map_err(|error| error.to_string())
    }

    async fn number(&self, query: &str) -> i64 {
        let query = AssertSqlSafe(query.to_owned());
        self.place.connection().await.fetch_one(query).await.unwrap().get(0)
    }

    fn id(&self, id: Uuid) -> String {
        format!("'{id}'::uuid")
    }
}

/// Runs SQL in that schema without the store.
pub fn raw_sql(place: &Arc<TestSchema>) -> Arc<dyn RawSql> {
    Arc::new(DirectSql { place: place.clone() })
}

/// A store in a schema of its own.
pub async fn store_fixture() -> StoreFixture {
    let place = Arc::new(TestSchema::migrated().await);
    let store = place.store().await.into_store();
    StoreFixture { store, sql: raw_sql(&place), keep: Box::new(place) }
}
