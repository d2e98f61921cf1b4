//! Migrations: each is applied or taken back in a transaction of its own, unless the first line of its file says that it
//! cannot be.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MigrationStatus, Migrations, PortResult};
use quire_sql::corrupt;
use quire_sql::migrations::{self, Direction, Migration, Step};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::PgStore;
use crate::database::commit;
use crate::error::{translate, unavailable};
use crate::row::{StoredTime, mapped};

const MIGRATIONS: &[Migration] = quire_sql::migrations!();

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
        migrations::status(MIGRATIONS, &applied)
    }

    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>> {
        self.migrate(Direction::Up(to)).await
    }

    async fn down(&self, to: u32) -> PortResult<Vec<u32>> {
        self.migrate(Direction::Down(to)).await
    }
}

impl PgStore {
    async fn migrate(&self, direction: Direction) -> PortResult<Vec<u32>> {
        let mut connection = self.migrator().await?;
        let mut versions = Vec::new();
        loop {
            let applied = applied(&mut connection).await?.len();
            let Some(step) = migrations::next(MIGRATIONS, applied, direction)? else { break };
            run(&mut connection, step).await?;
            versions.push(step.version);
        }
        close(connection).await;
        Ok(versions)
    }

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

/// When each applied migration was applied, in order.
async fn applied(connection: &mut PgConnection) -> PortResult<Vec<Timestamp>> {
    let rows = sqlx::query("SELECT applied_at FROM schema_migrations ORDER BY version")
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    mapped(&rows, |row| row.timestamp("applied_at"))
}

/// Runs a migration and records it: in one transaction, or the record after all of the statements, which can be run
/// again.
async fn run(connection: &mut PgConnection, step: Step) -> PortResult<()> {
    if step.sql.starts_with(NO_TRANSACTION) {
        for statement in statements(step.sql) {
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await.map_err(translate)?;
        }
        return record(connection, step).await;
    }
    let mut transaction = connection.begin().await.map_err(translate)?;
    sqlx::raw_sql(step.sql).execute(&mut *transaction).await.map_err(translate)?;
    record(&mut transaction, step).await?;
    transaction.commit().await.map_err(translate)
}

async fn record(connection: &mut PgConnection, step: Step) -> PortResult<()> {
    let version = i32::try_from(step.version).map_err(corrupt)?;
    let record = if step.is_up {
        sqlx::query("INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)")
            .bind(version)
            .bind(step.name)
            .bind(StoredTime(Timestamp::now()))
    } else {
        sqlx::query("DELETE FROM schema_migrations WHERE version = $1").bind(version)
    };
    record.execute(connection).await.map_err(translate)?;
    Ok(())
}

/// The statements of a file of ours that holds no quoted semicolons.
fn statements(file: &str) -> Vec<String> {
    let code: Vec<&str> = file.lines().filter(|line| !line.starts_with("--")).collect();
    let code = code.join("\n");
    code.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
