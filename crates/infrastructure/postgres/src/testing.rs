//! A fixture for the test suites: this store in an empty schema of its own, and a connection that bypasses the store.

// Only tests call this code, and there a panic reports a failure.
#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod pooler;

use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use quire_ports::PortResult;
use quire_sql::migrations::{Direction, Migration};
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
        let test_schema = Self { schema: format!("t_{}", Uuid::now_v7().simple()) };
        let create = format!("CREATE SCHEMA {}", test_schema.schema);
        test_schema.connection().await.execute(AssertSqlSafe(create)).await.unwrap();
        test_schema
    }

    /// Creates a schema with every table.
    pub async fn migrated() -> Self {
        let test_schema = Self::empty().await;
        test_schema.store().await.into_store().migrations.up(None).await.unwrap();
        test_schema
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

    /// The ids that a query returns.
    pub async fn uuids(&self, query: &'static str) -> Vec<Uuid> {
        let rows = self.connection().await.fetch_all(query).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Opens a connection that bypasses the store.
    pub async fn connection(&self) -> PgConnection {
        let options = PgConnectOptions::from_str(&url()).unwrap().application_name("quire-test");
        options.options([("search_path", self.schema.as_str())]).connect().await.unwrap()
    }
}

/// Makes updates of some rows wait, as if another transaction had locked them, until this value is released. Unlike a
/// transaction, it lets the table be altered.
pub struct HeldUpdates(PgConnection);

impl HeldUpdates {
    /// Holds updates of the rows of a table for which the condition about `NEW` holds.
    pub async fn of(test_schema: &TestSchema, table: &str, condition: &str) -> Self {
        let mut connection = test_schema.connection().await;
        let hold = format!(
            "SELECT pg_advisory_lock(hashtextextended(current_schema(), 7)); \
             CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 7)); RETURN NEW; END $$; \
             CREATE TRIGGER held BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION hold()"
        );
        connection.execute(AssertSqlSafe(hold)).await.unwrap();
        Self(connection)
    }

    /// Lets them go on.
    pub async fn release(mut self) {
        self.0.execute("SELECT pg_advisory_unlock_all()").await.unwrap();
    }
}

impl Drop for TestSchema {
    /// Drops the schema if possible. A schema that is left behind does no harm.
    fn drop(&mut self) {
        let drop = format!(
            "SET lock_timeout = '2s'; DROP SCHEMA IF EXISTS {0} CASCADE; DROP SCHEMA IF EXISTS {0}_monitoring CASCADE",
            self.schema
        );
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
    test_schema: Arc<TestSchema>,
}

impl DirectSql {
    async fn texts(&self, query: &'static str) -> Vec<String> {
        let rows = self.test_schema.connection().await.fetch_all(query).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

#[async_trait]
impl RawSql for DirectSql {
    async fn execute(&self, statement: &str) -> Result<u64, String> {
        let statement = AssertSqlSafe(statement.to_owned());
        let done = self.test_schema.connection().await.execute(statement).await;
        done.map(|done| done.rows_affected()).map_err(|error| error.to_string())
    }

    async fn number(&self, query: &str) -> i64 {
        let query = AssertSqlSafe(query.to_owned());
        self.test_schema.connection().await.fetch_one(query).await.unwrap().get(0)
    }

    fn id(&self, id: Uuid) -> String {
        format!("'{id}'::uuid")
    }

    async fn schema(&self) -> Vec<String> {
        self.texts(include_str!("testing/schema.sql")).await
    }

    async fn refuse_updates(&self, table: &str, condition: &str) {
        let refuse = format!(
            "CREATE TRIGGER refusing BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({condition}) \
             EXECUTE FUNCTION refuse('refused')"
        );
        self.execute(&refuse).await.unwrap();
    }

    async fn allow_updates(&self, table: &str) {
        self.execute(&format!("DROP TRIGGER refusing ON {table}")).await.unwrap();
    }

    async fn tables(&self) -> Vec<String> {
        self.texts(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() \
             AND tablename NOT IN ('schema_migrations', 'migration_progress') ORDER BY 1",
        )
        .await
    }
}

/// Runs SQL in that schema without the store.
pub fn raw_sql(test_schema: &Arc<TestSchema>) -> Arc<dyn RawSql> {
    Arc::new(DirectSql { test_schema: test_schema.clone() })
}

/// Applies a migration after those of the store.
pub async fn apply_after_all(store: &PgStore, migration: Migration) -> PortResult<Vec<u32>> {
    let all = [crate::migrations::MIGRATIONS, &[migration]].concat();
    store.migrate(&all, Direction::Up(None)).await
}

/// A store in a schema of its own.
pub async fn store_fixture() -> StoreFixture {
    let test_schema = Arc::new(TestSchema::migrated().await);
    let store = test_schema.store().await.into_store();
    StoreFixture { store, sql: raw_sql(&test_schema), keep: Box::new(test_schema) }
}

/// How many neighbours of each vector a search looks at.
pub fn search_width() -> &'static str {
    crate::vectors::search_width()
}

/// How the server would find the nearest chunks.
pub async fn plan_of_nearest(store: &PgStore, query: &quire_ports::NearestQuery) -> String {
    crate::vectors::plan(&store.database, query).await.unwrap()
}

/// How the server would find the documents that fulfil a query.
pub async fn plan_of_find(store: &PgStore, query: &quire_ports::FindQuery) -> String {
    crate::find::plan(&store.database, query).await.unwrap()
}
