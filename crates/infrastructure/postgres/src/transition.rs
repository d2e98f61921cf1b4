//! Writing what the domain decided: runs' new states, their events, the turn of the next. Many at once, each kind
//! of write with one statement.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use quire_domain::{
    Effect, Event, EventType, FailureRecord, Pipeline, Run, RunId, RunState, StepName, Transition, Turn,
};
use quire_ports::PortResult;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::{corrupt, translate};
use crate::row::{At, get, int, json, text};
use crate::steps::{self, Running, project, reopen};
use crate::{sql, transition};

/// Whether a transition gave another run the turn, or its own run became ready again: somebody should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Woke(pub(crate) bool);

/// A transition, and when it happened.
#[derive(Clone, Copy)]
pub(crate) struct Move<'t> {
    pub(crate) transition: &'t Transition,
    pub(crate) at: Timestamp,
}

/// What the transitions of a batch bring to the history, by run.
pub(crate) type Recorded = BTreeMap<RunId, Vec<Event>>;

/// Stores transitions of runs that this transaction has locked, with all their effects.
pub(crate) async fn write(connection: &mut PgConnection, moves: &[Move<'_>]) -> PortResult<Woke> {
    transition::update(connection, moves).await?;
    let (recorded, woke) = perform(connection, moves).await?;
    let events: Vec<Event> = recorded.into_values().flatten().collect();
    append(connection, &events, woke).await?;
    Ok(woke)
}

/// Moves the runs themselves. Answers those whose fence had not moved on.
pub(crate) async fn update(connection: &mut PgConnection, moves: &[Move<'_>]) -> PortResult<HashSet<RunId>> {
    if moves.is_empty() {
        return Ok(HashSet::new());
    }
    let runs = || moves.iter().map(|step| &step.transition.run);
    let errors = runs().map(error).collect::<PortResult<Vec<_>>>()?;
    let rows = sqlx::query(sql!("runs/update"))
        .bind(runs().map(|run| run.id.0).collect::<Vec<_>>())
        .bind(moves.iter().map(|step| step.transition.from.0).collect::<Vec<_>>())
        .bind(runs().map(|run| run.state.as_str()).collect::<Vec<_>>())
        .bind(moves.iter().map(|step| step.transition.turn(step.at).map(Turn::as_str)).collect::<Vec<_>>())
        .bind(runs().map(|run| run.fence.0).collect::<Vec<_>>())
        .bind(runs().map(|run| int(run.attempts)).collect::<Vec<_>>())
        .bind(runs().map(|run| int(run.retry_count)).collect::<Vec<_>>())
        .bind(runs().map(|run| At(run.queued_at)).collect::<Vec<_>>())
        .bind(runs().map(|run| available_at(run).map(At)).collect::<Vec<_>>())
        .bind(runs().map(|run| run.state.started_at().map(At)).collect::<Vec<_>>())
        .bind(runs().map(|run| owner(run).0.map(At)).collect::<Vec<_>>())
        .bind(runs().map(|run| run.state.completed_at().map(At)).collect::<Vec<_>>())
        .bind(runs().map(|run| owner(run).1).collect::<Vec<_>>())
        .bind(runs().map(failure_type).collect::<Vec<_>>())
        .bind(errors)
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    rows.iter().map(|row| get(row, 0).map(RunId)).collect()
}

fn available_at(run: &Run) -> Option<Timestamp> {
    match run.state {
        RunState::Queued { available_at } => available_at,
        _ => None,
    }
}

/// Until when, and whose it is.
fn owner(run: &Run) -> (Option<Timestamp>, Option<Uuid>) {
    match run.state {
        RunState::Running { deadline_at, worker, .. } => (deadline_at, worker.map(|id| id.0)),
        _ => (None, None),
    }
}

fn failure_type(run: &Run) -> Option<&'static str> {
    run.state.reason().map(|reason| reason.failure_type.as_str())
}

fn error(run: &Run) -> PortResult<Option<String>> {
    let record = run.state.reason().map(|reason| json(&reason.record));
    record.map(|record| serde_json::to_string(&record)).transpose().map_err(corrupt)
}

/// Stores what transitions bring with them, but for their events, which are the last thing in a transaction.
pub(crate) async fn perform(
    connection: &mut PgConnection,
    moves: &[Move<'_>],
) -> PortResult<(Recorded, Woke)> {
    if moves.is_empty() {
        return Ok((Recorded::new(), Woke(false)));
    }
    let interrupted = runs_with(moves, |effect| matches!(effect, Effect::InterruptSteps(_)));
    let running = steps::running(connection, ids(&interrupted)).await?;
    let recorded = recorded(moves, &running)?;
    project(connection, recorded.values().flatten()).await?;
    reopen(connection, ids(&runs_with(moves, |effect| matches!(effect, Effect::ReopenSteps)))).await?;
    step_back(connection, moves).await?;
    let passed = pass_turn(connection, moves).await?;
    let requeued = moves.iter().any(|step| matches!(step.transition.run.state, RunState::Queued { .. }));
    Ok((recorded, Woke(passed || requeued)))
}

fn runs_with<'t>(moves: &[Move<'t>], wanted: impl Fn(&Effect) -> bool) -> Vec<Move<'t>> {
    moves.iter().copied().filter(|step| step.transition.effects.iter().any(&wanted)).collect()
}

fn ids(moves: &[Move<'_>]) -> Vec<Uuid> {
    moves.iter().map(|step| step.transition.run.id.0).collect()
}

fn recorded(moves: &[Move<'_>], running: &[Running]) -> PortResult<Recorded> {
    let mut recorded = Recorded::new();
    for step in moves {
        let events = recorded.entry(step.transition.run.id).or_default();
        for effect in &step.transition.effects {
            match effect {
                Effect::Record(event) => events.push(event.clone()),
                Effect::InterruptSteps(reason) => events.extend(interruptions(*step, running, reason)?),
                Effect::ReopenSteps | Effect::PassTurn => {}
            }
        }
    }
    Ok(recorded)
}

fn interruptions(step: Move<'_>, running: &[Running], reason: &FailureRecord) -> PortResult<Vec<Event>> {
    let run = &step.transition.run;
    let interrupted = |running: &Running| {
        let name = run.pipeline.step(&running.step).map_err(corrupt)?;
        Ok(Event {
            fence: Some(step.transition.from),
            step: Some(name),
            attempt: Some(running.attempt),
            started_at: running.started_at,
            failure: Some(FailureRecord { stage: Some(name), ..reason.clone() }),
            ..Event::of_run(EventType::StepFailed, run, step.at)
        })
    };
    running.iter().filter(|running| running.run == run.id.0).map(interrupted).collect()
}

/// Subjects and pipelines, as two columns.
fn subjects(moves: &[Move<'_>]) -> (Vec<Uuid>, Vec<&'static str>) {
    moves.iter().map(|step| (step.transition.run.subject.0, step.transition.run.pipeline.as_str())).unzip()
}

async fn step_back(connection: &mut PgConnection, moves: &[Move<'_>]) -> PortResult<()> {
    let newcomers: Vec<_> = moves.iter().copied().filter(|step| step.transition.is_newcomer()).collect();
    if newcomers.is_empty() {
        return Ok(());
    }
    let (subjects, pipelines) = subjects(&newcomers);
    sqlx::query(sql!("runs/step_back"))
        .bind(subjects)
        .bind(pipelines)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// A statement of its own after the one that moved the runs: it sees what was put behind them while that waited.
async fn pass_turn(connection: &mut PgConnection, moves: &[Move<'_>]) -> PortResult<bool> {
    let mut passing = runs_with(moves, |effect| matches!(effect, Effect::PassTurn));
    if passing.is_empty() {
        return Ok(false);
    }
    let key = |step: &Move<'_>| (step.transition.run.subject, step.transition.run.pipeline);
    passing.sort_by_key(key);
    passing.dedup_by_key(|step| key(step));
    let (subjects, pipelines) = subjects(&passing);
    let passed = sqlx::query(sql!("runs/pass_turn"))
        .bind(subjects)
        .bind(pipelines)
        .bind(passing.iter().map(|step| At(step.at)).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    let listed = passed.iter().map(|row| get(row, 0)).collect::<PortResult<Vec<bool>>>()?;
    if listed.contains(&true) {
        sqlx::query(sql!("runs/unlist_ended"))
            .bind(ids(&passing))
            .execute(connection)
            .await
            .map_err(translate)?;
    }
    Ok(!passed.is_empty())
}

/// Appends to the history and, if somebody should look, tells the other processes at the commit. Nothing may
/// follow in the transaction.
pub(crate) async fn append(connection: &mut PgConnection, events: &[Event], woke: Woke) -> PortResult<()> {
    if events.is_empty() {
        return Ok(());
    }
    let details = events.iter().map(details).collect::<PortResult<Vec<_>>>()?;
    sqlx::query(sql!("events/insert"))
        .bind(events.iter().map(|event| At(event.at)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.event_type.as_str()).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.pipeline.map(Pipeline::as_str)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.subject.map(|id| id.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.run.map(|id| id.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.fence.map(|fence| fence.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.worker.map(|id| id.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.step.map(StepName::as_str)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.attempt.map(int)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.started_at.map(At)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.error_code().map(text)).collect::<Vec<_>>())
        .bind(details)
        .bind(woke.0)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

fn details(event: &Event) -> PortResult<Option<String>> {
    let Some(mut details) = event.details() else { return Ok(None) };
    details.failure = details.failure.as_ref().map(json);
    serde_json::to_string(&details).map(Some).map_err(corrupt)
}
