//! Recovery and the watchdog.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Change, Pipeline, Recovery, Run, Transition};
use quire_ports::{PortError, PortResult, Rescue, RescueRules};
use sqlx::PgConnection;

use crate::database::commit;
use crate::error::translate;
use crate::row::{self, At, bigint};
use crate::transition::{self, Move};
use crate::{PgStore, sql};

#[async_trait]
impl Rescue for PgStore {
    async fn recover_orphans(
        &self,
        rules: &RescueRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let older_than = at.saturating_sub(rules.zombie_after).unwrap_or(Timestamp::MIN);
        self.settle_all(sql!("runs/orphans"), older_than, at, limit, |run| Change::Orphan {
            recovery: recovery_of(&rules.recovery, run.pipeline),
        })
        .await
    }

    async fn time_out_overdue(
        &self,
        rules: &RescueRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let due_before = at.saturating_sub(rules.grace).unwrap_or(Timestamp::MIN);
        self.settle_all(sql!("runs/overdue"), due_before, at, limit, |_| Change::TimeOut).await
    }
}

/// A pipeline that no rule names is recovered as the safest rule does.
fn recovery_of(rules: &[(Pipeline, Recovery)], pipeline: Pipeline) -> Recovery {
    rules.iter().find(|(of, _)| *of == pipeline).map_or(Recovery::Fail, |(_, recovery)| *recovery)
}

impl PgStore {
    /// Finds runs by `query` and lets `change` happen to each, all in one transaction.
    async fn settle_all(
        &self,
        query: &'static str,
        before: Timestamp,
        at: Timestamp,
        limit: usize,
        change: impl Fn(&Run) -> Change + Send + Sync,
    ) -> PortResult<Vec<Transition>> {
        let mut transaction = self.database.begin().await?;
        let settled = found(&mut transaction, query, before, at, limit)
            .await?
            .iter()
            .map(|run| apply(run, change(run), at).map_err(|why| PortError::Corrupt(why.to_string())))
            .collect::<PortResult<Vec<Transition>>>()?;
        let moves: Vec<Move<'_>> = settled.iter().map(|transition| Move { transition, at }).collect();
        let woke = transition::write(&mut transaction, &moves).await?;
        commit(transaction).await?;
        self.wake(woke);
        Ok(settled)
    }
}

async fn found(
    connection: &mut PgConnection,
    query: &'static str,
    before: Timestamp,
    at: Timestamp,
    limit: usize,
) -> PortResult<Vec<Run>> {
    let rows = sqlx::query(query)
        .bind(At(at))
        .bind(At(before))
        .bind(bigint(limit))
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    rows.iter().map(row::run).collect()
}
