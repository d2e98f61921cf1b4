//! Rows to domain values and back.

use jiff::Timestamp;
use quire_domain::{
    Event, EventDetails, EventId, EventType, FailureRecord, Fence, Pipeline, RecordedEvent, Run, RunId,
    SubjectId, WorkerId,
};
use quire_ports::{PortResult, StoredRun};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgRow, PgTypeInfo, PgValueRef};
use sqlx::types::Json;
use sqlx::{Decode, Encode, Postgres, Row, Type};
use uuid::Uuid;

use crate::error::{corrupt, translate};

/// 2000-01-01, where PostgreSQL's time begins, in microseconds since 1970.
const EPOCH: i64 = 946_684_800_000_000;
/// The beginning of 4713 BC, before which PostgreSQL knows no time, in microseconds since 1970.
const EARLIEST: i64 = -210_866_803_200_000_000 + EPOCH;

/// A time as it is stored: microseconds, in a `timestamptz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At(pub(crate) Timestamp);

impl Type<Postgres> for At {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1184))
    }
}

impl PgHasArrayType for At {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1185))
    }
}

impl Encode<'_, Postgres> for At {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let since_2000 = self.0.as_microsecond().max(EARLIEST) - EPOCH;
        <i64 as Encode<Postgres>>::encode(since_2000, buffer)
    }
}

impl Decode<'_, Postgres> for At {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let since_2000 = <i64 as Decode<Postgres>>::decode(value)?;
        let since_1970 = since_2000.checked_add(EPOCH).ok_or("a time beyond the calendar")?;
        Ok(Self(Timestamp::from_microsecond(since_1970)?))
    }
}

/// A column by its place, translated.
pub(crate) fn get<'r, T>(row: &'r PgRow, index: usize) -> PortResult<T>
where
    T: Decode<'r, Postgres> + Type<Postgres>,
{
    row.try_get(index).map_err(translate)
}

pub(crate) fn timestamp(row: &PgRow, index: usize) -> PortResult<Timestamp> {
    get::<At>(row, index).map(|at| at.0)
}

pub(crate) fn optional_timestamp(row: &PgRow, index: usize) -> PortResult<Option<Timestamp>> {
    Ok(get::<Option<At>>(row, index)?.map(|at| at.0))
}

/// A counter; the schema keeps it from being negative.
pub(crate) fn count(row: &PgRow, index: usize) -> PortResult<u32> {
    get::<i32>(row, index).map(i32::unsigned_abs)
}

/// A number as PostgreSQL stores it.
pub(crate) fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// A figure or a LIMIT as PostgreSQL takes it.
pub(crate) fn bigint(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The one character that PostgreSQL's texts cannot hold gives way to the mark of an unreadable one.
pub(crate) fn text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A failure as the server's JSON can hold it.
pub(crate) fn json(failure: &FailureRecord) -> FailureRecord {
    FailureRecord {
        error_type: text(&failure.error_type),
        error_code: text(&failure.error_code),
        message: text(&failure.message),
        stage: failure.stage,
        correlation_id: failure.correlation_id.as_deref().map(text),
    }
}

/// A run from the columns that every query of runs selects, in that order.
pub(crate) fn run(row: &PgRow) -> PortResult<Run> {
    let stored = StoredRun {
        id: get(row, 0)?,
        pipeline: get(row, 1)?,
        subject_id: get(row, 2)?,
        state: get(row, 3)?,
        priority: get(row, 4)?,
        fence: get(row, 5)?,
        attempts: count(row, 6)?,
        retry_count: count(row, 7)?,
        created_at: timestamp(row, 8)?,
        queued_at: timestamp(row, 9)?,
        available_at: optional_timestamp(row, 10)?,
        started_at: optional_timestamp(row, 11)?,
        deadline_at: optional_timestamp(row, 12)?,
        completed_at: optional_timestamp(row, 13)?,
        worker_id: get(row, 14)?,
        correlation_id: get(row, 15)?,
        failure_type: get(row, 16)?,
        error: get::<Option<Json<FailureRecord>>>(row, 17)?.map(|Json(record)| record),
        language: get(row, 18)?,
        schema_name: get(row, 19)?,
        schema_version: get::<Option<i32>>(row, 20)?.map(i32::unsigned_abs),
    };
    stored.try_into()
}

/// An event from the columns of `events/after.sql`.
pub(crate) fn event(row: &PgRow) -> PortResult<RecordedEvent> {
    let pipeline =
        get::<Option<&str>>(row, 3)?.map(|name| Pipeline::parse(name).map_err(corrupt)).transpose()?;
    let step = match (pipeline, get::<Option<&str>>(row, 8)?) {
        (Some(pipeline), Some(name)) => Some(pipeline.step(name).map_err(corrupt)?),
        _ => None,
    };
    let details = details(row, 11)?;
    Ok(RecordedEvent {
        id: EventId(get(row, 0)?),
        event: Event {
            event_type: EventType::parse(get(row, 2)?).map_err(corrupt)?,
            at: timestamp(row, 1)?,
            pipeline,
            subject: get::<Option<Uuid>>(row, 4)?.map(SubjectId),
            run: get::<Option<Uuid>>(row, 5)?.map(RunId),
            fence: get::<Option<i32>>(row, 6)?.map(Fence),
            worker: get::<Option<Uuid>>(row, 7)?.map(WorkerId),
            step,
            attempt: get::<Option<i32>>(row, 9)?.map(i32::unsigned_abs),
            started_at: optional_timestamp(row, 10)?,
            failure: details.failure,
            delay_ms: details.delay_ms,
            actor: details.actor,
        },
    })
}

pub(crate) fn details(row: &PgRow, index: usize) -> PortResult<EventDetails> {
    Ok(get::<Option<Json<EventDetails>>>(row, index)?.map(|Json(details)| details).unwrap_or_default())
}
