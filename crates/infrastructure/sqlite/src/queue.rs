//! The queue of runs.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::SchemaRef;
use quire_domain::run::{apply, create};
use quire_domain::{
    Change, Event, EventType, Fence, NewRun, PipelinePlan, RequeuePolicy, Run, RunId, StepName, StepStatus,
    Transition,
};
use quire_ports::{
    Advance, AdvanceOutcome, Artifact, ClaimRequest, ClaimedRun, PortError, PortResult, RunQueue,
};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::Notify;

use crate::error::translate;
use crate::row::{self, micros};
use crate::transition::{self, Woke, append};
use crate::{SqliteStore, reviews, sql};

#[async_trait]
impl RunQueue for SqliteStore {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        let new = new.clone();
        let run = self.writer.write(move |connection| enqueue(connection, &new, at)).await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        let (worker, at, limit, plans) = (claim.worker, claim.at, claim.limit, claim.plans.to_vec());
        self.writer
            .write(move |connection| {
                if !is_live(connection, worker.0.as_bytes(), at)? {
                    return Ok(Vec::new());
                }
                let mut claimed = Vec::new();
                for (run, plan) in next_up(connection, &plans, limit)? {
                    claimed.push(start(connection, &run, plan, worker, at)?);
                }
                Ok(claimed)
            })
            .await
    }

    async fn advance(&self, advance: Advance) -> PortResult<AdvanceOutcome> {
        let (written, woke) =
            self.writer.write(move |connection| write_advance(connection, &advance)).await?;
        self.wake(woke);
        Ok(written)
    }

    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize> {
        let released = self
            .writer
            .write(move |connection| {
                connection
                    .prepare_cached(sql!("runs/release_due"))
                    .and_then(|mut statement| statement.execute(params![micros(at), row_limit(limit)]))
                    .map_err(translate)
            })
            .await?;
        self.wake(Woke(released > 0));
        Ok(released)
    }

    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        self.change(run, Change::Retry { requeue }, actor, at).await
    }

    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        self.change(run, Change::Withdraw, actor, at).await
    }

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        let events = events.to_vec();
        self.writer
            .write(move |connection| events.iter().try_for_each(|event| append(connection, event)))
            .await
    }

    fn wakeup(&self) -> Arc<Notify> {
        self.wakeup.clone()
    }
}

impl SqliteStore {
    pub(crate) fn wake(&self, woke: Woke) {
        if woke.0 {
            self.wakeup.notify_one();
        }
    }

    /// Reads a run, lets the domain decide and stores what it says.
    async fn change(&self, id: RunId, change: Change, actor: &str, at: Timestamp) -> PortResult<Transition> {
        let actor = actor.to_owned();
        let (transition, woke) = self
            .writer
            .write(move |connection| {
                let run = find(connection, id)?;
                let transition =
                    apply(&run, change.clone(), at).map_err(|why| PortError::Conflict(why.to_string()))?;
                let transition = transition.by(&actor);
                let woke = transition::write(connection, &transition, at)?;
                Ok((transition, woke.unwrap_or_default()))
            })
            .await?;
        self.wake(woke);
        Ok(transition)
    }
}

pub(crate) fn enqueue(connection: &Connection, new: &NewRun, at: Timestamp) -> PortResult<Run> {
    let (run, event) = create(new, at);
    let inserted = connection
        .prepare_cached(sql!("runs/insert"))
        .and_then(|mut statement| {
            let values = params![
                run.id.0.as_bytes(),
                run.pipeline.as_str(),
                run.subject.0.as_bytes(),
                run.priority.rank(),
                run.correlation_id,
                micros(at),
            ];
            let terms = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            statement.query_row(values, terms).optional()
        })
        .map_err(translate)?;
    if let Some((language, name, version, is_listed)) = inserted {
        if is_listed {
            unlist_previous(connection, &run, at)?;
        }
        append(connection, &event)?;
        let schema = Option::zip(name, version).map(|(name, version)| SchemaRef { name, version });
        return Ok(Run { language, schema, ..run });
    }
    let stored = find(connection, new.id)?;
    if stored.subject == new.subject && stored.pipeline == new.pipeline {
        Ok(stored)
    } else {
        Err(PortError::Conflict(format!("another run has the id {}", new.id)))
    }
}

/// A document is listed by its latest run, which is this one now.
fn unlist_previous(connection: &Connection, run: &Run, at: Timestamp) -> PortResult<()> {
    connection
        .prepare_cached(sql!("runs/unlist"))
        .and_then(|mut statement| {
            statement.execute(params![run.subject.0.as_bytes(), micros(at), run.id.0.as_bytes()])
        })
        .map_err(translate)?;
    Ok(())
}

pub(crate) fn find(connection: &Connection, id: RunId) -> PortResult<Run> {
    connection
        .prepare_cached(sql!("runs/find"))
        .and_then(|mut statement| statement.query_row([id.0.as_bytes()], |row| Ok(row::run(row))).optional())
        .map_err(translate)?
        .unwrap_or_else(|| Err(PortError::NotFound(format!("run {id}"))))
}

/// A LIMIT as SQLite takes it.
pub(crate) fn row_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn is_live(connection: &Connection, worker: &[u8; 16], at: Timestamp) -> PortResult<bool> {
    connection
        .prepare_cached(sql!("workers/is_live"))
        .and_then(|mut statement| statement.query_row(params![worker, micros(at)], |row| row.get(0)))
        .map_err(translate)
}

/// The runs whose turn it is, most urgent first, each with its pipeline's plan.
fn next_up<'p>(
    connection: &Connection,
    plans: &'p [PipelinePlan],
    limit: usize,
) -> PortResult<Vec<(Run, &'p PipelinePlan)>> {
    let mut next = Vec::new();
    for plan in plans {
        let mut statement = connection.prepare_cached(sql!("runs/next")).map_err(translate)?;
        let mut rows =
            statement.query(params![plan.pipeline.as_str(), row_limit(limit)]).map_err(translate)?;
        while let Some(found) = rows.next().map_err(translate)? {
            next.push((row::run(found)?, plan));
        }
    }
    next.sort_by_key(|(run, _)| (std::cmp::Reverse(run.priority), run.queued_at, run.id));
    next.truncate(limit);
    Ok(next)
}

fn start(
    connection: &Connection,
    run: &Run,
    plan: &PipelinePlan,
    worker: quire_domain::WorkerId,
    at: Timestamp,
) -> PortResult<ClaimedRun> {
    let transition = apply(run, Change::Start { worker, limit: plan.limit }, at)
        .map_err(|why| PortError::Corrupt(why.to_string()))?;
    transition::write(connection, &transition, at)?;
    let step = plan.first_unfinished(&done_before(connection, run)?);
    if let Some(step) = step {
        let started = Event {
            worker: Some(worker),
            step: Some(step),
            attempt: Some(1),
            ..Event::of_run(EventType::StepStarted, &transition.run, at)
        };
        append(connection, &started)?;
    }
    Ok(ClaimedRun { run: transition.run, step })
}

/// What earlier attempts at this run have achieved.
fn done_before(connection: &Connection, run: &Run) -> PortResult<Vec<StepName>> {
    if run.fence == Fence::default() {
        return Ok(Vec::new());
    }
    let steps = transition::steps(connection, run.id)?;
    Ok(steps.into_iter().filter(|step| step.status == StepStatus::Succeeded).map(|step| step.step).collect())
}

fn write_advance(connection: &Connection, advance: &Advance) -> PortResult<(AdvanceOutcome, Woke)> {
    if advance.repeated && was_written(connection, advance)? {
        return Ok((AdvanceOutcome::Accepted, Woke(false)));
    }
    let holds = match &advance.end {
        Some(end) => transition::update(connection, end, advance.at)?,
        None => fence_holds(connection, &advance.run)?,
    };
    if !holds {
        append(connection, &advance.refusal())?;
        return Ok((AdvanceOutcome::Refused, Woke(false)));
    }
    for event in &advance.events {
        append(connection, event)?;
    }
    for artifact in &advance.artifacts {
        insert_artifact(connection, advance.run.id, artifact)?;
    }
    if let Some(first) = &advance.interpretation {
        reviews::insert_first(connection, advance.run.id, first, advance.at)?;
    }
    let woke = match &advance.end {
        Some(end) => transition::perform(connection, end, advance.at)?,
        None => Woke(false),
    };
    Ok((AdvanceOutcome::Accepted, woke))
}

fn was_written(connection: &Connection, advance: &Advance) -> PortResult<bool> {
    let Some(marker) = advance.marker() else {
        return Ok(false);
    };
    connection
        .prepare_cached(sql!("events/exists"))
        .and_then(|mut statement| {
            statement.query_row(
                params![
                    advance.run.id.0.as_bytes(),
                    advance.run.fence.0,
                    marker.event_type.as_str(),
                    marker.step.map(StepName::as_str),
                    marker.attempt,
                ],
                |row| row.get(0),
            )
        })
        .map_err(translate)
}

fn fence_holds(connection: &Connection, run: &Run) -> PortResult<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND fence = ?2)")
        .and_then(|mut statement| {
            statement.query_row(params![run.id.0.as_bytes(), run.fence.0], |row| row.get(0))
        })
        .map_err(translate)
}

fn insert_artifact(connection: &Connection, run: RunId, artifact: &Artifact) -> PortResult<()> {
    connection
        .prepare_cached(
            "INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .and_then(|mut statement| {
            statement.execute(params![
                artifact.id.0.as_bytes(),
                run.0.as_bytes(),
                artifact.artifact_type,
                artifact.payload,
                micros(artifact.created_at),
            ])
        })
        .map_err(translate)?;
    Ok(())
}
