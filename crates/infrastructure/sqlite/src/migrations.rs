//! Migrations: numbered pairs of files, each applied or taken back in a transaction of its own.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MigrationStatus, Migrations, PortError, PortResult};
use rusqlite::{Connection, params};

use crate::SqliteStore;
use crate::error::translate;
use crate::row::{micros, timestamp};

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

#[async_trait]
impl Migrations for SqliteStore {
    async fn status(&self) -> PortResult<Vec<MigrationStatus>> {
        self.writer
            .write(|connection| {
                let applied = applied(connection)?;
                let describe = |(index, migration): (usize, &Migration)| {
                    let applied_at = applied.get(index).copied().map(timestamp).transpose()?;
                    Ok(MigrationStatus { version: version(index), name: migration.name, applied_at })
                };
                MIGRATIONS.iter().enumerate().map(describe).collect()
            })
            .await
    }

    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>> {
        let to = to.map_or(MIGRATIONS.len(), |to| to as usize);
        let mut done = Vec::new();
        while let Some(next) = self.writer.write(move |connection| step_up(connection, to)).await? {
            done.push(next);
        }
        Ok(done)
    }

    async fn down(&self, to: u32) -> PortResult<Vec<u32>> {
        let mut done = Vec::new();
        while let Some(next) = self.writer.write(move |connection| step_down(connection, to as usize)).await?
        {
            done.push(next);
        }
        Ok(done)
    }
}

fn version(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// When each applied migration was applied, in order.
fn applied(connection: &Connection) -> PortResult<Vec<i64>> {
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
    if stamps.len() > MIGRATIONS.len() {
        return Err(PortError::Conflict(format!(
            "the database is at version {}, and this program knows versions up to {}; use a newer program",
            stamps.len(),
            MIGRATIONS.len()
        )));
    }
    Ok(stamps)
}

fn step_up(connection: &Connection, to: usize) -> PortResult<Option<u32>> {
    let at = applied(connection)?.len();
    let Some(migration) = MIGRATIONS.get(at).filter(|_| at < to) else {
        return Ok(None);
    };
    connection.execute_batch(migration.up).map_err(translate)?;
    connection
        .execute(
            "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?1, ?2, ?3)",
            params![version(at), migration.name, micros(Timestamp::now())],
        )
        .map_err(translate)?;
    Ok(Some(version(at)))
}

fn step_down(connection: &Connection, to: usize) -> PortResult<Option<u32>> {
    let at = applied(connection)?.len();
    let Some(index) = at.checked_sub(1).filter(|_| at > to) else {
        return Ok(None);
    };
    connection.execute_batch(MIGRATIONS[index].down).map_err(translate)?;
    connection
        .execute("DELETE FROM schema_migrations WHERE version = ?1", [version(index)])
        .map_err(translate)?;
    Ok(Some(version(index)))
}
