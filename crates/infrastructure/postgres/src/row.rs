//! Reads rows of PostgreSQL by column name, and converts values to the types of the server.

use jiff::Timestamp;
use quire_domain::FailureRecord;
use quire_ports::PortResult;
use quire_sql::{ColumnReader, corrupt};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgRow, PgTypeInfo, PgValueFormat, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Row, Type, TypeInfo, ValueRef};
use uuid::Uuid;

use crate::error::translate;

/// 2000-01-01, the epoch of PostgreSQL, in microseconds since 1970.
const EPOCH: i64 = 946_684_800_000_000;
/// The beginning of 4713 BC, the earliest time of PostgreSQL, in microseconds since 1970.
const EARLIEST: i64 = -210_866_803_200_000_000 + EPOCH;

/// A time in its stored form: microseconds, in a `timestamptz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredTime(pub(crate) Timestamp);

impl Type<Postgres> for StoredTime {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1184))
    }
}

impl PgHasArrayType for StoredTime {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1185))
    }
}

impl Encode<'_, Postgres> for StoredTime {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let since_2000 = self.0.as_microsecond().max(EARLIEST) - EPOCH;
        <i64 as Encode<Postgres>>::encode(since_2000, buffer)
    }
}

impl Decode<'_, Postgres> for StoredTime {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let since_2000 = <i64 as Decode<Postgres>>::decode(value)?;
        let since_1970 = since_2000.checked_add(EPOCH).ok_or("a time beyond the calendar")?;
        Ok(Self(Timestamp::from_microsecond(since_1970)?))
    }
}

/// Adapts a row to the shared mappings.
pub(crate) struct PostgresRow<'r>(pub(crate) &'r PgRow);

impl<'r> PostgresRow<'r> {
    fn get<T>(&self, column: &str) -> PortResult<T>
    where
        T: Decode<'r, Postgres> + Type<Postgres>,
    {
        self.0.try_get(column).map_err(translate)
    }

    /// A value that is not NULL.
    fn value(&self, column: &str) -> PortResult<Option<PgValueRef<'r>>> {
        let value = self.0.try_get_raw(column).map_err(translate)?;
        Ok(if value.is_null() { None } else { Some(value) })
    }
}

impl ColumnReader for PostgresRow<'_> {
    fn optional_uuid(&self, column: &str) -> PortResult<Option<Uuid>> {
        self.get(column)
    }

    fn optional_text(&self, column: &str) -> PortResult<Option<&str>> {
        self.get(column)
    }

    /// PostgreSQL has a separate type for each width of number.
    fn optional_integer(&self, column: &str) -> PortResult<Option<i64>> {
        let Some(value) = self.value(column)? else { return Ok(None) };
        let width = value.type_info();
        let number = match width.name() {
            "INT2" => <i16 as Decode<Postgres>>::decode(value).map(i64::from),
            "INT4" => <i32 as Decode<Postgres>>::decode(value).map(i64::from),
            "INT8" => <i64 as Decode<Postgres>>::decode(value),
            other => return Err(corrupt(format!("column {column} is {other} and no whole number"))),
        };
        number.map(Some).map_err(corrupt)
    }

    fn optional_float(&self, column: &str) -> PortResult<Option<f64>> {
        self.get(column)
    }

    fn boolean(&self, column: &str) -> PortResult<bool> {
        self.get(column)
    }

    fn optional_timestamp(&self, column: &str) -> PortResult<Option<Timestamp>> {
        Ok(self.get::<Option<StoredTime>>(column)?.map(|at| at.0))
    }

    fn optional_bytes(&self, column: &str) -> PortResult<Option<&[u8]>> {
        self.get(column)
    }

    /// JSON is in columns of type text and jsonb. The binary form of jsonb begins with a version byte.
    fn optional_json_bytes(&self, column: &str) -> PortResult<Option<&[u8]>> {
        let Some(value) = self.value(column)? else { return Ok(None) };
        let has_version = value.format() == PgValueFormat::Binary && value.type_info().name() == "JSONB";
        let bytes = value.as_bytes().map_err(corrupt)?;
        Ok(Some(if has_version { bytes.get(1..).unwrap_or_default() } else { bytes }))
    }
}

/// Every row, mapped.
pub(crate) fn mapped<T>(
    rows: &[PgRow],
    map: impl Fn(&dyn ColumnReader) -> PortResult<T>,
) -> PortResult<Vec<T>> {
    rows.iter().map(|row| map(&PostgresRow(row))).collect()
}

/// The first row, mapped, if there is one.
pub(crate) fn first<T>(
    row: Option<&PgRow>,
    map: impl Fn(&dyn ColumnReader) -> PortResult<T>,
) -> PortResult<Option<T>> {
    row.map(|row| map(&PostgresRow(row))).transpose()
}

/// A number as PostgreSQL stores it.
pub(crate) fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// A count or a LIMIT as PostgreSQL takes it.
pub(crate) fn bigint(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Replaces NUL, which a text of PostgreSQL cannot hold, by the replacement character.
pub(crate) fn text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A failure without the characters that the server's JSON cannot hold.
pub(crate) fn json(failure: &FailureRecord) -> FailureRecord {
    FailureRecord {
        error_type: text(&failure.error_type),
        error_code: text(&failure.error_code),
        message: text(&failure.message),
        stage: failure.stage,
        correlation_id: failure.correlation_id.as_deref().map(text),
    }
}
