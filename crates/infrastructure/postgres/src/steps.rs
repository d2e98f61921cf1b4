//! The projection of the events of steps: the progress of each step of a run.

use std::collections::{BTreeMap, HashMap};

use quire_domain::run::RunningStep;
use quire_domain::{Event, ReachedStep, RunId, StepName};
use quire_ports::{PortResult, StepProgress};
use quire_sql::{row, step_progress_after};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::translate;
use crate::row::{StoredTime, int, mapped, text};
use crate::sql;

/// Updates the steps of these events. Several events of one step become one row, because a statement cannot write a
/// row twice.
pub(crate) async fn write_step_progress<'e>(
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
        .bind(rows.values().map(|row| row.started_at.map(StoredTime)).collect::<Vec<_>>())
        .bind(rows.values().map(|row| row.completed_at.map(StoredTime)).collect::<Vec<_>>())
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
        let Some((run, mut row)) = step_progress_after(event) else { continue };
        if let Some(earlier) = rows.get(&(run, row.step)) {
            // The statement merges a new row into a stored one in the same way.
            row.started_at = row.started_at.or(earlier.started_at);
            row.completed_at = row.completed_at.or(earlier.completed_at);
        }
        rows.insert((run, row.step), row);
    }
    rows
}

/// The steps in progress of these runs, in order.
pub(crate) async fn running(
    connection: &mut PgConnection,
    runs: Vec<Uuid>,
) -> PortResult<Vec<(RunId, RunningStep)>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let rows =
        sqlx::query(sql!("steps/running")).bind(runs).fetch_all(connection).await.map_err(translate)?;
    mapped(&rows, |row| {
        let StepProgress { step, attempt, started_at, .. } = row::step_progress(row)?;
        Ok((RunId(row.uuid("step_run_id")?), RunningStep { step, attempt, started_at }))
    })
}

/// Resets the steps of these runs that have not succeeded, so that they run again.
pub(crate) async fn reset(connection: &mut PgConnection, runs: Vec<Uuid>) -> PortResult<()> {
    if !runs.is_empty() {
        sqlx::query(sql!("steps/reset_unfinished"))
            .bind(runs)
            .execute(connection)
            .await
            .map_err(translate)?;
    }
    Ok(())
}

/// The steps that earlier claims of these runs have reached.
pub(crate) async fn reached(
    connection: &mut PgConnection,
    runs: Vec<Uuid>,
) -> PortResult<HashMap<RunId, Vec<ReachedStep>>> {
    let mut reached: HashMap<RunId, Vec<ReachedStep>> = HashMap::new();
    if runs.is_empty() {
        return Ok(reached);
    }
    let rows =
        sqlx::query(sql!("steps/reached")).bind(runs).fetch_all(connection).await.map_err(translate)?;
    let steps = mapped(&rows, |row| {
        let StepProgress { step, status, attempt, .. } = row::step_progress(row)?;
        Ok((RunId(row.uuid("step_run_id")?), ReachedStep { step, status, attempt }))
    })?;
    for (run, step) in steps {
        reached.entry(run).or_default().push(step);
    }
    Ok(reached)
}
