//! Whole tables: for copies and checks. Each snapshot and each copy has a connection of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::InstallationId;
use quire_ports::{
    CellType, Column, CopyProgress, DatabaseCell, DatabaseRow, DatabaseTable, DatabaseTables, PortError,
    PortResult, TableReceiver, TableSnapshot,
};
use quire_sql::tables::{
    COPY_SOURCE, CREATE_COPY_PROGRESS, FORGET_COPY, HISTORY_RULES, INSTALLATION, TABLES, copy_of_another,
    is_derived, not_empty, page_query, quoted,
};
use quire_sql::{bad_json, corrupt, json_text};
use rusqlite::config::DbConfig;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params, params_from_iter};
use uuid::Uuid;

use crate::error::{stopped, translate};
use crate::row::{execute, micros, scalar};
use crate::writer::connect;
use crate::{SqliteStore, sql};

/// How long a copy waits for another process that writes.
const PATIENCE: Duration = Duration::from_mins(1);

#[async_trait]
impl DatabaseTables for SqliteStore {
    async fn snapshot(&self) -> PortResult<Box<dyn TableSnapshot>> {
        let connection = OwnConnection::open(self.path.clone()).await?;
        let tables = connection
            .run(|connection| {
                // The transaction begins to see the database at its first query.
                connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_master").map_err(translate)?;
                tables(connection)
            })
            .await?;
        Ok(Box::new(SqliteSnapshot { connection, tables }))
    }

    async fn receive(&self, source: InstallationId) -> PortResult<Box<dyn TableReceiver>> {
        let connection = OwnConnection::open(self.path.clone()).await?;
        let tables = connection
            .run(move |connection| {
                connection
                    .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
                    .map_err(translate)?;
                in_transaction(connection, || begin_or_continue(connection, source))?;
                tables(connection)
            })
            .await?;
        Ok(Box::new(SqliteReceiver { connection, tables }))
    }

    async fn unfinished_copy(&self) -> PortResult<Option<InstallationId>> {
        self.readers.read(copied_installation).await
    }

    async fn forget_copy(&self) -> PortResult<()> {
        let forget = |connection: &Connection| connection.execute_batch(FORGET_COPY).map_err(translate);
        self.writer.write(forget).await
    }

    async fn contradictions(&self, limit: usize) -> PortResult<Vec<String>> {
        OwnConnection::open(self.path.clone())
            .await?
            .run(move |connection| contradictions(connection, limit))
            .await
    }
}

/// A connection for one task. One call at a time uses it, and none runs on an async thread.
#[derive(Clone)]
struct OwnConnection(Arc<Mutex<Connection>>);

impl OwnConnection {
    async fn open(path: PathBuf) -> PortResult<Self> {
        let open = move |path: &Path| {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = connect(path, flags, PATIENCE)?;
            connection.execute_batch("PRAGMA synchronous = FULL").map_err(translate)?;
            Ok(Self(Arc::new(Mutex::new(connection))))
        };
        tokio::task::spawn_blocking(move || open(&path)).await.map_err(|_| stopped())?
    }

    async fn run<T, F>(&self, work: F) -> PortResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> PortResult<T> + Send + 'static,
    {
        let connection = self.0.clone();
        let work = move || work(&connection.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(|_| stopped())?
    }
}

struct SqliteSnapshot {
    connection: OwnConnection,
    tables: Vec<DatabaseTable>,
}

#[async_trait]
impl TableSnapshot for SqliteSnapshot {
    fn tables(&self) -> &[DatabaseTable] {
        &self.tables
    }

    async fn rows(
        &mut self,
        table: &DatabaseTable,
        after: Option<&DatabaseRow>,
        limit: u32,
    ) -> PortResult<Vec<DatabaseRow>> {
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let key: Vec<&str> = table.key.iter().map(|index| table.columns[*index].name.as_str()).collect();
        let after: Vec<Value> = after.into_iter().flatten().map(stored).collect();
        let placeholders: Vec<String> = (1..=after.len()).map(|number| format!("?{number}")).collect();
        let query = page_query(&table.name, &columns, &key, &placeholders, limit);
        let width = columns.len();
        self.connection
            .run(move |connection| {
                let mut statement = connection.prepare_cached(&query).map_err(translate)?;
                let mut rows = statement.query(params_from_iter(after)).map_err(translate)?;
                let mut page = Vec::new();
                while let Some(row) = rows.next().map_err(translate)? {
                    let cells = (0..width)
                        .map(|index| row.get_ref(index).map_err(translate).and_then(|value| cell(value)));
                    page.push(cells.collect::<PortResult<DatabaseRow>>()?);
                }
                Ok(page)
            })
            .await
    }

    async fn count(&mut self, table: &DatabaseTable) -> PortResult<u64> {
        let query = format!("SELECT count(*) FROM {}", quoted(&table.name));
        self.connection
            .run(move |connection| scalar::<i64>(connection, &query, []))
            .await
            .map(i64::unsigned_abs)
    }

    async fn subjects(&mut self, after: Option<Uuid>, limit: u32) -> PortResult<Vec<Uuid>> {
        let after = after.unwrap_or_default();
        self.connection
            .run(move |connection| {
                let mut statement =
                    connection.prepare_cached(sql!("documents/subjects")).map_err(translate)?;
                let ids = statement.query_map(params![after.as_bytes(), limit], |row| row.get(0));
                let ids: Vec<[u8; 16]> = ids.and_then(Iterator::collect).map_err(translate)?;
                Ok(ids.into_iter().map(Uuid::from_bytes).collect())
            })
            .await
    }

    async fn subject_count(&mut self) -> PortResult<u64> {
        let count = |connection: &Connection| scalar::<i64>(connection, sql!("documents/subject_count"), []);
        self.connection.run(count).await.map(i64::unsigned_abs)
    }

    async fn last_event_id(&mut self) -> PortResult<i64> {
        let query = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'";
        self.connection.run(move |connection| scalar(connection, query, [])).await
    }
}

struct SqliteReceiver {
    connection: OwnConnection,
    tables: Vec<DatabaseTable>,
}

#[async_trait]
impl TableReceiver for SqliteReceiver {
    fn tables(&self) -> &[DatabaseTable] {
        &self.tables
    }

    async fn progress(&mut self, part: &str) -> PortResult<CopyProgress> {
        let part = part.to_owned();
        self.connection
            .run(move |connection| {
                let stored: Option<String> = connection
                    .query_row("SELECT progress FROM copy_progress WHERE part = ?1", [part], |row| row.get(0))
                    .optional()
                    .map_err(translate)?;
                stored
                    .map_or(Ok(CopyProgress::default()), |text| serde_json::from_str(&text).map_err(bad_json))
            })
            .await
    }

    async fn record(&mut self, part: &str, progress: &CopyProgress) -> PortResult<()> {
        let (part, progress) = (part.to_owned(), json_text(progress)?);
        self.connection.run(move |connection| record(connection, &part, &progress)).await
    }

    async fn insert(
        &mut self,
        table: &DatabaseTable,
        rows: Vec<DatabaseRow>,
        progress: &CopyProgress,
    ) -> PortResult<()> {
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let values = vec!["?"; columns.len()].join(", ");
        let insert =
            format!("INSERT INTO {} ({}) VALUES ({values})", quoted(&table.name), columns.join(", "));
        let (part, progress) = (table.name.clone(), json_text(progress)?);
        self.connection
            .run(move |connection| {
                in_transaction(connection, || {
                    let mut statement = connection.prepare_cached(&insert).map_err(translate)?;
                    for row in &rows {
                        statement.execute(params_from_iter(row.iter().map(stored))).map_err(translate)?;
                    }
                    record(connection, &part, &progress)
                })
            })
            .await
    }

    async fn finish(&mut self, last_event_id: i64) -> PortResult<()> {
        self.connection
            .run(move |connection| {
                in_transaction(connection, || {
                    execute(connection, "DELETE FROM sqlite_sequence WHERE name = 'events'", [])?;
                    let sequence = "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?1)";
                    execute(connection, sequence, [last_event_id])?;
                    execute(connection, sql!("workers/end_all"), [micros(Timestamp::now())])?;
                    connection.execute_batch("DROP TABLE copy_progress").map_err(translate)
                })
            })
            .await
    }
}

/// Checks that the database is empty and marks it as the target of a copy, unless it is marked already.
fn begin_or_continue(connection: &Connection, source: InstallationId) -> PortResult<()> {
    match copied_installation(connection)? {
        Some(begun) if begun == source => return Ok(()),
        Some(_) => return Err(copy_of_another()),
        None => {}
    }
    for table in TABLES.iter().filter(|table| **table != INSTALLATION) {
        let exists = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(table));
        if scalar(connection, &exists, [])? {
            return Err(not_empty(table));
        }
    }
    execute(connection, &format!("DELETE FROM {INSTALLATION}"), [])?;
    connection.execute_batch(CREATE_COPY_PROGRESS).map_err(translate)?;
    record(connection, COPY_SOURCE, &source.to_string())
}

fn copied_installation(connection: &Connection) -> PortResult<Option<InstallationId>> {
    let exists =
        "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copy_progress')";
    if !scalar::<bool>(connection, exists, [])? {
        return Ok(None);
    }
    let source: String =
        scalar(connection, "SELECT progress FROM copy_progress WHERE part = ?1", [COPY_SOURCE])?;
    source.parse().map(Some).map_err(corrupt)
}

fn record(connection: &Connection, part: &str, progress: &str) -> PortResult<()> {
    let upsert = "INSERT INTO copy_progress (part, progress) VALUES (?1, ?2) \
                  ON CONFLICT (part) DO UPDATE SET progress = excluded.progress";
    execute(connection, upsert, [part, progress]).map(drop)
}

fn in_transaction(connection: &Connection, work: impl FnOnce() -> PortResult<()>) -> PortResult<()> {
    connection.execute_batch("BEGIN IMMEDIATE").map_err(translate)?;
    let done = work().and_then(|()| connection.execute_batch("COMMIT").map_err(translate));
    if done.is_err() && !connection.is_autocommit() {
        // The first error says more than that of the rollback.
        let _ = connection.execute_batch("ROLLBACK");
    }
    done
}

/// The tables with their columns. SQLite does not tell booleans, times and ids from numbers and bytes.
fn tables(connection: &Connection) -> PortResult<Vec<DatabaseTable>> {
    TABLES.iter().map(|name| table(connection, name)).collect()
}

fn table(connection: &Connection, name: &str) -> PortResult<DatabaseTable> {
    // A hidden column is computed.
    let query = "SELECT name, pk FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid";
    let mut statement = connection.prepare_cached(query).map_err(translate)?;
    let columns: Vec<(String, i64)> = statement
        .query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .map_err(translate)?;
    let columns: Vec<_> = columns.into_iter().filter(|(column, _)| !is_derived(name, column)).collect();
    let mut key: Vec<usize> = (0..columns.len()).filter(|index| columns[*index].1 > 0).collect();
    key.sort_by_key(|index| columns[*index].1);
    if key.is_empty() {
        return Err(PortError::Corrupt(format!("the table {name} is missing or has no primary key")));
    }
    let column = |(name, _): (String, i64)| Column { name, cell_type: CellType::Unknown };
    Ok(DatabaseTable { name: name.to_owned(), columns: columns.into_iter().map(column).collect(), key })
}

/// A stored value as it is.
fn cell(value: ValueRef<'_>) -> PortResult<DatabaseCell> {
    Ok(match value {
        ValueRef::Null => DatabaseCell::Null,
        ValueRef::Integer(number) => DatabaseCell::Integer(number),
        ValueRef::Real(number) => DatabaseCell::Float(number),
        ValueRef::Text(text) => DatabaseCell::Text(std::str::from_utf8(text).map_err(corrupt)?.to_owned()),
        ValueRef::Blob(bytes) => DatabaseCell::Bytes(bytes.to_vec()),
    })
}

/// A value in the form in which SQLite stores it.
fn stored(cell: &DatabaseCell) -> Value {
    match cell {
        DatabaseCell::Null => Value::Null,
        DatabaseCell::Boolean(truth) => Value::Integer(i64::from(*truth)),
        DatabaseCell::Integer(number) => Value::Integer(*number),
        DatabaseCell::Float(number) => Value::Real(*number),
        DatabaseCell::Text(text) | DatabaseCell::Json(text) => Value::Text(text.clone()),
        DatabaseCell::Bytes(bytes) => Value::Blob(bytes.clone()),
        DatabaseCell::Uuid(id) => Value::Blob(id.as_bytes().to_vec()),
        DatabaseCell::Time(at) => Value::Integer(micros(*at)),
    }
}

/// What the file, the references between tables and the history say against each other.
fn contradictions(connection: &Connection, limit: usize) -> PortResult<Vec<String>> {
    let texts = |query: &str| -> PortResult<Vec<String>> {
        let mut statement = connection.prepare(query).map_err(translate)?;
        statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(translate)
    };
    let mut found: Vec<String> = texts(&format!("PRAGMA integrity_check({})", limit.max(1)))?
        .into_iter()
        .filter(|line| line != "ok")
        .map(|line| format!("the database file is damaged: {line}"))
        .collect();
    let orphans = texts("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check")?;
    found.extend(orphans.into_iter().map(|table| format!("rows of {table} refer to rows that do not exist")));
    for rule in HISTORY_RULES {
        let query = format!("{} LIMIT {limit}", rule.query);
        let mut statement = connection.prepare(&query).map_err(translate)?;
        let ids: Vec<[u8; 16]> =
            statement.query_map([], |row| row.get("id")).and_then(Iterator::collect).map_err(translate)?;
        found.extend(ids.into_iter().map(|id| format!("{} {}", Uuid::from_bytes(id), rule.broken)));
    }
    found.truncate(limit);
    Ok(found)
}

/// Copies a database into one new file, whatever else is open on it.
pub fn compact_copy(from: &Path, to: &Path) -> PortResult<()> {
    let connection = connect(from, OpenFlags::SQLITE_OPEN_READ_WRITE, PATIENCE)?;
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]).map(drop).map_err(translate)
}
