//! Recovery of runs whose owner is gone, and of runs that take too long.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Run, RunChange, RunId, Transition, WorkerId};
use quire_ports::{
    ExpiredLeaseAction, FrontCheck, PortError, PortResult, RecoveryRules, RunRecovery, SubjectQueue,
};
use quire_sql::row;
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use uuid::Uuid;

use crate::database::{Tx, commit};
use crate::error::translate;
use crate::row::{StoredTime, bigint, mapped};
use crate::transition::{self, TimedTransition};
use crate::{PgStore, sql};

#[async_trait]
impl RunRecovery for PgStore {
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        expired_leases: ExpiredLeaseAction,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let unowned_since = at.saturating_sub(rules.unowned_after).unwrap_or(Timestamp::MIN);
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                if expired_leases == ExpiredLeaseAction::End {
                    sqlx::query(sql!("workers/end_expired"))
                        .bind(StoredTime(at))
                        .execute(&mut *transaction)
                        .await
                        .map_err(translate)?;
                }
                let orphans =
                    sqlx::query(sql!("runs/orphans")).bind(StoredTime(unowned_since)).bind(bigint(limit));
                let rows = orphans.fetch_all(&mut *transaction).await.map_err(translate)?;
                let orphans = mapped(&rows, row::orphaned_run)?.into_iter();
                let changes =
                    orphans.map(|(run, runs_of_worker)| (rules.recover(&run, runs_of_worker), run)).collect();
                self.store_changes(transaction, changes, at).await
            })
            .await
    }

    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        except: &[RunId],
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let due_before = at.saturating_sub(rules.grace).unwrap_or(Timestamp::MIN);
        let overdue = sqlx::query(sql!("runs/overdue"))
            .bind(StoredTime(at))
            .bind(StoredTime(due_before))
            .bind(bigint(limit))
            .bind(ids(except));
        self.change_all(overdue, &RunChange::TimeOut { continued_by: None }, at).await
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let unknown = sqlx::query(sql!("runs/held_unknown")).bind(worker.0).bind(ids(known));
        self.change_all(unknown, &RunChange::HandBack, at).await
    }

    async fn restore_fronts(
        &self,
        after: Option<SubjectQueue>,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<FrontCheck> {
        let (subject, pipeline) =
            after.map_or((Uuid::nil(), ""), |(subject, pipeline)| (subject.0, pipeline.as_str()));
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let waiting =
                    sqlx::query(sql!("runs/waiting_queues")).bind(subject).bind(pipeline).bind(bigint(limit));
                let rows = waiting.fetch_all(&mut *transaction).await.map_err(translate)?;
                let queues = mapped(&rows, row::waiting_queue)?;
                let next = queues.last().map(|(queue, _)| *queue);
                let broken: Vec<_> =
                    queues.into_iter().filter(|(_, has_front)| !has_front).map(|(queue, _)| queue).collect();
                let restored = transition::give_turns(&mut transaction, &broken, at).await?;
                if !restored.is_empty() {
                    sqlx::query(sql!("runs/notify")).execute(&mut *transaction).await.map_err(translate)?;
                }
                commit(transaction).await?;
                self.notify_if(!restored.is_empty());
                Ok(FrontCheck { restored, next })
            })
            .await
    }
}

type PgQuery = Query<'static, Postgres, PgArguments>;

fn ids(runs: &[RunId]) -> Vec<Uuid> {
    runs.iter().map(|id| id.0).collect()
}

impl PgStore {
    /// Finds runs, locks them and applies the same change to each, all in one transaction.
    async fn change_all(
        &self,
        find: PgQuery,
        change: &RunChange,
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let rows = find.fetch_all(&mut *transaction).await.map_err(translate)?;
                let runs = mapped(&rows, row::run)?.into_iter();
                let changes = runs.map(|run| (change.clone(), run)).collect();
                self.store_changes(transaction, changes, at).await
            })
            .await
    }

    /// Applies changes to runs that this transaction has locked, and commits.
    async fn store_changes(
        &self,
        mut transaction: Tx,
        changes: Vec<(RunChange, Run)>,
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let transitions = changes
            .into_iter()
            .map(|(change, run)| apply(&run, change, at).map_err(|why| PortError::Corrupt(why.to_string())));
        let mut transitions = transitions.collect::<PortResult<Vec<Transition>>>()?;
        let timed: Vec<_> = transitions.iter().map(|transition| TimedTransition { transition, at }).collect();
        let mut written = transition::write(&mut transaction, &timed).await?;
        commit(transaction).await?;
        self.notify_if(written.notify);
        for transition in &mut transitions {
            let interrupted = written.interrupted.remove(&transition.run.id);
            transition.name_interrupted(interrupted.unwrap_or_default());
        }
        Ok(transitions)
    }
}
