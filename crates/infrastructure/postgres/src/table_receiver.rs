//! Gets the rows of another database.
//!
//! Triggers are turned off and on again in the transaction of each batch, so that nobody ever sees the tables without them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::InstallationId;
use quire_ports::{
    CellType, CopyProgress, DatabaseCell, DatabaseRow, DatabaseTable, PortError, PortResult, TableReceiver,
};
use quire_sql::tables::{
    COPY_SOURCE, CREATE_COPY_PROGRESS, INSTALLATION, TABLES, copy_of_another, not_empty, quoted,
};
use quire_sql::{bad_json, corrupt, json_text};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Postgres};
use uuid::Uuid;

use crate::error::{translate, unavailable};
use crate::row::StoredTime;
use crate::sql;
use crate::tables::{columns, copied_installation, execute, tables};

/// Held as long as the connection, so that two copies into one database are impossible.
const LOCK: &str = "SELECT pg_try_advisory_lock(hashtextextended('quire_copy ' || current_schema(), 0))";

/// The server may notice a moment later that the process of an interrupted copy is gone.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct PgReceiver {
    connection: PgConnection,
    tables: Vec<DatabaseTable>,
    /// The names of the types of each table's columns, in their order.
    types: HashMap<String, Vec<String>>,
}

impl PgReceiver {
    pub(crate) async fn begin(mut connection: PgConnection, source: InstallationId) -> PortResult<Self> {
        let since = Instant::now();
        while !sqlx::query_scalar::<_, bool>(LOCK).fetch_one(&mut connection).await.map_err(translate)? {
            if since.elapsed() > PATIENCE {
                return Err(unavailable("another process is copying into it", true));
            }
            tokio::time::sleep(PAUSE).await;
        }
        match copied_installation(&mut connection).await? {
            Some(begun) if begun == source => {}
            Some(_) => return Err(copy_of_another()),
            None => mark_empty(&mut connection, source).await?,
        }
        let mut types = HashMap::new();
        for table in TABLES {
            let names = columns(&mut connection, table).await?.into_iter().map(|column| column.type_name);
            types.insert((*table).to_owned(), names.collect());
        }
        Ok(Self { tables: tables(&mut connection).await?, types, connection })
    }
}

/// Checks that the database is empty and marks it as the target of a copy.
async fn mark_empty(connection: &mut PgConnection, source: InstallationId) -> PortResult<()> {
    let mut transaction = connection.begin().await.map_err(translate)?;
    for table in TABLES.iter().filter(|table| **table != INSTALLATION) {
        let query = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(table));
        let has_rows: bool =
            sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut *transaction).await.map_err(translate)?;
        if has_rows {
            return Err(not_empty(table));
        }
    }
    execute(&mut transaction, &format!("DELETE FROM {INSTALLATION}")).await?;
    execute(&mut transaction, CREATE_COPY_PROGRESS).await?;
    record(&mut transaction, COPY_SOURCE, &source.to_string()).await?;
    transaction.commit().await.map_err(translate)
}

async fn record(connection: &mut PgConnection, part: &str, progress: &str) -> PortResult<()> {
    sqlx::query(
        "INSERT INTO copy_progress (part, progress) VALUES ($1, $2) \
         ON CONFLICT (part) DO UPDATE SET progress = excluded.progress",
    )
    .bind(part)
    .bind(progress)
    .execute(connection)
    .await
    .map(drop)
    .map_err(translate)
}

#[async_trait]
impl TableReceiver for PgReceiver {
    fn tables(&self) -> &[DatabaseTable] {
        &self.tables
    }

    async fn progress(&mut self, part: &str) -> PortResult<CopyProgress> {
        let stored: Option<String> = sqlx::query_scalar("SELECT progress FROM copy_progress WHERE part = $1")
            .bind(part)
            .fetch_optional(&mut self.connection)
            .await
            .map_err(translate)?;
        stored.map_or(Ok(CopyProgress::default()), |text| serde_json::from_str(&text).map_err(bad_json))
    }

    async fn record(&mut self, part: &str, progress: &CopyProgress) -> PortResult<()> {
        record(&mut self.connection, part, &json_text(progress)?).await
    }

    async fn insert(
        &mut self,
        table: &DatabaseTable,
        rows: Vec<DatabaseRow>,
        progress: &CopyProgress,
    ) -> PortResult<()> {
        let types = self.types.get(&table.name).ok_or_else(|| corrupt("an unknown table"))?;
        let insert = insert_statement(table, types);
        let mut query = sqlx::query(AssertSqlSafe(insert));
        let mut columns = transposed(rows, table.columns.len()).into_iter();
        for column in &table.columns {
            query = bound(query, column.cell_type, columns.next().unwrap_or_default())?;
        }
        let name = quoted(&table.name);
        let mut transaction = self.connection.begin().await.map_err(translate)?;
        // A table with checks that wait for the end of the transaction could not get its triggers back.
        let without = format!("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE {name} DISABLE TRIGGER USER");
        execute(&mut transaction, &without).await?;
        query.execute(&mut *transaction).await.map_err(translate)?;
        execute(&mut transaction, &format!("ALTER TABLE {name} ENABLE TRIGGER USER")).await?;
        record(&mut transaction, &table.name, &json_text(progress)?).await?;
        transaction.commit().await.map_err(translate)
    }

    async fn finish(&mut self, last_event_id: i64) -> PortResult<()> {
        let mut transaction = self.connection.begin().await.map_err(translate)?;
        sqlx::query("SELECT setval(pg_get_serial_sequence('events', 'id'), greatest($1, 1), $1 > 0)")
            .bind(last_event_id)
            .execute(&mut *transaction)
            .await
            .map_err(translate)?;
        sqlx::query(sql!("workers/end_all"))
            .bind(StoredTime(Timestamp::now()))
            .execute(&mut *transaction)
            .await
            .map_err(translate)?;
        execute(&mut transaction, "DROP TABLE copy_progress").await?;
        transaction.commit().await.map_err(translate)?;
        // The planner knows nothing of tables that were just filled.
        execute(&mut self.connection, &format!("ANALYZE {}", TABLES.join(", "))).await
    }
}

/// Inserts all rows of a batch by one statement, which gets an array for each column.
fn insert_statement(table: &DatabaseTable, types: &[String]) -> String {
    let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let mut arrays = Vec::new();
    let mut values = Vec::new();
    for (index, (column, type_name)) in table.columns.iter().zip(types).enumerate() {
        let array = match column.cell_type {
            CellType::Boolean => "boolean",
            CellType::Integer => "bigint",
            CellType::Float => "double precision",
            CellType::Bytes => "bytea",
            CellType::Uuid => "uuid",
            CellType::Time => "timestamptz",
            CellType::Text | CellType::Json | CellType::Unknown => "text",
        };
        arrays.push(format!("${}::{array}[]", index + 1));
        values.push(format!("r.c{index}::{type_name}"));
    }
    let aliases: Vec<String> = (0..names.len()).map(|index| format!("c{index}")).collect();
    format!(
        "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM unnest({}) AS r({})",
        quoted(&table.name),
        names.join(", "),
        values.join(", "),
        arrays.join(", "),
        aliases.join(", ")
    )
}

/// The values of each column.
fn transposed(rows: Vec<DatabaseRow>, width: usize) -> Vec<Vec<DatabaseCell>> {
    let mut columns: Vec<Vec<DatabaseCell>> = (0..width).map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        for (column, cell) in columns.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    columns
}

/// A statement with the values of a column as its next parameter.
fn bound(
    query: Query<'_, Postgres, PgArguments>,
    cell_type: CellType,
    cells: Vec<DatabaseCell>,
) -> PortResult<Query<'_, Postgres, PgArguments>> {
    Ok(match cell_type {
        CellType::Boolean => query.bind(values(cells, |cell| match cell {
            DatabaseCell::Boolean(truth) => Some(truth),
            _ => None,
        })?),
        CellType::Integer => query.bind(values(cells, |cell| match cell {
            DatabaseCell::Integer(number) => Some(number),
            _ => None,
        })?),
        CellType::Float => query.bind(values(cells, |cell| match cell {
            DatabaseCell::Float(number) => Some(number),
            _ => None,
        })?),
        CellType::Bytes => query.bind(values(cells, |cell| match cell {
            DatabaseCell::Bytes(bytes) => Some(bytes),
            _ => None,
        })?),
        CellType::Uuid => query.bind(values(cells, |cell| match cell {
            DatabaseCell::Uuid(id) => Some::<Uuid>(id),
            _ => None,
        })?),
        CellType::Time => query.bind(values(cells, |cell| match cell {
            DatabaseCell::Time(at) => Some(StoredTime(at)),
            _ => None,
        })?),
        CellType::Text | CellType::Json | CellType::Unknown => {
            query.bind(values(cells, |cell| match cell {
                DatabaseCell::Text(text) | DatabaseCell::Json(text) => Some(text),
                _ => None,
            })?)
        }
    })
}

/// The values of a column, all of one type. `Corrupt` if one has another type.
fn values<T>(
    cells: Vec<DatabaseCell>,
    value: impl Fn(DatabaseCell) -> Option<T>,
) -> PortResult<Vec<Option<T>>> {
    let optional = |cell| match cell {
        DatabaseCell::Null => Ok(None),
        cell => match value(cell) {
            Some(value) => Ok(Some(value)),
            None => Err(PortError::Corrupt("a value has another type than its column".to_owned())),
        },
    };
    cells.into_iter().map(optional).collect()
}
