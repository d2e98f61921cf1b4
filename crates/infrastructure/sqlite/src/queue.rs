//! The queue of runs.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::reading::Extractor;
use quire_domain::run::{apply, create, last_event, late_write_refused, may_start, step_started};
use quire_domain::{
    Event, Fence, NewRun, PipelinePlan, ReachedStep, RequeuePolicy, Run, RunChange, RunId, StepName,
    Transition, WorkerId,
};
use quire_ports::{
    Artifact, Claim, ClaimRequest, ClaimedRun, PortError, PortResult, RunQueue, RunWrite, RunWriteOutcome,
    StepProgress,
};
use quire_sql::{ColumnReader, VersionColumns, another_run_has_the_id, json_text, row, run_not_found};
use rusqlite::{Connection, params};
use tokio::sync::{Notify, watch};

use crate::row::{all, execute, first, micros, scalar};
use crate::transition::{self, Performed, append};
use crate::{SqliteStore, links, proposals, reviews, search_entry, sql};

#[async_trait]
impl RunQueue for SqliteStore {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        let new = new.clone();
        let run = self.writer.write(move |connection| enqueue(connection, &new, at)).await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        let ClaimRequest { worker, at, limit, is_idle, plans, lanes } = claim;
        let (plans, lanes) = (plans.to_vec(), lanes.map(|lanes| json_text(&lanes)).transpose()?);
        self.writer
            .write(move |connection| {
                if !is_live(connection, worker.0.as_bytes(), at)? {
                    return Ok(Vec::new());
                }
                let mut next = next_up(connection, &plans, lanes.as_deref(), limit)?;
                if let Some((first, _)) = next.first().cloned() {
                    next.retain(|(run, _)| may_start(run, &first, is_idle));
                }
                let mut claimed = Vec::with_capacity(next.len());
                for (run, plan) in next {
                    claimed.push(start(connection, &run, plan, worker, at)?);
                }
                Ok(claimed)
            })
            .await
    }

    async fn write(&self, write: RunWrite) -> PortResult<RunWriteOutcome> {
        let (outcome, notify) = self.writer.write(move |connection| write_run(connection, &write)).await?;
        self.notify_if(notify);
        Ok(outcome)
    }

    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize> {
        let released = self
            .writer
            .write(move |connection| {
                execute(connection, sql!("runs/release_due"), params![micros(at), row_limit(limit)])
            })
            .await?;
        self.notify_if(released > 0);
        Ok(released)
    }

    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        self.change(run, RunChange::Retry { requeue }, actor, at).await
    }

    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        self.change(run, RunChange::Withdraw, actor, at).await
    }

    async fn cancel(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        let cancelled = self.change(run, RunChange::Cancel, actor, at).await?;
        self.cancellations.send_modify(|count| *count += 1);
        Ok(cancelled)
    }

    fn cancellations(&self) -> watch::Receiver<u64> {
        self.cancellations.subscribe()
    }

    async fn outdated(&self, claims: &[Claim]) -> PortResult<Vec<Claim>> {
        let claims = claims.to_vec();
        self.readers
            .read(move |connection| {
                let mut outdated = Vec::new();
                for (run, fence) in claims {
                    if !fence_holds(connection, run, fence)? {
                        outdated.push((run, fence));
                    }
                }
                Ok(outdated)
            })
            .await
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
    /// Wakes the workers that wait for work.
    pub(crate) fn notify_if(&self, has_work: bool) {
        if has_work {
            self.wakeup.notify_one();
        }
    }

    /// Reads a run, lets the domain decide and stores the decision.
    async fn change(
        &self,
        id: RunId,
        change: RunChange,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        let actor = actor.to_owned();
        let (transition, notify) = self
            .writer
            .write(move |connection| {
                let run = find(connection, id)?;
                let transition =
                    apply(&run, change.clone(), at).map_err(|why| PortError::Conflict(why.to_string()))?;
                let mut transition = transition.by(&actor);
                let performed = transition::write(connection, &transition, at)?.unwrap_or_default();
                transition.name_interrupted(performed.interrupted);
                Ok((transition, performed.notify))
            })
            .await?;
        self.notify_if(notify);
        Ok(transition)
    }
}

/// Inserts a run and returns it as it is stored. If a run with the same id exists already, returns that run unchanged.
pub(crate) fn enqueue(connection: &Connection, new: &NewRun, at: Timestamp) -> PortResult<Run> {
    let (run, created) = create(new, at);
    let values = params![
        run.id.0.as_bytes(),
        run.pipeline.as_str(),
        run.subject.0.as_bytes(),
        run.priority.rank(),
        run.correlation_id,
        micros(at),
        run.continues.as_ref().map(|continuation| continuation.run.0.as_bytes()),
        run.continues.map(|continuation| continuation.number),
        run.requested_by,
        run.extractor.map(Extractor::as_str),
    ];
    let stored = |row: &dyn ColumnReader| Ok((row::run(row)?, row.boolean("is_listed")?));
    if let Some((run, is_listed)) = first(connection, sql!("runs/insert"), values, stored)? {
        if is_listed {
            clear_previous_listing(connection, &run)?;
        }
        append(connection, &created)?;
        return Ok(run);
    }
    let stored = find(connection, new.id)?;
    if stored.subject == new.subject && stored.pipeline == new.pipeline {
        Ok(stored)
    } else {
        Err(another_run_has_the_id(new.id))
    }
}

/// The list of documents shows each document by its latest run, and this run is the latest now.
fn clear_previous_listing(connection: &Connection, run: &Run) -> PortResult<()> {
    let values = params![run.subject.0.as_bytes(), micros(run.created_at), run.id.0.as_bytes()];
    execute(connection, sql!("runs/clear_previous_listing"), values)?;
    Ok(())
}

pub(crate) fn find(connection: &Connection, id: RunId) -> PortResult<Run> {
    let found = first(connection, sql!("runs/find"), [id.0.as_bytes()], row::run)?;
    found.ok_or_else(|| run_not_found(id))
}

/// A LIMIT as SQLite takes it.
pub(crate) fn row_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn is_live(connection: &Connection, worker: &[u8; 16], at: Timestamp) -> PortResult<bool> {
    scalar(connection, sql!("workers/is_live"), params![worker, micros(at)])
}

/// The runs whose turn it is, most urgent first, each with its pipeline's plan.
fn next_up<'p>(
    connection: &Connection,
    plans: &'p [PipelinePlan],
    lanes: Option<&str>,
    limit: usize,
) -> PortResult<Vec<(Run, &'p PipelinePlan)>> {
    let mut next = Vec::new();
    for plan in plans {
        let (pipeline, limit) = (plan.pipeline.as_str(), row_limit(limit));
        let of_plan = |row: &dyn ColumnReader| Ok((row::run(row)?, plan));
        next.extend(match lanes {
            None => all(connection, sql!("runs/next"), params![pipeline, limit], of_plan)?,
            Some(lanes) => {
                all(connection, sql!("runs/next_in_lanes"), params![pipeline, limit, lanes], of_plan)?
            }
        });
    }
    next.sort_by_key(|(run, _)| (std::cmp::Reverse(run.priority), run.queued_at, run.id));
    next.truncate(limit);
    Ok(next)
}

fn start(
    connection: &Connection,
    run: &Run,
    plan: &PipelinePlan,
    worker: WorkerId,
    at: Timestamp,
) -> PortResult<ClaimedRun> {
    let transition = apply(run, RunChange::Start { worker, limit: plan.limit }, at)
        .map_err(|why| PortError::Corrupt(why.to_string()))?;
    transition::write(connection, &transition, at)?;
    let attempts = plan.next_attempts(&reached_before(connection, run)?);
    for attempt in &attempts {
        append(connection, &step_started(&transition.run, *attempt, worker, at))?;
    }
    Ok(ClaimedRun { run: transition.run, started_steps: attempts })
}

/// The steps that earlier claims of this run have reached.
fn reached_before(connection: &Connection, run: &Run) -> PortResult<Vec<ReachedStep>> {
    if run.fence == Fence::default() {
        return Ok(Vec::new());
    }
    let steps = transition::steps(connection, run.id)?.into_iter();
    Ok(steps
        .map(|StepProgress { step, status, attempt, .. }| ReachedStep { step, status, attempt })
        .collect())
}

/// Writes the report of a run's owner. Also returns whether there may be work to claim now.
fn write_run(connection: &Connection, write: &RunWrite) -> PortResult<(RunWriteOutcome, bool)> {
    let last = last_event(&write.events, write.transition.as_ref());
    if write.repeated && was_written(connection, &write.run, last)? {
        return Ok((RunWriteOutcome::Accepted(Vec::new()), false));
    }
    choose_schema_of_run(connection, write)?;
    let fence_matches = match &write.transition {
        Some(end) => transition::update(connection, end, write.at)?,
        None => fence_holds(connection, write.run.id, write.run.fence)?,
    };
    if !fence_matches {
        append(connection, &late_write_refused(&write.run, last, write.at))?;
        return Ok((RunWriteOutcome::Refused, false));
    }
    for event in &write.events {
        append(connection, event)?;
    }
    for artifact in &write.artifacts {
        insert_artifact(connection, write.run.id, artifact)?;
    }
    if let Some(version) = &write.interpretation {
        let columns = VersionColumns::of_first(write.run.id, version, write.at)?;
        reviews::insert_version(connection, &columns)?;
        if let Some(chosen) = &version.schema {
            let values = params![write.run.subject.0.as_bytes(), chosen.name, micros(write.at)];
            execute(connection, sql!("documents/choose_schema"), values)?;
        }
    }
    for result in &write.proposal {
        proposals::insert_result(connection, write.run.id, result, write.at)?;
    }
    if let Some(summary) = &write.summary {
        links::insert_summary(connection, write.run.id, summary, write.at)?;
    }
    let performed = match &write.transition {
        Some(end) => transition::apply_effects(connection, end, write.at)?,
        None => Performed::default(),
    };
    if let Some(end) = write.transition.as_ref().filter(|end| end.run.is_completed_document()) {
        search_entry::complete(connection, &end.run, write.text.as_deref())?;
    }
    Ok((RunWriteOutcome::Accepted(performed.added_events), performed.notify))
}

/// Binds the run to the schema that was chosen for it, if its fence holds. This comes first, because a run that has ended does
/// not change.
fn choose_schema_of_run(connection: &Connection, write: &RunWrite) -> PortResult<()> {
    if let Some(chosen) = write.interpretation.as_ref().and_then(|version| version.schema.as_ref()) {
        let run = &write.run;
        let values = params![run.id.0.as_bytes(), chosen.name, chosen.version, run.fence.0];
        execute(connection, sql!("runs/choose_schema"), values)?;
    }
    Ok(())
}

/// Whether an earlier attempt at the write that ends with this event has succeeded.
fn was_written(connection: &Connection, run: &Run, last: Option<&Event>) -> PortResult<bool> {
    let Some(last) = last else {
        return Ok(false);
    };
    let values = params![
        run.id.0.as_bytes(),
        run.fence.0,
        last.event_type.as_str(),
        last.step.map(StepName::as_str),
        last.attempt,
    ];
    scalar(connection, sql!("events/exists"), values)
}

fn fence_holds(connection: &Connection, run: RunId, fence: Fence) -> PortResult<bool> {
    scalar(connection, sql!("runs/fence_holds"), params![run.0.as_bytes(), fence.0])
}

fn insert_artifact(connection: &Connection, run: RunId, artifact: &Artifact) -> PortResult<()> {
    let values = params![
        artifact.id.0.as_bytes(),
        run.0.as_bytes(),
        artifact.artifact_type,
        artifact.payload,
        micros(artifact.created_at),
    ];
    execute(connection, sql!("artifacts/insert"), values)?;
    Ok(())
}
