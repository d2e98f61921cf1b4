//! Migrations: numbered pairs of files, each applied or taken back in a transaction of its own, unless its first
//! line says that it cannot be.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MigrationStatus, Migrations, PortError, PortResult};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::PgStore;
use crate::database::commit;
use crate::error::{translate, unavailable};
use crate::row::{At, timestamp};

struct Migration {
    name: &'static str,
    up: &'static str,
    down: &'static str,
}

macro_rules! migrations {
    ($($file:literal),+ $(,)?) => {
        /// In order; the place in the list, from 1, is the version.
        const MIGRATIONS: &[Migration] = &[$(Migration {
            name: $file,
            up: include_str!(concat!("../migrations/", $file, ".up.sql")),
            down: include_str!(concat!("../migrations/", $file, ".down.sql")),
        }),+];
    };
}

migrations![
    "0001_documents_and_runs",
    "0002_history",
    "0003_workers_and_figures",
    "0004_indexes",
    "0005_run_language",
    "0006_list_of_documents",
    "0007_interpretations",
    "0008_credentials",
    "0009_intake",
    "0010_schema_files",
    "0011_calibration",
    "0012_interpreters",
    "0013_certainty",
    "0014_sessions",
    "0015_found_by",
    "0016_failures",
];

/// What the first line of a file says whose statements go one by one.
const NO_TRANSACTION: &str = "-- no-transaction";
/// How long to wait for another migrator, and how long between two looks.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

#[async_trait]
impl Migrations for PgStore {
    async fn status(&self) -> PortResult<Vec<MigrationStatus>> {
        let mut transaction = self.database.begin().await?;
        let exists: bool = sqlx::query_scalar("SELECT to_regclass('schema_migrations') IS NOT NULL")
            .fetch_one(&mut *transaction)
            .await
            .map_err(translate)?;
        let applied = if exists { applied(&mut transaction).await? } else { Vec::new() };
        commit(transaction).await?;
        let describe = |(index, migration): (usize, &Migration)| MigrationStatus {
            version: version(index),
            name: migration.name,
            applied_at: applied.get(index).copied(),
        };
        Ok(MIGRATIONS.iter().enumerate().map(describe).collect())
    }

    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>> {
        let to = to.map_or(MIGRATIONS.len(), |to| to as usize);
        let mut connection = self.migrator().await?;
        let mut done = Vec::new();
        while let Some(next) = step_up(&mut connection, to).await? {
            done.push(next);
        }
        close(connection).await;
        Ok(done)
    }

    async fn down(&self, to: u32) -> PortResult<Vec<u32>> {
        let mut connection = self.migrator().await?;
        let mut done = Vec::new();
        while let Some(next) = step_down(&mut connection, to as usize).await? {
            done.push(next);
        }
        close(connection).await;
        Ok(done)
    }
}

impl PgStore {
    /// A connection of its own that holds the migrators' lock, and lets it go when it is closed or dropped.
    async fn migrator(&self) -> PortResult<PgConnection> {
        let mut connection = self.database.fresh().await?;
        // An index of a large table takes its time.
        sqlx::raw_sql("SET statement_timeout = 0; SET lock_timeout = 0")
            .execute(&mut connection)
            .await
            .map_err(translate)?;
        lock(&mut connection).await?;
        sqlx::raw_sql(
            "CREATE TABLE IF NOT EXISTS schema_migrations (\
                 version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL)",
        )
        .execute(&mut connection)
        .await
        .map_err(translate)?;
        Ok(connection)
    }
}

/// Keeps two migrators apart. It asks again and again instead of waiting inside the server: a statement that waits
/// there looks like a reader, and building an index beside readers waits for those.
async fn lock(connection: &mut PgConnection) -> PortResult<()> {
    let since = Instant::now();
    loop {
        let locked: bool = sqlx::query_scalar(
            "SELECT pg_try_advisory_lock(hashtextextended('quire_migrations ' || current_schema(), 0))",
        )
        .fetch_one(&mut *connection)
        .await
        .map_err(translate)?;
        if locked {
            return Ok(());
        }
        if since.elapsed() > PATIENCE {
            return Err(unavailable("another process is migrating it", true));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn close(connection: PgConnection) {
    // What was done is committed; a connection that cannot say goodbye takes nothing back.
    let _ = connection.close().await;
}

fn version(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// When each applied migration was applied, in order.
async fn applied(connection: &mut PgConnection) -> PortResult<Vec<Timestamp>> {
    let rows = sqlx::query("SELECT applied_at FROM schema_migrations ORDER BY version")
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    if rows.len() > MIGRATIONS.len() {
        return Err(PortError::Conflict(format!(
            "the database is at version {}, and this program knows versions up to {}; use a newer program",
            rows.len(),
            MIGRATIONS.len()
        )));
    }
    rows.iter().map(|row| timestamp(row, 0)).collect()
}

async fn step_up(connection: &mut PgConnection, to: usize) -> PortResult<Option<u32>> {
    let at = applied(connection).await?.len();
    let Some(migration) = MIGRATIONS.get(at).filter(|_| at < to) else {
        return Ok(None);
    };
    let note = sqlx::query("INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)")
        .bind(number(at))
        .bind(migration.name)
        .bind(At(Timestamp::now()));
    run(connection, migration.up, note).await?;
    Ok(Some(version(at)))
}

async fn step_down(connection: &mut PgConnection, to: usize) -> PortResult<Option<u32>> {
    let at = applied(connection).await?.len();
    let Some(index) = at.checked_sub(1).filter(|_| at > to) else {
        return Ok(None);
    };
    let note = sqlx::query("DELETE FROM schema_migrations WHERE version = $1").bind(number(index));
    run(connection, MIGRATIONS[index].down, note).await?;
    Ok(Some(version(index)))
}

/// The version as its column has it.
fn number(index: usize) -> i32 {
    i32::try_from(index + 1).unwrap_or(i32::MAX)
}

/// Runs a file and notes it: together, or the note after all of its statements. Those can be run again.
async fn run(
    connection: &mut PgConnection,
    file: &'static str,
    note: sqlx::query::Query<'_, sqlx::Postgres, sqlx::postgres::PgArguments>,
) -> PortResult<()> {
    if file.starts_with(NO_TRANSACTION) {
        for statement in statements(file) {
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await.map_err(translate)?;
        }
        note.execute(connection).await.map_err(translate)?;
        return Ok(());
    }
    let mut transaction = connection.begin().await.map_err(translate)?;
    sqlx::raw_sql(file).execute(&mut *transaction).await.map_err(translate)?;
    note.execute(&mut *transaction).await.map_err(translate)?;
    transaction.commit().await.map_err(translate)
}

/// The statements of a file of ours that holds no quoted semicolons.
fn statements(file: &str) -> Vec<String> {
    let code: Vec<&str> = file.lines().filter(|line| !line.starts_with("--")).collect();
    let code = code.join("\n");
    code.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
