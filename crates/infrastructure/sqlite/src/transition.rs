//! Writing what the domain decided: a run's new state, its events and their projection, the turn of the next.

use jiff::Timestamp;
use quire_domain::{
    Effect, Event, EventType, FailureRecord, Run, RunId, RunState, StepName, StepStatus, Transition, Turn,
};
use quire_ports::PortResult;
use rusqlite::{Connection, params};

use crate::error::{corrupt, translate};
use crate::row::{get, micros, optional_timestamp};
use crate::sql;

/// Whether a transition gave another run the turn, or its own run became ready again: somebody should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Woke(pub(crate) bool);

/// Stores a transition with its effects, if the run's fence is still the one it started from. None if it is not.
pub(crate) fn write(
    connection: &Connection,
    transition: &Transition,
    at: Timestamp,
) -> PortResult<Option<Woke>> {
    if !update(connection, transition, at)? {
        return Ok(None);
    }
    perform(connection, transition, at).map(Some)
}

/// Moves the run itself. False if its fence has moved on.
pub(crate) fn update(connection: &Connection, transition: &Transition, at: Timestamp) -> PortResult<bool> {
    let run = &transition.run;
    let (available_at, deadline_at, worker) = match &run.state {
        RunState::Queued { available_at } => (*available_at, None, None),
        RunState::Running { deadline_at, worker, .. } => (None, *deadline_at, *worker),
        _ => (None, None, None),
    };
    let reason = run.state.reason();
    let error = reason.map(|reason| serde_json::to_string(&reason.record)).transpose().map_err(corrupt)?;
    let changed = connection
        .prepare_cached(sql!("runs/update"))
        .and_then(|mut statement| {
            statement.execute(params![
                run.id.0.as_bytes(),
                transition.from.0,
                run.state.as_str(),
                transition.turn(at).map(Turn::as_str),
                run.fence.0,
                run.attempts,
                run.retry_count,
                micros(run.queued_at),
                available_at.map(micros),
                run.state.started_at().map(micros),
                deadline_at.map(micros),
                run.state.completed_at().map(micros),
                worker.as_ref().map(|id| id.0.as_bytes()),
                reason.map(|reason| reason.failure_type.as_str()),
                error,
            ])
        })
        .map_err(translate)?;
    Ok(changed == 1)
}

/// Stores what a transition brings with it.
pub(crate) fn perform(connection: &Connection, transition: &Transition, at: Timestamp) -> PortResult<Woke> {
    let run = &transition.run;
    let mut woke = matches!(run.state, RunState::Queued { .. });
    for effect in &transition.effects {
        match effect {
            Effect::Record(event) => append(connection, event)?,
            Effect::InterruptSteps(reason) => interrupt_steps(connection, transition, reason, at)?,
            Effect::ReopenSteps => {
                connection
                    .prepare_cached(sql!("steps/reopen"))
                    .and_then(|mut statement| statement.execute([run.id.0.as_bytes()]))
                    .map_err(translate)?;
            }
            Effect::PassTurn => {
                if transition.is_newcomer() {
                    connection
                        .prepare_cached(sql!("runs/step_back"))
                        .and_then(|mut statement| {
                            statement.execute(params![run.subject.0.as_bytes(), run.pipeline.as_str()])
                        })
                        .map_err(translate)?;
                }
                woke |= pass_turn(connection, run, at)?;
            }
        }
    }
    Ok(Woke(woke))
}

fn pass_turn(connection: &Connection, run: &Run, at: Timestamp) -> PortResult<bool> {
    let changed = connection
        .prepare_cached(sql!("runs/pass_turn"))
        .and_then(|mut statement| {
            statement.execute(params![run.subject.0.as_bytes(), run.pipeline.as_str(), micros(at)])
        })
        .map_err(translate)?;
    Ok(changed > 0)
}

fn interrupt_steps(
    connection: &Connection,
    transition: &Transition,
    reason: &FailureRecord,
    at: Timestamp,
) -> PortResult<()> {
    let run = &transition.run;
    for step in steps(connection, run.id)?.into_iter().filter(|step| step.status == StepStatus::Running) {
        let interrupted = Event {
            fence: Some(transition.from),
            step: Some(step.step),
            attempt: Some(step.attempt),
            started_at: step.started_at,
            failure: Some(FailureRecord { stage: Some(step.step), ..reason.clone() }),
            ..Event::of_run(EventType::StepFailed, run, at)
        };
        append(connection, &interrupted)?;
    }
    Ok(())
}

/// Appends an event and brings the projection of its step up to date.
pub(crate) fn append(connection: &Connection, event: &Event) -> PortResult<()> {
    let details =
        event.details().map(|details| serde_json::to_string(&details)).transpose().map_err(corrupt)?;
    connection
        .prepare_cached(sql!("events/insert"))
        .and_then(|mut statement| {
            statement.execute(params![
                micros(event.at),
                event.event_type.as_str(),
                event.pipeline.map(quire_domain::Pipeline::as_str),
                event.subject.as_ref().map(|id| id.0.as_bytes()),
                event.run.as_ref().map(|id| id.0.as_bytes()),
                event.fence.map(|fence| fence.0),
                event.worker.as_ref().map(|id| id.0.as_bytes()),
                event.step.map(StepName::as_str),
                event.attempt,
                event.started_at.map(micros),
                event.error_code(),
                details,
            ])
        })
        .map_err(translate)?;
    project(connection, event)
}

fn project(connection: &Connection, event: &Event) -> PortResult<()> {
    let (Some(status), Some(run), Some(step)) = (event.event_type.step_status(), event.run, event.step)
    else {
        return Ok(());
    };
    let started_at = if status == StepStatus::Running { Some(event.at) } else { event.started_at };
    let completed_at = if status == StepStatus::Running { None } else { Some(event.at) };
    connection
        .prepare_cached(sql!("steps/upsert"))
        .and_then(|mut statement| {
            statement.execute(params![
                run.0.as_bytes(),
                step.as_str(),
                step.order(),
                status.as_str(),
                event.attempt.unwrap_or(1),
                started_at.map(micros),
                completed_at.map(micros),
                event.error_code(),
                event.failure.as_ref().map(|failure| failure.message.as_str()),
            ])
        })
        .map_err(translate)?;
    Ok(())
}

/// Where each step of a run stands, in order.
pub(crate) fn steps(connection: &Connection, run: RunId) -> PortResult<Vec<quire_ports::StepProgress>> {
    let mut statement = connection.prepare_cached(sql!("steps/of_run")).map_err(translate)?;
    let mut rows = statement.query([run.0.as_bytes()]).map_err(translate)?;
    let mut steps = Vec::new();
    while let Some(row) = rows.next().map_err(translate)? {
        let pipeline = quire_domain::Pipeline::parse(&get::<String>(row, 7)?).map_err(corrupt)?;
        steps.push(quire_ports::StepProgress {
            step: pipeline.step(&get::<String>(row, 0)?).map_err(corrupt)?,
            status: StepStatus::parse(&get::<String>(row, 1)?).map_err(corrupt)?,
            attempt: get(row, 2)?,
            started_at: optional_timestamp(get(row, 3)?)?,
            completed_at: optional_timestamp(get(row, 4)?)?,
            error_code: get(row, 5)?,
            error_message: get(row, 6)?,
        });
    }
    Ok(steps)
}
