//! Reads rows of SQLite by column name.

use jiff::Timestamp;
use quire_ports::PortResult;
use quire_sql::{ColumnReader, corrupt};
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};
use uuid::Uuid;

use crate::error::translate;

/// A time in its stored form: microseconds since 1970.
pub(crate) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// The columns of a query. SQLite is asked for their names once, and not for each value of each row.
pub(crate) struct Columns(Vec<String>);

impl Columns {
    /// The columns of the query that this row belongs to.
    pub(crate) fn of(row: &Row<'_>) -> Self {
        Self(row.as_ref().column_names().into_iter().map(ToOwned::to_owned).collect())
    }
}

/// Adapts a row to the shared mappings.
pub(crate) struct SqliteRow<'r, 's> {
    row: &'r Row<'s>,
    columns: &'r Columns,
}

impl<'r, 's> SqliteRow<'r, 's> {
    pub(crate) fn new(row: &'r Row<'s>, columns: &'r Columns) -> Self {
        Self { row, columns }
    }

    fn place(&self, column: &str) -> PortResult<usize> {
        let place = self.columns.0.iter().position(|name| name == column);
        place.ok_or_else(|| translate(rusqlite::Error::InvalidColumnName(column.to_owned())))
    }

    fn get<T: FromSql>(&self, column: &str) -> PortResult<T> {
        self.row.get(self.place(column)?).map_err(translate)
    }

    fn value(&self, column: &str) -> PortResult<ValueRef<'_>> {
        self.row.get_ref(self.place(column)?).map_err(translate)
    }
}

impl ColumnReader for SqliteRow<'_, '_> {
    fn optional_uuid(&self, column: &str) -> PortResult<Option<Uuid>> {
        Ok(self.get::<Option<[u8; 16]>>(column)?.map(Uuid::from_bytes))
    }

    fn optional_text(&self, column: &str) -> PortResult<Option<&str>> {
        self.value(column)?.as_str_or_null().map_err(corrupt)
    }

    fn optional_integer(&self, column: &str) -> PortResult<Option<i64>> {
        self.get(column)
    }

    fn optional_float(&self, column: &str) -> PortResult<Option<f64>> {
        self.get(column)
    }

    fn boolean(&self, column: &str) -> PortResult<bool> {
        self.get(column)
    }

    fn optional_timestamp(&self, column: &str) -> PortResult<Option<Timestamp>> {
        let micros: Option<i64> = self.get(column)?;
        micros.map(Timestamp::from_microsecond).transpose().map_err(corrupt)
    }

    fn optional_bytes(&self, column: &str) -> PortResult<Option<&[u8]>> {
        self.value(column)?.as_blob_or_null().map_err(corrupt)
    }

    fn optional_json_bytes(&self, column: &str) -> PortResult<Option<&[u8]>> {
        Ok(self.optional_text(column)?.map(str::as_bytes))
    }
}

/// Every row of a query, mapped.
pub(crate) fn all<T>(
    connection: &Connection,
    query: &str,
    parameters: impl Params,
    map: impl Fn(&dyn ColumnReader) -> PortResult<T>,
) -> PortResult<Vec<T>> {
    let mut statement = connection.prepare_cached(query).map_err(translate)?;
    let mut rows = statement.query(parameters).map_err(translate)?;
    let (mut all, mut columns) = (Vec::new(), None);
    while let Some(row) = rows.next().map_err(translate)? {
        let columns = columns.get_or_insert_with(|| Columns::of(row));
        all.push(map(&SqliteRow::new(row, columns))?);
    }
    Ok(all)
}

/// The first row of a query, mapped, if there is one.
pub(crate) fn first<T>(
    connection: &Connection,
    query: &str,
    parameters: impl Params,
    map: impl Fn(&dyn ColumnReader) -> PortResult<T>,
) -> PortResult<Option<T>> {
    connection
        .prepare_cached(query)
        .and_then(|mut statement| {
            let mapped = |row: &Row<'_>| Ok(map(&SqliteRow::new(row, &Columns::of(row))));
            statement.query_row(parameters, mapped).optional()
        })
        .map_err(translate)?
        .transpose()
}

/// The value of a query that always returns one value, such as `SELECT EXISTS (…)`.
pub(crate) fn scalar<T: FromSql>(
    connection: &Connection,
    query: &str,
    parameters: impl Params,
) -> PortResult<T> {
    connection
        .prepare_cached(query)
        .and_then(|mut statement| statement.query_row(parameters, |row| row.get(0)))
        .map_err(translate)
}

/// Runs a statement and returns how many rows it changed.
pub(crate) fn execute(connection: &Connection, query: &str, parameters: impl Params) -> PortResult<usize> {
    connection
        .prepare_cached(query)
        .and_then(|mut statement| statement.execute(parameters))
        .map_err(translate)
}
