//! Migrations. Each is applied or reverted in a transaction of its own, unless the first line of its file says that
//! its statements cannot run in a transaction.

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

/// The first line of a file whose statements run one by one, without a transaction.
const NO_TRANSACTION: &str = "-- no-transaction";
/// How long to wait for another migrator, and how long to wait between two attempts.
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

    /// Opens a connection that holds the migrators' lock until it is closed or dropped.
    async fn migrator(&self) -> PortResult<PgConnection> {
        let mut connection = self.database.fresh().await?;
        // Building an index of a large table can take long.
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

/// Takes the lock that keeps two migrators apart. It polls instead of waiting inside the server: a statement that
/// waits there looks like a reader, and a concurrent index build waits for all readers.
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
    // The migrations are committed, so an error while closing the connection changes nothing.
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

/// Runs a migration and records it in one transaction. Without a transaction it records the migration after the last
/// statement, and every statement of such a migration can be run again.
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

/// The statements of a migration file. Our files contain no quoted semicolons.
fn statements(file: &str) -> Vec<String> {
    let code: Vec<&str> = file.lines().filter(|line| !line.starts_with("--")).collect();
    let code = code.join("\n");
    code.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
