//! The projection of steps' events: where each step of a run stands.

use std::collections::BTreeMap;

use jiff::Timestamp;
use quire_domain::{Event, Pipeline, RunId, StepName, StepStatus};
use quire_ports::{PortResult, StepProgress};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::error::{corrupt, translate};
use crate::row::{At, count, get, int, optional_timestamp, text};
use crate::sql;

/// Brings the steps of these events up to date. Several events of one step become one row: a statement cannot
/// write a row twice.
pub(crate) async fn project<'e>(
    connection: &mut PgConnection,
    events: impl IntoIterator<Item = &'e Event>,
) -> PortResult<()> {
    let rows = merged(events);
    if rows.is_empty() {
        return Ok(());
    }
    let all = |column: &dyn Fn(&StepProgress) -> Option<String>| -> Vec<Option<String>> {
        rows.values().map(column).collect()
    };
    sqlx::query(sql!("steps/upsert"))
        .bind(rows.keys().map(|(run, _)| run.0).collect::<Vec<Uuid>>())
        .bind(rows.values().map(|row| row.step.as_str()).collect::<Vec<_>>())
        .bind(rows.values().map(|row| i16::from(row.step.order())).collect::<Vec<_>>())
        .bind(rows.values().map(|row| row.status.as_str()).collect::<Vec<_>>())
        .bind(rows.values().map(|row| int(row.attempt)).collect::<Vec<_>>())
        .bind(rows.values().map(|row| row.started_at.map(At)).collect::<Vec<_>>())
        .bind(rows.values().map(|row| row.completed_at.map(At)).collect::<Vec<_>>())
        .bind(all(&|row| row.error_code.as_deref().map(text)))
        .bind(all(&|row| row.error_message.as_deref().map(text)))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

fn merged<'e>(events: impl IntoIterator<Item = &'e Event>) -> BTreeMap<(RunId, StepName), StepProgress> {
    let mut rows: BTreeMap<_, StepProgress> = BTreeMap::new();
    for event in events {
        let Some((run, mut row)) = progress(event) else { continue };
        if let Some(earlier) = rows.get(&(run, row.step)) {
            // As the statement does with what is stored.
            row.started_at = row.started_at.or(earlier.started_at);
            row.completed_at = row.completed_at.or(earlier.completed_at);
        }
        rows.insert((run, row.step), row);
    }
    rows
}

/// Where a step stands after this event, if it is about one.
fn progress(event: &Event) -> Option<(RunId, StepProgress)> {
    let (status, run, step) = (event.event_type.step_status()?, event.run?, event.step?);
    let running = status == StepStatus::Running;
    let row = StepProgress {
        step,
        status,
        attempt: event.attempt.unwrap_or(1),
        started_at: if running { Some(event.at) } else { event.started_at },
        completed_at: if running { None } else { Some(event.at) },
        error_code: event.error_code().map(str::to_owned),
        error_message: event.failure.as_ref().map(|failure| failure.message.clone()),
    };
    Some((run, row))
}

/// A step that was being worked on.
pub(crate) struct Running {
    pub(crate) run: Uuid,
    pub(crate) step: String,
    pub(crate) attempt: u32,
    pub(crate) started_at: Option<Timestamp>,
}

/// The steps of these runs that are being worked on, in order.
pub(crate) async fn running(connection: &mut PgConnection, runs: Vec<Uuid>) -> PortResult<Vec<Running>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let rows =
        sqlx::query(sql!("steps/running")).bind(runs).fetch_all(connection).await.map_err(translate)?;
    let running = |row: &PgRow| {
        Ok(Running {
            run: get(row, 0)?,
            step: get(row, 1)?,
            attempt: count(row, 2)?,
            started_at: optional_timestamp(row, 3)?,
        })
    };
    rows.iter().map(running).collect()
}

/// Steps of these runs that have not succeeded are to be done again.
pub(crate) async fn reopen(connection: &mut PgConnection, runs: Vec<Uuid>) -> PortResult<()> {
    if !runs.is_empty() {
        sqlx::query(sql!("steps/reopen")).bind(runs).execute(connection).await.map_err(translate)?;
    }
    Ok(())
}

/// A row of `steps/of_run.sql`.
pub(crate) fn of_run(row: &PgRow) -> PortResult<StepProgress> {
    let pipeline = Pipeline::parse(get(row, 7)?).map_err(corrupt)?;
    Ok(StepProgress {
        step: pipeline.step(get(row, 0)?).map_err(corrupt)?,
        status: StepStatus::parse(get(row, 1)?).map_err(corrupt)?,
        attempt: count(row, 2)?,
        started_at: optional_timestamp(row, 3)?,
        completed_at: optional_timestamp(row, 4)?,
        error_code: get(row, 5)?,
        error_message: get(row, 6)?,
    })
}
