//! Rows to domain values and back.

use jiff::Timestamp;
use quire_domain::{
    Event, EventDetails, EventId, EventType, Fence, Pipeline, RecordedEvent, Run, RunId, SubjectId, WorkerId,
};
use quire_ports::{PortResult, StoredRun};
use rusqlite::Row;
use uuid::Uuid;

use crate::error::{corrupt, translate};

/// A time as it is stored.
pub(crate) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

pub(crate) fn timestamp(micros: i64) -> PortResult<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(corrupt)
}

pub(crate) fn optional_timestamp(micros: Option<i64>) -> PortResult<Option<Timestamp>> {
    micros.map(timestamp).transpose()
}

/// A column by its place, translated.
pub(crate) fn get<T: rusqlite::types::FromSql>(row: &Row<'_>, index: usize) -> PortResult<T> {
    row.get(index).map_err(translate)
}

pub(crate) fn uuid(bytes: [u8; 16]) -> Uuid {
    Uuid::from_bytes(bytes)
}

/// A run from the columns that every query of runs selects, in that order.
pub(crate) fn run(row: &Row<'_>) -> PortResult<Run> {
    let error: Option<String> = get(row, 17)?;
    let stored = StoredRun {
        id: uuid(get(row, 0)?),
        pipeline: get(row, 1)?,
        subject_id: uuid(get(row, 2)?),
        state: get(row, 3)?,
        priority: get(row, 4)?,
        fence: get(row, 5)?,
        attempts: get(row, 6)?,
        retry_count: get(row, 7)?,
        created_at: timestamp(get(row, 8)?)?,
        queued_at: timestamp(get(row, 9)?)?,
        available_at: optional_timestamp(get(row, 10)?)?,
        started_at: optional_timestamp(get(row, 11)?)?,
        deadline_at: optional_timestamp(get(row, 12)?)?,
        completed_at: optional_timestamp(get(row, 13)?)?,
        worker_id: get::<Option<[u8; 16]>>(row, 14)?.map(uuid),
        correlation_id: get(row, 15)?,
        failure_type: get(row, 16)?,
        error: error.map(|json| serde_json::from_str(&json).map_err(corrupt)).transpose()?,
        language: get(row, 18)?,
        schema_name: get(row, 19)?,
        schema_version: get(row, 20)?,
    };
    stored.try_into()
}

/// An event from the columns of `events/after.sql`.
pub(crate) fn event(row: &Row<'_>) -> PortResult<RecordedEvent> {
    let pipeline =
        get::<Option<String>>(row, 3)?.map(|name| Pipeline::parse(&name).map_err(corrupt)).transpose()?;
    let step = match (pipeline, get::<Option<String>>(row, 8)?) {
        (Some(pipeline), Some(name)) => Some(pipeline.step(&name).map_err(corrupt)?),
        _ => None,
    };
    let details = details(get(row, 11)?)?;
    Ok(RecordedEvent {
        id: EventId(get(row, 0)?),
        event: Event {
            event_type: EventType::parse(&get::<String>(row, 2)?).map_err(corrupt)?,
            at: timestamp(get(row, 1)?)?,
            pipeline,
            subject: get::<Option<[u8; 16]>>(row, 4)?.map(|id| SubjectId(uuid(id))),
            run: get::<Option<[u8; 16]>>(row, 5)?.map(|id| RunId(uuid(id))),
            fence: get::<Option<i32>>(row, 6)?.map(Fence),
            worker: get::<Option<[u8; 16]>>(row, 7)?.map(|id| WorkerId(uuid(id))),
            step,
            attempt: get(row, 9)?,
            started_at: optional_timestamp(get(row, 10)?)?,
            failure: details.failure,
            delay_ms: details.delay_ms,
            actor: details.actor,
        },
    })
}

pub(crate) fn details(json: Option<String>) -> PortResult<EventDetails> {
    json.map_or_else(|| Ok(EventDetails::default()), |json| serde_json::from_str(&json).map_err(corrupt))
}
