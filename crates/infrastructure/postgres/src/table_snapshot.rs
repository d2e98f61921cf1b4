//! Reads whole tables in one transaction, which sees the database as it was at its beginning.

use async_trait::async_trait;
use quire_ports::{
    CellType, DatabaseCell, DatabaseRow, DatabaseTable, PortResult, TableSnapshot, canonical_json,
};
use quire_sql::tables::{page_query, quoted};
use quire_sql::{ColumnReader as _, corrupt};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Row as _};
use uuid::Uuid;

use crate::error::translate;
use crate::row::{PostgresRow, StoredTime, bigint};
use crate::sql;

pub(crate) struct PgSnapshot {
    pub(crate) connection: PgConnection,
    pub(crate) tables: Vec<DatabaseTable>,
}

#[async_trait]
impl TableSnapshot for PgSnapshot {
    fn tables(&self) -> &[DatabaseTable] {
        &self.tables
    }

    async fn rows(
        &mut self,
        table: &DatabaseTable,
        after: Option<&DatabaseRow>,
        limit: u32,
    ) -> PortResult<Vec<DatabaseRow>> {
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|column| match column.cell_type {
                CellType::Text => format!("{0}::text AS {0}", quoted(&column.name)),
                _ => quoted(&column.name),
            })
            .collect();
        let key: Vec<&str> = table.key.iter().map(|index| table.columns[*index].name.as_str()).collect();
        let after: &[DatabaseCell] = after.map_or(&[], Vec::as_slice);
        let placeholders: Vec<String> = (1..=after.len()).map(|number| format!("${number}")).collect();
        let query = page_query(&table.name, &columns, &key, &placeholders, limit);
        let mut query = sqlx::query(AssertSqlSafe(query));
        for cell in after {
            query = bound(query, cell);
        }
        let rows = query.fetch_all(&mut self.connection).await.map_err(translate)?;
        let cells = |row: &PgRow| {
            table.columns.iter().map(|column| cell(row, &column.name, column.cell_type)).collect()
        };
        rows.iter().map(cells).collect()
    }

    async fn count(&mut self, table: &DatabaseTable) -> PortResult<u64> {
        let query = format!("SELECT count(*) FROM {}", quoted(&table.name));
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_one(&mut self.connection)
            .await
            .map_err(translate)?;
        Ok(count.unsigned_abs())
    }

    async fn subjects(&mut self, after: Option<Uuid>, limit: u32) -> PortResult<Vec<Uuid>> {
        let rows = sqlx::query(sql!("documents/subjects"))
            .bind(after.unwrap_or_default())
            .bind(bigint(limit))
            .fetch_all(&mut self.connection)
            .await
            .map_err(translate)?;
        rows.iter().map(|row| row.try_get(0).map_err(translate)).collect()
    }

    async fn subject_count(&mut self) -> PortResult<u64> {
        let count = sqlx::query_scalar(sql!("documents/subject_count")).fetch_one(&mut self.connection).await;
        count.map(i64::unsigned_abs).map_err(translate)
    }

    async fn last_event_id(&mut self) -> PortResult<i64> {
        let query =
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'id')::regclass), 0)";
        sqlx::query_scalar(query).fetch_one(&mut self.connection).await.map_err(translate)
    }
}

/// A query with the value of a key as its next parameter.
fn bound<'q>(
    query: Query<'q, Postgres, PgArguments>,
    cell: &DatabaseCell,
) -> Query<'q, Postgres, PgArguments> {
    match cell {
        DatabaseCell::Null => query.bind(None::<String>),
        DatabaseCell::Boolean(truth) => query.bind(*truth),
        DatabaseCell::Integer(number) => query.bind(*number),
        DatabaseCell::Float(number) => query.bind(*number),
        DatabaseCell::Text(text) | DatabaseCell::Json(text) => query.bind(text.clone()),
        DatabaseCell::Bytes(bytes) => query.bind(bytes.clone()),
        DatabaseCell::Uuid(id) => query.bind(*id),
        DatabaseCell::Time(at) => query.bind(StoredTime(*at)),
    }
}

/// The value of a column.
fn cell(row: &PgRow, name: &str, cell_type: CellType) -> PortResult<DatabaseCell> {
    let reader = PostgresRow(row);
    let cell = match cell_type {
        CellType::Boolean => {
            row.try_get::<Option<bool>, _>(name).map_err(translate)?.map(DatabaseCell::Boolean)
        }
        CellType::Integer => reader.optional_integer(name)?.map(DatabaseCell::Integer),
        CellType::Float => reader.optional_float(name)?.map(DatabaseCell::Float),
        CellType::Bytes => reader.optional_bytes(name)?.map(|bytes| DatabaseCell::Bytes(bytes.to_vec())),
        CellType::Uuid => reader.optional_uuid(name)?.map(DatabaseCell::Uuid),
        CellType::Time => reader.optional_timestamp(name)?.map(DatabaseCell::Time),
        CellType::Json => {
            reader.optional_json_bytes(name)?.map(canonical_json).transpose()?.map(DatabaseCell::Json)
        }
        CellType::Text => reader.optional_text(name)?.map(|text| DatabaseCell::Text(text.to_owned())),
        CellType::Unknown => return Err(corrupt(format!("the type of the column {name} is not known"))),
    };
    Ok(cell.unwrap_or(DatabaseCell::Null))
}
