//! Claiming runs for a worker.

use std::collections::HashMap;

use quire_domain::run::{apply, may_start, step_started};
use quire_domain::{
    Effect, Fence, LaneName, PipelinePlan, ReachedStep, Run, RunChange, RunId, StepAttempt, Transition,
};
use quire_ports::{ClaimRequest, ClaimedRun, PortError, PortResult};
use quire_sql::row;
use sqlx::PgConnection;

use crate::error::translate;
use crate::row::{StoredTime, bigint, mapped};
use crate::sql;
use crate::steps::{self, write_step_progress};
use crate::transition::{TimedTransition, append, update};

/// Starts the runs whose turn it is. They stay locked until the transaction ends.
pub(crate) async fn start_next(
    connection: &mut PgConnection,
    claim: &ClaimRequest<'_>,
) -> PortResult<Vec<ClaimedRun>> {
    let mut next = next_up(connection, claim).await?;
    if let Some(first) = next.first().cloned() {
        next.retain(|run| may_start(run, &first, claim.is_idle));
    }
    if next.is_empty() {
        return Ok(Vec::new());
    }
    let reached = reached_before(connection, &next).await?;
    let mut started = Vec::with_capacity(next.len());
    for run in &next {
        let plan = plan_of(claim, run)?;
        let attempts = plan.next_attempts(reached.get(&run.id).map_or(&[], Vec::as_slice));
        started.push((start(run, plan, claim)?, attempts));
    }
    store(connection, claim, &started).await?;
    let claimed =
        |(transition, attempts): (Transition, _)| ClaimedRun { run: transition.run, started_steps: attempts };
    Ok(started.into_iter().map(claimed).collect())
}

/// The runs whose turn it is, or that wait in the lanes of the claim, most urgent first.
async fn next_up(connection: &mut PgConnection, claim: &ClaimRequest<'_>) -> PortResult<Vec<Run>> {
    let query = match claim.lanes {
        None => sqlx::query(sql!("runs/next")),
        Some(_) => sqlx::query(sql!("runs/next_in_lanes")),
    };
    let mut query = query
        .bind(claim.plans.iter().map(|plan| plan.pipeline.as_str()).collect::<Vec<_>>())
        .bind(bigint(claim.limit))
        .bind(claim.worker.0)
        .bind(StoredTime(claim.at));
    if let Some(lanes) = claim.lanes {
        query = query.bind(lanes.iter().map(LaneName::as_str).collect::<Vec<_>>());
    }
    let rows = query.fetch_all(connection).await.map_err(translate)?;
    mapped(&rows, row::run)
}

/// The steps that earlier claims of these runs have reached. Most runs had no claim, and the query leaves them out.
async fn reached_before(
    connection: &mut PgConnection,
    next: &[Run],
) -> PortResult<HashMap<RunId, Vec<ReachedStep>>> {
    let tried = next.iter().filter(|run| run.fence > Fence::default()).map(|run| run.id.0);
    steps::reached(connection, tried.collect()).await
}

fn plan_of<'p>(claim: &ClaimRequest<'p>, run: &Run) -> PortResult<&'p PipelinePlan> {
    let plan = claim.plans.iter().find(|plan| plan.pipeline == run.pipeline);
    plan.ok_or_else(|| PortError::Corrupt(format!("nobody asked for {} runs", run.pipeline)))
}

fn start(run: &Run, plan: &PipelinePlan, claim: &ClaimRequest<'_>) -> PortResult<Transition> {
    let change = RunChange::Start { worker: claim.worker, limit: plan.limit };
    apply(run, change, claim.at).map_err(|why| PortError::Corrupt(why.to_string()))
}

async fn store(
    connection: &mut PgConnection,
    claim: &ClaimRequest<'_>,
    started: &[(Transition, Vec<StepAttempt>)],
) -> PortResult<()> {
    let timed: Vec<_> =
        started.iter().map(|(transition, _)| TimedTransition { transition, at: claim.at }).collect();
    update(connection, &timed).await?;
    let mut events = Vec::with_capacity(2 * started.len());
    for (transition, attempts) in started {
        events.extend(transition.effects.iter().filter_map(|effect| match effect {
            Effect::Record(event) => Some(event.clone()),
            _ => None,
        }));
        let step_started =
            |attempt: &StepAttempt| step_started(&transition.run, *attempt, claim.worker, claim.at);
        events.extend(attempts.iter().map(step_started));
    }
    write_step_progress(connection, &events).await?;
    append(connection, &events, false).await
}
