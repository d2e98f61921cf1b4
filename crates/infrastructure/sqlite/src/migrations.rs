//! Migrations. The parts of each run as its file says: in a transaction or in batches. See [`quire_sql::migrations`].

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MigrationStatus, Migrations, PortResult};
use quire_sql::migrations::{
    self, Applied, BATCH, BatchLog, Direction, FIELDS_BATCH, Migration, MigrationPart, MigrationProgress,
    MigrationStep, PartKind, Unfinished,
};
use quire_sql::{corrupt, json_text, row};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::SqliteStore;
use crate::error::translate;
use crate::row::{all, execute, micros, scalar};

const MIGRATIONS: &[Migration] = quire_sql::migrations!();

const BOOKKEEPING: &str = "\
    CREATE TABLE IF NOT EXISTS schema_migrations (\
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL); \
    CREATE TABLE IF NOT EXISTS migration_progress (\
        version INTEGER PRIMARY KEY, is_up INTEGER NOT NULL, checksum TEXT NOT NULL, part INTEGER NOT NULL, \
        last_key BLOB, done_rows INTEGER NOT NULL)";

#[async_trait]
impl Migrations for SqliteStore {
    async fn database_version(&self) -> PortResult<String> {
        self.readers
            .read(|connection| {
                let version: String = scalar(connection, "SELECT sqlite_version()", [])?;
                // The version is known without the file; this fails if the file is no database.
                scalar::<i64>(connection, "SELECT count(*) FROM sqlite_master", [])?;
                Ok(format!("SQLite {version}"))
            })
            .await
    }

    fn newest_known(&self) -> u32 {
        migrations::newest_known(MIGRATIONS)
    }

    async fn version(&self) -> PortResult<u32> {
        self.writer.write(|connection| Ok(migrations::version_of(&applied(connection)?))).await
    }

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

/// What one transaction of a migration did.
enum Moved {
    /// It finished this version.
    Finished(u32),
    /// It did a part of this migration, or a batch. More follows.
    Part { name: &'static str, batch: Option<BatchDone> },
}

/// A batch that was done.
struct BatchDone {
    table: String,
    /// How many rows the table has. Counted only for the first line of the log.
    total: i64,
    progress: MigrationProgress,
}

impl SqliteStore {
    async fn migrate(&self, direction: Direction) -> PortResult<Vec<u32>> {
        self.writer.write(record_missing_checksums).await?;
        let mut versions = Vec::new();
        let mut log: Option<(BatchLog, MigrationProgress)> = None;
        loop {
            let is_logged = log.is_some();
            let moved =
                self.writer.write(move |connection| advance(connection, direction, is_logged)).await?;
            let Some(moved) = moved else { break };
            let batch = match moved {
                Moved::Finished(version) => {
                    versions.push(version);
                    None
                }
                Moved::Part { name, batch } => batch.map(|batch| (name, batch)),
            };
            log = log_batch(log, batch);
        }
        Ok(versions)
    }
}

/// Logs a batch, or the end of the batches before.
fn log_batch(
    log: Option<(BatchLog, MigrationProgress)>,
    batch: Option<(&'static str, BatchDone)>,
) -> Option<(BatchLog, MigrationProgress)> {
    match (log, batch) {
        (Some((mut log, _)), Some((_, batch))) => {
            log.batch_done(&batch.progress);
            Some((log, batch.progress))
        }
        (None, Some((name, batch))) => {
            Some((BatchLog::start(name, &batch.table, batch.total, &batch.progress), batch.progress))
        }
        (Some((log, progress)), None) => {
            log.finish(&progress);
            None
        }
        (None, None) => None,
    }
}

/// The applied migrations, in order.
fn applied(connection: &Connection) -> PortResult<Vec<Applied>> {
    connection.execute_batch(BOOKKEEPING).map_err(translate)?;
    add_column(connection, "checksum", "TEXT")?;
    add_column(connection, "oldest_program", "INTEGER")?;
    let mut statement = connection
        .prepare("SELECT applied_at, checksum, oldest_program FROM schema_migrations ORDER BY version")
        .map_err(translate)?;
    let rows: Vec<(i64, Option<String>, Option<u32>)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .and_then(Iterator::collect)
        .map_err(translate)?;
    rows.into_iter()
        .map(|(micros, checksum, oldest_program)| {
            let at = Timestamp::from_microsecond(micros).map_err(corrupt)?;
            Ok(Applied { at, checksum, oldest_program })
        })
        .collect()
}

/// The table of an older program lacks columns.
fn add_column(connection: &Connection, name: &str, column_type: &str) -> PortResult<()> {
    let exists = connection
        .prepare("SELECT 1 FROM pragma_table_info('schema_migrations') WHERE name = ?1")
        .and_then(|mut statement| statement.exists([name]))
        .map_err(translate)?;
    if exists {
        return Ok(());
    }
    let add = format!("ALTER TABLE schema_migrations ADD COLUMN {name} {column_type}");
    connection.execute_batch(&add).map_err(translate)
}

fn record_missing_checksums(connection: &Connection) -> PortResult<()> {
    for (version, checksum) in migrations::missing_checksums(MIGRATIONS, &applied(connection)?) {
        connection
            .execute(
                "UPDATE schema_migrations SET checksum = ?2 WHERE version = ?1",
                params![version, checksum],
            )
            .map_err(translate)?;
    }
    Ok(())
}

fn unfinished(connection: &Connection) -> PortResult<Option<Unfinished>> {
    connection
        .query_row(
            "SELECT version, is_up, checksum, part, last_key, done_rows FROM migration_progress",
            [],
            |row| {
                let last_key: Option<[u8; 16]> = row.get(4)?;
                Ok(Unfinished {
                    version: row.get(0)?,
                    is_up: row.get(1)?,
                    checksum: row.get(2)?,
                    progress: MigrationProgress {
                        part: row.get(3)?,
                        last_key: last_key.map(Uuid::from_bytes),
                        rows: row.get(5)?,
                    },
                })
            },
        )
        .optional()
        .map_err(translate)
}

/// Runs the next part or batch of the next step, if there is one.
fn advance(connection: &Connection, direction: Direction, is_logged: bool) -> PortResult<Option<Moved>> {
    let (applied, unfinished) = (applied(connection)?, unfinished(connection)?);
    let Some(step) = migrations::next(MIGRATIONS, &applied, unfinished.as_ref(), direction)? else {
        return Ok(None);
    };
    let part = step.part(step.progress.part);
    if let Some(part) = part {
        if let PartKind::Batches { table, key, fields } = &part.kind {
            if let Some(progress) = batch(connection, part, (table, key, *fields), step.progress)? {
                record_progress(connection, &step, progress)?;
                let count = format!("SELECT count(*) FROM {table}");
                let count = || connection.query_row(&count, [], |row| row.get(0)).map_err(translate);
                let total = if is_logged { 0 } else { count()? };
                let batch = Some(BatchDone { table: table.clone(), total, progress });
                return Ok(Some(Moved::Part { name: step.name, batch }));
            }
        } else {
            connection.execute_batch(&part.sql).map_err(translate)?;
        }
    }
    let next = step.progress.part + 1;
    if step.part(next).is_some() {
        let progress = MigrationProgress { part: next, ..MigrationProgress::default() };
        record_progress(connection, &step, progress)?;
        return Ok(Some(Moved::Part { name: step.name, batch: None }));
    }
    record(connection, &step)?;
    Ok(Some(Moved::Finished(step.version)))
}

/// Does one batch. Returns None if no row is left.
fn batch(
    connection: &Connection,
    part: &MigrationPart,
    (table, key, fields): (&str, &str, bool),
    progress: MigrationProgress,
) -> PortResult<Option<MigrationProgress>> {
    let after = progress.last_key.unwrap_or_default();
    let limit = if fields { FIELDS_BATCH } else { BATCH };
    let page = format!("SELECT {key} FROM {table} WHERE {key} > ?1 ORDER BY {key} LIMIT {limit}");
    let mut statement = connection.prepare(&page).map_err(translate)?;
    let keys: Vec<[u8; 16]> = statement
        .query_map([after.as_bytes()], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(translate)?;
    let Some(last) = keys.last() else { return Ok(None) };
    let range = params![after.as_bytes(), last];
    if fields {
        let rows = all(connection, &part.statement(), range, row::field_rows)?.concat();
        execute(connection, &part.insert_statement(), [json_text(&rows)?])?;
    } else {
        connection.execute(&part.statement(), range).map_err(translate)?;
    }
    let rows = progress.rows + i64::try_from(keys.len()).map_err(corrupt)?;
    Ok(Some(MigrationProgress { last_key: Some(Uuid::from_bytes(*last)), rows, ..progress }))
}

fn record_progress(
    connection: &Connection,
    step: &MigrationStep,
    progress: MigrationProgress,
) -> PortResult<()> {
    let last_key = progress.last_key.as_ref().map(Uuid::as_bytes);
    connection
        .execute(
            "INSERT OR REPLACE INTO migration_progress (version, is_up, checksum, part, last_key, done_rows) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![step.version, step.is_up, step.checksum, progress.part, last_key, progress.rows],
        )
        .map_err(translate)?;
    Ok(())
}

fn record(connection: &Connection, step: &MigrationStep) -> PortResult<()> {
    let recorded = if step.is_up {
        connection.execute(
            "INSERT INTO schema_migrations (version, name, applied_at, checksum, oldest_program) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![step.version, step.name, micros(Timestamp::now()), step.checksum, step.oldest_program],
        )
    } else {
        connection.execute("DELETE FROM schema_migrations WHERE version = ?1", [step.version])
    };
    recorded.map_err(translate)?;
    connection.execute("DELETE FROM migration_progress", []).map_err(translate)?;
    Ok(())
}
