//! Stores the decisions of the domain: a run's new state, its events and their projection, the turn of the next run.

use jiff::Timestamp;
use quire_domain::run::{RunningStep, create, step_interrupted};
use quire_domain::{
    DocumentId, Effect, Event, FailureRecord, Pipeline, RunId, StepName, StepStatus, Transition, Turn,
};
use quire_ports::{PortResult, StepProgress, SubjectQueue};
use quire_sql::{RunColumns, corrupt, row, step_progress_after};
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::queue::enqueue;
use crate::row::{all, execute, micros};
use crate::{document_fields, sql};

/// What the effects of a transition did.
#[derive(Default)]
pub(crate) struct Performed {
    /// Whether there may be work to claim now: another run got the turn, or this run became ready again.
    pub(crate) notify: bool,
    /// The events of the steps that were interrupted.
    pub(crate) interrupted: Vec<Event>,
    /// The events of effects that depended on what was found.
    pub(crate) added_events: Vec<Event>,
}

/// Stores a transition with its effects, if the run still has the fence that the transition started from. Returns None
/// if it does not.
pub(crate) fn write(
    connection: &Connection,
    transition: &Transition,
    at: Timestamp,
) -> PortResult<Option<Performed>> {
    if !update(connection, transition, at)? {
        return Ok(None);
    }
    apply_effects(connection, transition, at).map(Some)
}

/// Updates the run. Returns false if its fence has changed.
pub(crate) fn update(connection: &Connection, transition: &Transition, at: Timestamp) -> PortResult<bool> {
    let run = &transition.run;
    let columns = RunColumns::from(run);
    let error = columns.error.map(serde_json::to_string).transpose().map_err(corrupt)?;
    let values = params![
        run.id.0.as_bytes(),
        transition.from.0,
        run.state.as_str(),
        transition.turn(at).map(Turn::as_str),
        run.fence.0,
        run.failed_attempts,
        run.retry_count,
        micros(run.queued_at),
        columns.available_at.map(micros),
        columns.started_at.map(micros),
        columns.deadline_at.map(micros),
        columns.completed_at.map(micros),
        columns.worker_id.as_ref().map(Uuid::as_bytes),
        columns.failure_type,
        error,
        run.shared_orphanings,
        columns.time_used_ms,
        columns.lane,
    ];
    Ok(execute(connection, sql!("runs/update"), values)? == 1)
}

/// Stores the effects of a transition.
pub(crate) fn apply_effects(
    connection: &Connection,
    transition: &Transition,
    at: Timestamp,
) -> PortResult<Performed> {
    let run = &transition.run;
    let (mut interrupted, mut added_events) = (Vec::new(), Vec::new());
    let mut turn_passed = false;
    let mut notify = transition.turn(at) == Some(Turn::Ready);
    if run.is_completed_document() {
        document_fields::refresh(connection, DocumentId(run.subject.0))?;
    }
    for effect in &transition.effects {
        match effect {
            Effect::Record(event) => append(connection, event)?,
            Effect::InterruptSteps(reason) => {
                interrupted = interrupt_steps(connection, transition, reason, at)?;
            }
            Effect::ResetSteps => {
                execute(connection, sql!("steps/reset_unfinished"), [run.id.0.as_bytes()])?;
            }
            Effect::EndReview(event) => {
                let values = params![run.subject.0.as_bytes(), micros(at)];
                if execute(connection, sql!("documents/reopen"), values)? > 0 {
                    append(connection, event)?;
                    added_events.push(event.clone());
                }
            }
            Effect::PassTurn => {
                if transition.rejoins_queue() {
                    let values = params![run.subject.0.as_bytes(), run.pipeline.as_str()];
                    execute(connection, sql!("runs/yield_front"), values)?;
                }
                turn_passed = pass_turn(connection, (run.subject, run.pipeline), at)?;
            }
            Effect::Continue(_) if turn_passed => {}
            Effect::Continue(new) => {
                enqueue(connection, new, at)?;
                added_events.push(create(new, at).1);
                notify = true;
            }
        }
    }
    Ok(Performed { notify: notify || turn_passed, interrupted, added_events })
}

/// Makes the oldest waiting run the front, if none is. Returns whether one became it.
pub(crate) fn pass_turn(
    connection: &Connection,
    (subject, pipeline): SubjectQueue,
    at: Timestamp,
) -> PortResult<bool> {
    let values = params![subject.0.as_bytes(), pipeline.as_str(), micros(at)];
    Ok(execute(connection, sql!("runs/pass_turn"), values)? > 0)
}

fn interrupt_steps(
    connection: &Connection,
    transition: &Transition,
    reason: &FailureRecord,
    at: Timestamp,
) -> PortResult<Vec<Event>> {
    let steps = steps(connection, transition.run.id)?;
    let mut interrupted = Vec::new();
    for step in steps.into_iter().filter(|step| step.status == StepStatus::Running) {
        let StepProgress { step, attempt, started_at, .. } = step;
        let running = RunningStep { step, attempt, started_at };
        let event = step_interrupted(transition, running, reason, at);
        append(connection, &event)?;
        interrupted.push(event);
    }
    Ok(interrupted)
}

/// Appends an event and updates the projection of its step.
pub(crate) fn append(connection: &Connection, event: &Event) -> PortResult<()> {
    let details =
        event.details().map(|details| serde_json::to_string(&details)).transpose().map_err(corrupt)?;
    let values = params![
        micros(event.at),
        event.event_type.as_str(),
        event.pipeline.map(Pipeline::as_str),
        event.subject.as_ref().map(|id| id.0.as_bytes()),
        event.run.as_ref().map(|id| id.0.as_bytes()),
        event.fence.map(|fence| fence.0),
        event.worker.as_ref().map(|id| id.0.as_bytes()),
        event.step.map(StepName::as_str),
        event.attempt,
        event.started_at.map(micros),
        event.error_code(),
        details,
    ];
    execute(connection, sql!("events/insert"), values)?;
    write_step_progress(connection, event)
}

fn write_step_progress(connection: &Connection, event: &Event) -> PortResult<()> {
    let Some((run, progress)) = step_progress_after(event) else {
        return Ok(());
    };
    let values = params![
        run.0.as_bytes(),
        progress.step.as_str(),
        progress.step.order(),
        progress.status.as_str(),
        progress.attempt,
        progress.started_at.map(micros),
        progress.completed_at.map(micros),
        progress.error_code,
        progress.error_message,
    ];
    execute(connection, sql!("steps/upsert"), values)?;
    Ok(())
}

/// The progress of each step of a run, in order.
pub(crate) fn steps(connection: &Connection, run: RunId) -> PortResult<Vec<StepProgress>> {
    all(connection, sql!("steps/of_run"), [run.0.as_bytes()], row::step_progress)
}
