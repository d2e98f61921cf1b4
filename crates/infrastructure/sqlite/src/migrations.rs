//! Migrations. Each is applied or reverted in a transaction of its own.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MigrationStatus, Migrations, PortResult};
use quire_sql::corrupt;
use quire_sql::migrations::{self, Direction, Migration};
use rusqlite::{Connection, params};

use crate::SqliteStore;
use crate::error::translate;
use crate::row::micros;

const MIGRATIONS: &[Migration] = quire_sql::migrations!();

#[async_trait]
impl Migrations for SqliteStore {
    async fn status(&self) -> PortResult<Vec<MigrationStatus>> {
        self.writer.write(|connection| migrations::status(MIGRATIONS, &applied(connection)?)).await
    }

    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>> {
        self.migrate(Direction::Up(to)).await
    }

    async fn down(&self, to: u32) -> PortResult<Vec<u32>> {
        self.migrate(Direction::Down(to)).await
    }
}

impl SqliteStore {
    async fn migrate(&self, direction: Direction) -> PortResult<Vec<u32>> {
        let mut versions = Vec::new();
        while let Some(version) = self.writer.write(move |connection| step(connection, direction)).await? {
            versions.push(version);
        }
        Ok(versions)
    }
}

/// When each applied migration was applied, in order.
fn applied(connection: &Connection) -> PortResult<Vec<Timestamp>> {
    connection
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS schema_migrations (\
                 version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
        )
        .map_err(translate)?;
    let mut statement =
        connection.prepare("SELECT applied_at FROM schema_migrations ORDER BY version").map_err(translate)?;
    let stamps: Vec<i64> =
        statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(translate)?;
    stamps.into_iter().map(|micros| Timestamp::from_microsecond(micros).map_err(corrupt)).collect()
}

/// Runs the next step, if there is one, and returns its version.
fn step(connection: &Connection, direction: Direction) -> PortResult<Option<u32>> {
    let Some(step) = migrations::next(MIGRATIONS, applied(connection)?.len(), direction)? else {
        return Ok(None);
    };
    connection.execute_batch(step.sql).map_err(translate)?;
    let recorded = if step.is_up {
        connection.execute(
            "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?1, ?2, ?3)",
            params![step.version, step.name, micros(Timestamp::now())],
        )
    } else {
        connection.execute("DELETE FROM schema_migrations WHERE version = ?1", [step.version])
    };
    recorded.map_err(translate)?;
    Ok(Some(step.version))
}
