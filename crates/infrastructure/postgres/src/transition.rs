//! Stores the decisions of the domain: the new states of runs, their events, the turn of the next run. One statement
//! writes all rows of a kind.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use quire_domain::run::{RunningStep, step_interrupted};
use quire_domain::{Effect, Event, Pipeline, RunId, StepName, Transition, Turn};
use quire_ports::{PortResult, SubjectQueue};
use quire_sql::{RunColumns, corrupt, row};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::enqueue::TimedRun;
use crate::error::translate;
use crate::row::{StoredTime, int, json, mapped, text};
use crate::steps::{self, reset, write_step_progress};
use crate::{enqueue, review_marks, sql, transition};

/// A transition and its time.
#[derive(Clone, Copy)]
pub(crate) struct TimedTransition<'t> {
    pub(crate) transition: &'t Transition,
    pub(crate) at: Timestamp,
}

/// Events by run.
pub(crate) type EventsByRun = BTreeMap<RunId, Vec<Event>>;

/// What the effects of transitions did.
#[derive(Default)]
pub(crate) struct Performed {
    /// The events to append, by the run of the transition.
    pub(crate) recorded: EventsByRun,
    /// Those of them that are about interrupted steps.
    pub(crate) interrupted: EventsByRun,
    /// Those of them whose effect depended on what was found: reviews that ended, and runs that continue others.
    pub(crate) added_events: EventsByRun,
    /// Whether there may be work to claim now: another run got the turn, or one of these runs became ready again.
    pub(crate) notify: bool,
}

/// Stores transitions of runs that this transaction has locked, with all their effects.
pub(crate) async fn write(
    connection: &mut PgConnection,
    transitions: &[TimedTransition<'_>],
) -> PortResult<Performed> {
    transition::update(connection, transitions).await?;
    let performed = apply_effects(connection, transitions).await?;
    let events: Vec<Event> = performed.recorded.values().flatten().cloned().collect();
    append(connection, &events, performed.notify).await?;
    Ok(performed)
}

/// Updates the runs. Returns the runs whose fence still matched.
pub(crate) async fn update(
    connection: &mut PgConnection,
    transitions: &[TimedTransition<'_>],
) -> PortResult<HashSet<RunId>> {
    if transitions.is_empty() {
        return Ok(HashSet::new());
    }
    let runs = || transitions.iter().map(|timed| &timed.transition.run);
    let columns = || runs().map(RunColumns::from);
    let rows = sqlx::query(sql!("runs/update"))
        .bind(runs().map(|run| run.id.0).collect::<Vec<_>>())
        .bind(transitions.iter().map(|timed| timed.transition.from.0).collect::<Vec<_>>())
        .bind(runs().map(|run| run.state.as_str()).collect::<Vec<_>>())
        .bind(
            transitions
                .iter()
                .map(|timed| timed.transition.turn(timed.at).map(Turn::as_str))
                .collect::<Vec<_>>(),
        )
        .bind(runs().map(|run| run.fence.0).collect::<Vec<_>>())
        .bind(runs().map(|run| int(run.failed_attempts)).collect::<Vec<_>>())
        .bind(runs().map(|run| int(run.retry_count)).collect::<Vec<_>>())
        .bind(runs().map(|run| StoredTime(run.queued_at)).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.available_at.map(StoredTime)).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.started_at.map(StoredTime)).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.deadline_at.map(StoredTime)).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.completed_at.map(StoredTime)).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.worker_id).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.failure_type).collect::<Vec<_>>())
        .bind(columns().map(error).collect::<PortResult<Vec<_>>>()?)
        .bind(runs().map(|run| int(run.shared_orphanings)).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.time_used_ms).collect::<Vec<_>>())
        .bind(columns().map(|columns| columns.lane).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    Ok(mapped(&rows, |row| row.uuid("run_id").map(RunId))?.into_iter().collect())
}

/// A failure without the characters that the server's JSON cannot hold.
#[allow(clippy::needless_pass_by_value)] // `map(error)` reads best.
fn error(columns: RunColumns<'_>) -> PortResult<Option<String>> {
    columns.error.map(|record| serde_json::to_string(&json(record))).transpose().map_err(corrupt)
}

/// Stores the effects of transitions except their events, which must be the last write of a transaction.
pub(crate) async fn apply_effects(
    connection: &mut PgConnection,
    transitions: &[TimedTransition<'_>],
) -> PortResult<Performed> {
    if transitions.is_empty() {
        return Ok(Performed::default());
    }
    let interrupting = runs_with(transitions, |effect| matches!(effect, Effect::InterruptSteps(_)));
    let running = steps::running(connection, ids(&interrupting)).await?;
    let interrupted = interrupted(&interrupting, &running);
    let mut added_events = end_reviews(connection, transitions).await?;
    let mut recorded = recorded(transitions, &interrupted, &added_events);
    write_step_progress(connection, recorded.values().flatten()).await?;
    reset(connection, ids(&runs_with(transitions, |effect| *effect == Effect::ResetSteps))).await?;
    yield_front(connection, transitions).await?;
    let passed = pass_turn(connection, transitions).await?;
    let created = continue_runs(connection, transitions, &passed).await?;
    let is_ready = |timed: &TimedTransition<'_>| timed.transition.turn(timed.at) == Some(Turn::Ready);
    let notify = transitions.iter().any(is_ready) || !passed.is_empty() || !created.is_empty();
    for (run, event) in created {
        recorded.entry(run).or_default().push(event.clone());
        added_events.entry(run).or_default().push(event);
    }
    Ok(Performed { recorded, interrupted, added_events, notify })
}

fn runs_with<'t>(
    transitions: &[TimedTransition<'t>],
    wanted: impl Fn(&Effect) -> bool,
) -> Vec<TimedTransition<'t>> {
    transitions.iter().copied().filter(|timed| timed.transition.effects.iter().any(&wanted)).collect()
}

fn ids(transitions: &[TimedTransition<'_>]) -> Vec<Uuid> {
    transitions.iter().map(|timed| timed.transition.run.id.0).collect()
}

/// Ends the reviews of documents of which a run has completed, and returns the events of those that were REVIEWED.
async fn end_reviews(
    connection: &mut PgConnection,
    transitions: &[TimedTransition<'_>],
) -> PortResult<EventsByRun> {
    let completed = runs_with(transitions, |effect| matches!(effect, Effect::EndReview(_)));
    let documents = completed.iter().map(|timed| timed.transition.run.subject.0).collect();
    let at = completed.iter().map(|timed| StoredTime(timed.at)).collect();
    let ended = review_marks::end(connection, documents, at).await?;
    let mut events = EventsByRun::new();
    for TimedTransition { transition, .. } in completed {
        for effect in &transition.effects {
            if let Effect::EndReview(event) = effect
                && ended.contains(&transition.run.subject.0)
            {
                events.entry(transition.run.id).or_default().push(event.clone());
            }
        }
    }
    Ok(events)
}

/// The events of the steps that the transitions interrupt.
fn interrupted(transitions: &[TimedTransition<'_>], running: &[(RunId, RunningStep)]) -> EventsByRun {
    let mut interrupted = EventsByRun::new();
    for TimedTransition { transition, at } in transitions {
        for effect in &transition.effects {
            let Effect::InterruptSteps(reason) = effect else { continue };
            let steps = running.iter().filter(|(run, _)| *run == transition.run.id);
            let events = steps.map(|(_, step)| step_interrupted(transition, *step, reason, *at));
            interrupted.entry(transition.run.id).or_default().extend(events);
        }
    }
    interrupted
}

fn recorded(
    transitions: &[TimedTransition<'_>],
    interrupted: &EventsByRun,
    reviews_ended: &EventsByRun,
) -> EventsByRun {
    let mut recorded = EventsByRun::new();
    for TimedTransition { transition, .. } in transitions {
        let id = transition.run.id;
        let events = recorded.entry(id).or_default();
        let found = |by_run: &EventsByRun| by_run.get(&id).cloned().unwrap_or_default();
        for effect in &transition.effects {
            match effect {
                Effect::Record(event) => events.push(event.clone()),
                Effect::InterruptSteps(_) => events.extend(found(interrupted)),
                Effect::EndReview(_) => events.extend(found(reviews_ended)),
                Effect::ResetSteps | Effect::PassTurn | Effect::Continue(_) => {}
            }
        }
    }
    recorded
}

/// Creates the runs that continue the work of others, except where the turn has passed to another run of the subject.
/// Returns their events, by the run that they continue.
async fn continue_runs(
    connection: &mut PgConnection,
    transitions: &[TimedTransition<'_>],
    passed: &HashSet<SubjectQueue>,
) -> PortResult<Vec<(RunId, Event)>> {
    let mut continued = Vec::new();
    let mut new = Vec::new();
    for TimedTransition { transition, at } in transitions {
        for effect in &transition.effects {
            if let Effect::Continue(run) = effect
                && !passed.contains(&(run.subject, run.pipeline))
            {
                continued.push(transition.run.id);
                new.push(TimedRun { new: run.clone(), at: *at });
            }
        }
    }
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let (_, events) = enqueue::insert(connection, &new).await?;
    Ok(continued.into_iter().zip(events).collect())
}

/// Subjects and pipelines, as two columns.
fn subjects(transitions: &[TimedTransition<'_>]) -> (Vec<Uuid>, Vec<&'static str>) {
    transitions
        .iter()
        .map(|timed| (timed.transition.run.subject.0, timed.transition.run.pipeline.as_str()))
        .unzip()
}

async fn yield_front(connection: &mut PgConnection, transitions: &[TimedTransition<'_>]) -> PortResult<()> {
    let newcomers: Vec<_> =
        transitions.iter().copied().filter(|timed| timed.transition.rejoins_queue()).collect();
    if newcomers.is_empty() {
        return Ok(());
    }
    let (subjects, pipelines) = subjects(&newcomers);
    sqlx::query(sql!("runs/yield_front"))
        .bind(subjects)
        .bind(pipelines)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Passes the turn. This is a statement of its own after the one that updated the runs, so that it sees the runs that
/// other transactions added while that statement waited.
/// Returns where the turn passed to another run.
async fn pass_turn(
    connection: &mut PgConnection,
    transitions: &[TimedTransition<'_>],
) -> PortResult<HashSet<SubjectQueue>> {
    let mut passing = runs_with(transitions, |effect| matches!(effect, Effect::PassTurn));
    if passing.is_empty() {
        return Ok(HashSet::new());
    }
    let key = |timed: &TimedTransition<'_>| (timed.transition.run.subject, timed.transition.run.pipeline);
    passing.sort_by_key(key);
    passing.dedup_by_key(|timed| key(timed));
    let (subjects, pipelines) = subjects(&passing);
    let passed = sqlx::query(sql!("runs/pass_turn"))
        .bind(subjects)
        .bind(pipelines)
        .bind(passing.iter().map(|timed| StoredTime(timed.at)).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    if mapped(&passed, |row| row.boolean("is_listed"))?.contains(&true) {
        sqlx::query(sql!("runs/clear_ended_listing"))
            .bind(ids(&passing))
            .execute(connection)
            .await
            .map_err(translate)?;
    }
    Ok(mapped(&passed, row::subject_queue)?.into_iter().collect())
}

/// Makes the oldest waiting run of each of these queues the front, if none is. Returns the queues that got one.
pub(crate) async fn give_turns(
    connection: &mut PgConnection,
    queues: &[SubjectQueue],
    at: Timestamp,
) -> PortResult<Vec<SubjectQueue>> {
    if queues.is_empty() {
        return Ok(Vec::new());
    }
    let given = sqlx::query(sql!("runs/pass_turn"))
        .bind(queues.iter().map(|(subject, _)| subject.0).collect::<Vec<_>>())
        .bind(queues.iter().map(|(_, pipeline)| pipeline.as_str()).collect::<Vec<_>>())
        .bind(vec![StoredTime(at); queues.len()])
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    mapped(&given, row::subject_queue)
}

/// Appends to the history and, if there may be work to claim, notifies the other processes at the commit. No other
/// write may follow in the transaction.
pub(crate) async fn append(connection: &mut PgConnection, events: &[Event], notify: bool) -> PortResult<()> {
    if events.is_empty() {
        return Ok(());
    }
    let details = events.iter().map(details).collect::<PortResult<Vec<_>>>()?;
    sqlx::query(sql!("events/insert"))
        .bind(events.iter().map(|event| StoredTime(event.at)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.event_type.as_str()).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.pipeline.map(Pipeline::as_str)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.subject.map(|id| id.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.run.map(|id| id.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.fence.map(|fence| fence.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.worker.map(|id| id.0)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.step.map(StepName::as_str)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.attempt.map(int)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.started_at.map(StoredTime)).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.error_code().map(text)).collect::<Vec<_>>())
        .bind(details)
        .bind(notify)
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
