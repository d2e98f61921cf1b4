//! Whole tables: for copies and checks. Each snapshot and each copy has a connection of its own.

use async_trait::async_trait;
use quire_domain::InstallationId;
use quire_ports::{
    CellType, Column, DatabaseTable, DatabaseTables, PortError, PortResult, TableReceiver, TableSnapshot,
};
use quire_sql::corrupt;
use quire_sql::tables::{COPY_SOURCE, FORGET_COPY, HISTORY_RULES, TABLES, is_derived};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use crate::PgStore;
use crate::database::commit;
use crate::error::translate;
use crate::table_receiver::PgReceiver;
use crate::table_snapshot::PgSnapshot;

/// What a long task needs: no statement of a large table is too slow, and a pause between two pages is no idleness.
const PATIENT: &str =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '1min'";

#[async_trait]
impl DatabaseTables for PgStore {
    async fn snapshot(&self) -> PortResult<Box<dyn TableSnapshot>> {
        let mut connection = self.patient().await?;
        execute(&mut connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        let tables = tables(&mut connection).await?;
        Ok(Box::new(PgSnapshot { connection, tables }))
    }

    async fn receive(&self, source: InstallationId) -> PortResult<Box<dyn TableReceiver>> {
        Ok(Box::new(PgReceiver::begin(self.patient().await?, source).await?))
    }

    async fn unfinished_copy(&self) -> PortResult<Option<InstallationId>> {
        let mut transaction = self.database.begin().await?;
        let copied = copied_installation(&mut transaction).await?;
        commit(transaction).await?;
        Ok(copied)
    }

    async fn forget_copy(&self) -> PortResult<()> {
        execute(&mut self.patient().await?, FORGET_COPY).await
    }

    async fn contradictions(&self, limit: usize) -> PortResult<Vec<String>> {
        let mut connection = self.patient().await?;
        let mut found = Vec::new();
        for rule in HISTORY_RULES {
            let query = format!("{} LIMIT {limit}", rule.query);
            let rows =
                sqlx::query(AssertSqlSafe(query)).fetch_all(&mut connection).await.map_err(translate)?;
            for row in &rows {
                let id: Uuid = row.try_get("id").map_err(translate)?;
                found.push(format!("{id} {}", rule.broken));
            }
        }
        found.truncate(limit);
        Ok(found)
    }
}

impl PgStore {
    async fn patient(&self) -> PortResult<PgConnection> {
        let mut connection = self.database.fresh().await?;
        execute(&mut connection, PATIENT).await?;
        Ok(connection)
    }
}

/// A column as the server describes it.
pub(crate) struct PgColumn {
    pub(crate) column: Column,
    /// The name of its type, with which a value of another type is cast to it.
    pub(crate) type_name: String,
}

impl PgColumn {
    fn of(name: String, type_name: String) -> Self {
        let cell_type = match type_name.as_str() {
            "boolean" => CellType::Boolean,
            "smallint" | "integer" | "bigint" => CellType::Integer,
            "real" | "double precision" => CellType::Float,
            "bytea" => CellType::Bytes,
            "uuid" => CellType::Uuid,
            "timestamp with time zone" => CellType::Time,
            "json" | "jsonb" => CellType::Json,
            // Types that SQLite stores as text, such as dates, travel as text.
            _ => CellType::Text,
        };
        Self { column: Column { name, cell_type }, type_name }
    }
}

pub(crate) async fn execute(connection: &mut PgConnection, statement: &str) -> PortResult<()> {
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(connection).await.map(drop).map_err(translate)
}

pub(crate) async fn tables(connection: &mut PgConnection) -> PortResult<Vec<DatabaseTable>> {
    let mut tables = Vec::with_capacity(TABLES.len());
    for name in TABLES {
        let columns: Vec<Column> =
            columns(connection, name).await?.into_iter().map(|one| one.column).collect();
        let key = key(connection, name).await?;
        let key: Option<Vec<usize>> =
            key.iter().map(|part| columns.iter().position(|column| column.name == *part)).collect();
        match key.filter(|key| !key.is_empty()) {
            Some(key) => tables.push(DatabaseTable { name: (*name).to_owned(), columns, key }),
            None => {
                return Err(PortError::Corrupt(format!("the table {name} is missing or has no primary key")));
            }
        }
    }
    Ok(tables)
}

/// The columns of a table, except those that the server computes.
pub(crate) async fn columns(connection: &mut PgConnection, table: &str) -> PortResult<Vec<PgColumn>> {
    let query = "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute \
                 WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' \
                 ORDER BY attnum";
    let rows = sqlx::query(query).bind(table).fetch_all(connection).await.map_err(translate)?;
    let mut columns = Vec::with_capacity(rows.len());
    for row in &rows {
        let (name, kind): (String, String) =
            (row.try_get(0).map_err(translate)?, row.try_get(1).map_err(translate)?);
        if !is_derived(table, &name) {
            columns.push(PgColumn::of(name, kind));
        }
    }
    Ok(columns)
}

/// The names of the columns of a table's primary key, in its order.
async fn key(connection: &mut PgConnection, table: &str) -> PortResult<Vec<String>> {
    let query = "SELECT a.attname::text \
                 FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS part(number, place) \
                 JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = part.number \
                 WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY part.place";
    let rows = sqlx::query(query).bind(table).fetch_all(connection).await.map_err(translate)?;
    rows.iter().map(|row| row.try_get(0).map_err(translate)).collect()
}

/// The installation that is being copied into the database.
pub(crate) async fn copied_installation(connection: &mut PgConnection) -> PortResult<Option<InstallationId>> {
    let exists: bool = sqlx::query_scalar("SELECT to_regclass('copy_progress') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await
        .map_err(translate)?;
    if !exists {
        return Ok(None);
    }
    let source: String = sqlx::query_scalar("SELECT progress FROM copy_progress WHERE part = $1")
        .bind(COPY_SOURCE)
        .fetch_one(connection)
        .await
        .map_err(translate)?;
    source.parse().map(Some).map_err(corrupt)
}
