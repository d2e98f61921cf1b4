//! Recovery of runs whose owner is gone, and of runs that take too long.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Change, Run, RunId, Transition, WorkerId};
use quire_ports::{PortError, PortResult, RecoveryRules, RunRecovery};
use quire_sql::row;
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use uuid::Uuid;

use crate::database::commit;
use crate::error::translate;
use crate::row::{StoredTime, bigint, mapped};
use crate::transition::{self, TimedTransition};
use crate::{PgStore, sql};

#[async_trait]
impl RunRecovery for PgStore {
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let older_than = at.saturating_sub(rules.ownerless_after).unwrap_or(Timestamp::MIN);
        let orphans = || by_time(sql!("runs/orphans"), older_than, at, limit);
        let change = |run: &Run| Change::Orphan { recovery: rules.recovery_of(run.pipeline) };
        self.recover_all(orphans, at, change).await
    }

    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let due_before = at.saturating_sub(rules.grace).unwrap_or(Timestamp::MIN);
        let overdue = || by_time(sql!("runs/overdue"), due_before, at, limit);
        self.recover_all(overdue, at, |_| Change::TimeOut).await
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let known: Vec<Uuid> = known.iter().map(|id| id.0).collect();
        let unknown = || sqlx::query(sql!("runs/held_by")).bind(worker.0).bind(known.clone());
        self.recover_all(unknown, at, |_| Change::HandBack).await
    }
}

type PgQuery = Query<'static, Postgres, PgArguments>;

fn by_time(query: &'static str, before: Timestamp, at: Timestamp, limit: usize) -> PgQuery {
    sqlx::query(query).bind(StoredTime(at)).bind(StoredTime(before)).bind(bigint(limit))
}

impl PgStore {
    /// Finds runs, locks them and applies `change` to each, all in one transaction.
    async fn recover_all(
        &self,
        find: impl Fn() -> PgQuery + Send + Sync,
        at: Timestamp,
        change: impl Fn(&Run) -> Change + Send + Sync,
    ) -> PortResult<Vec<Transition>> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let rows = find().fetch_all(&mut *transaction).await.map_err(translate)?;
                let runs = mapped(&rows, row::run)?;
                let recovered = runs
                    .iter()
                    .map(|run| apply(run, change(run), at).map_err(|why| PortError::Corrupt(why.to_string())))
                    .collect::<PortResult<Vec<Transition>>>()?;
                let timed: Vec<_> =
                    recovered.iter().map(|transition| TimedTransition { transition, at }).collect();
                let notify = transition::write(&mut transaction, &timed).await?;
                commit(transaction).await?;
                self.notify_if(notify);
                Ok(recovered)
            })
            .await
    }
}
