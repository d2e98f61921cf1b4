//! The queue of runs.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Event, Fence, NewRun, RequeuePolicy, Run, RunChange, RunId, Transition};
use quire_ports::{
    Claim, ClaimRequest, ClaimedRun, PortError, PortResult, RunQueue, RunWrite, RunWriteOutcome,
};
use quire_sql::{row, run_not_found};
use sqlx::PgConnection;
use tokio::sync::{Notify, watch};

use crate::claim::start_next;
use crate::database::{commit, rollback};
use crate::enqueue::TimedRun;
use crate::error::{translate, unavailable};
use crate::row::{StoredTime, bigint, first};
use crate::steps::write_step_progress;
use crate::transition::{self, TimedTransition, append};
use crate::{PgStore, sql};

/// How often to try a change while other transactions change the same subject.
const TRIES: usize = 5;

#[async_trait]
impl RunQueue for PgStore {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        let run = self.enqueues.submit(TimedRun { new: new.clone(), at }).await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin_planned_once().await?;
                let claimed = start_next(&mut transaction, &claim).await?;
                commit(transaction).await?;
                Ok(claimed)
            })
            .await
    }

    async fn write(&self, write: RunWrite) -> PortResult<RunWriteOutcome> {
        let (outcome, notify) = self.run_writes.submit(write).await?;
        self.notify_if(notify);
        Ok(outcome)
    }

    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let released = sqlx::query(sql!("runs/release_due"))
                    .bind(StoredTime(at))
                    .bind(bigint(limit))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?
                    .rows_affected();
                if released > 0 {
                    sqlx::query(sql!("runs/notify")).execute(&mut *transaction).await.map_err(translate)?;
                }
                commit(transaction).await?;
                self.notify_if(released > 0);
                Ok(usize::try_from(released).unwrap_or(usize::MAX))
            })
            .await
    }

    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        self.change(run, &RunChange::Retry { requeue }, actor, at).await
    }

    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        self.change(run, &RunChange::Withdraw, actor, at).await
    }

    async fn cancel(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        let cancelled = self.change(run, &RunChange::Cancel, actor, at).await?;
        self.cancellations.send_modify(|count| *count += 1);
        Ok(cancelled)
    }

    fn cancellations(&self) -> watch::Receiver<u64> {
        self.cancellations.subscribe()
    }

    async fn outdated(&self, claims: &[Claim]) -> PortResult<Vec<Claim>> {
        let runs: Vec<_> = claims.iter().map(|(run, _)| run.0).collect();
        let fences: Vec<_> = claims.iter().map(|(_, fence)| fence.0).collect();
        self.rows(
            || sqlx::query(sql!("runs/outdated")).bind(runs.clone()).bind(fences.clone()),
            |row| Ok((RunId(row.uuid("run_id")?), Fence(row.integer("run_fence")?))),
        )
        .await
    }

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                write_step_progress(&mut transaction, events).await?;
                append(&mut transaction, events, false).await?;
                commit(transaction).await
            })
            .await
    }

    fn wakeup(&self) -> Arc<Notify> {
        self.wakeup.clone()
    }
}

impl PgStore {
    /// Wakes the workers of this process that wait for work.
    pub(crate) fn notify_if(&self, has_work: bool) {
        if has_work {
            self.wakeup.notify_one();
        }
    }

    /// Applies a change to a run. Tries again if another transaction has made a new front in between, so that the
    /// caller does not see that conflict.
    async fn change(
        &self,
        id: RunId,
        change: &RunChange,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        let mut tries = TRIES;
        loop {
            match self.change_once(id, change.clone(), actor, at).await {
                Err(error) if error.is_contention() && tries > 1 => tries -= 1,
                outcome => return outcome,
            }
        }
    }

    /// Reads a run, lets the domain decide and stores the decision.
    async fn change_once(
        &self,
        id: RunId,
        change: RunChange,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                // Every transaction locks the document first and then its runs.
                sqlx::query(sql!("documents/lock_of_run"))
                    .bind(id.0)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let run = find_for_update(&mut transaction, id).await?;
                let cancels = change == RunChange::Cancel;
                let mut transition = match apply(&run, change, at) {
                    Ok(transition) => transition.by(actor),
                    Err(why) => {
                        rollback(transaction).await?;
                        return Err(PortError::Conflict(why.to_string()));
                    }
                };
                let newcomer = transition.rejoins_queue();
                let front_is_kept = newcomer && lock_front(&mut transaction, &run).await?;
                if cancels {
                    sqlx::query(sql!("runs/notify_cancelled"))
                        .execute(&mut *transaction)
                        .await
                        .map_err(translate)?;
                }
                let timed = TimedTransition { transition: &transition, at };
                let mut performed = transition::write(&mut transaction, &[timed]).await?;
                if newcomer && !front_is_kept && !is_own_front(&mut transaction, &run).await? {
                    return Err(unavailable("another run of the subject came first", true));
                }
                commit(transaction).await?;
                self.notify_if(performed.notify);
                transition.name_interrupted(performed.interrupted.remove(&id).unwrap_or_default());
                Ok(transition)
            })
            .await
    }
}

/// The run with this id, if it exists.
pub(crate) fn found(rows: &[sqlx::postgres::PgRow], id: RunId) -> PortResult<Run> {
    first(rows.first(), row::run)?.ok_or_else(|| run_not_found(id))
}

async fn find_for_update(connection: &mut PgConnection, id: RunId) -> PortResult<Run> {
    let rows = sqlx::query(sql!("runs/find_for_update"))
        .bind(id.0)
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    found(&rows, id)
}

/// Locks the front, so that it cannot end before the new run behind it is visible. If the front has ended while this
/// transaction waited for the lock, another run may be the front now, and the function looks again. Returns whether
/// there is a front.
async fn lock_front(connection: &mut PgConnection, run: &Run) -> PortResult<bool> {
    for _ in 0..TRIES {
        let locked = sqlx::query(sql!("runs/lock_front_for_update"))
            .bind(run.subject.0)
            .bind(run.pipeline.as_str())
            .execute(&mut *connection)
            .await
            .map_err(translate)?
            .rows_affected();
        let another: bool = sqlx::query_scalar(sql!("runs/has_front"))
            .bind(run.subject.0)
            .bind(run.pipeline.as_str())
            .fetch_one(&mut *connection)
            .await
            .map_err(translate)?;
        if locked > 0 || !another {
            return Ok(locked > 0);
        }
    }
    Err(unavailable("others are writing to the same subject", true))
}

/// Whether this transaction made the front, after it had found none. If not, another transaction has made a front that
/// this one did not see. That front may end before this transaction commits, without passing the turn to the new run
/// behind it.
async fn is_own_front(connection: &mut PgConnection, run: &Run) -> PortResult<bool> {
    sqlx::query_scalar(sql!("runs/is_own_front"))
        .bind(run.subject.0)
        .bind(run.pipeline.as_str())
        .fetch_one(connection)
        .await
        .map_err(translate)
}
