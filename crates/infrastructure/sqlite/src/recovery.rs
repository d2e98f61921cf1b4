//! Recovery of runs whose owner is gone, and of runs that take too long.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Run, RunChange, RunId, Transition, WorkerId};
use quire_ports::{
    ExpiredLeaseAction, FrontCheck, PortError, PortResult, RecoveryRules, RunRecovery, SubjectQueue,
};
use quire_sql::row;
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::queue::row_limit;
use crate::row::{all, execute, micros};
use crate::transition;
use crate::{SqliteStore, sql};

#[async_trait]
impl RunRecovery for SqliteStore {
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        expired_leases: ExpiredLeaseAction,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let rules = rules.clone();
        let unowned_since = at.saturating_sub(rules.unowned_after).unwrap_or(Timestamp::MIN);
        let orphans = move |connection: &Connection| {
            if expired_leases == ExpiredLeaseAction::End {
                execute(connection, sql!("workers/end_expired"), [micros(at)])?;
            }
            let values = params![micros(unowned_since), row_limit(limit)];
            let orphans = all(connection, sql!("runs/orphans"), values, row::orphaned_run)?;
            Ok(changed(orphans, |(run, runs_of_worker)| (rules.recover(&run, runs_of_worker), run)))
        };
        self.change_all(orphans, at).await
    }

    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        except: &[RunId],
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let due_before = at.saturating_sub(rules.grace).unwrap_or(Timestamp::MIN);
        let except = except.to_vec();
        let overdue = move |connection: &Connection| {
            let values = params![micros(at), micros(due_before), row_limit(limit + except.len())];
            let mut runs = all(connection, sql!("runs/overdue"), values, row::run)?;
            runs.retain(|run| !except.contains(&run.id));
            Ok(changed(runs, |run| (RunChange::TimeOut { continued_by: None }, run)))
        };
        self.change_all(overdue, at).await
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let known = known.to_vec();
        let unknown = move |connection: &Connection| {
            let mut runs = all(connection, sql!("runs/held_unknown"), [worker.0.as_bytes()], row::run)?;
            runs.retain(|run| !known.contains(&run.id));
            Ok(changed(runs, |run| (RunChange::HandBack, run)))
        };
        self.change_all(unknown, at).await
    }

    async fn restore_fronts(
        &self,
        after: Option<SubjectQueue>,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<FrontCheck> {
        let (subject, pipeline) =
            after.map_or((Uuid::nil(), ""), |(subject, pipeline)| (subject.0, pipeline.as_str()));
        let checked = self
            .writer
            .write(move |connection| {
                let values = params![subject.as_bytes(), pipeline, row_limit(limit)];
                let queues = all(connection, sql!("runs/waiting_queues"), values, row::waiting_queue)?;
                let next = queues.last().map(|(queue, _)| *queue);
                let mut restored = Vec::new();
                for (queue, has_front) in queues {
                    if !has_front && transition::pass_turn(connection, queue, at)? {
                        restored.push(queue);
                    }
                }
                Ok(FrontCheck { restored, next })
            })
            .await?;
        self.notify_if(!checked.restored.is_empty());
        Ok(checked)
    }
}

fn changed<T>(found: Vec<T>, change: impl Fn(T) -> (RunChange, Run)) -> Vec<(RunChange, Run)> {
    found.into_iter().map(change).collect()
}

impl SqliteStore {
    /// Finds runs and applies a change to each, all in one transaction.
    async fn change_all(
        &self,
        find: impl Fn(&Connection) -> PortResult<Vec<(RunChange, Run)>> + Send + 'static,
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let (recovered, notify) = self
            .writer
            .write(move |connection| {
                let mut recovered = Vec::new();
                let mut notify = false;
                for (change, run) in find(connection)? {
                    let mut transition =
                        apply(&run, change, at).map_err(|why| PortError::Corrupt(why.to_string()))?;
                    if let Some(performed) = transition::write(connection, &transition, at)? {
                        notify |= performed.notify;
                        transition.name_interrupted(performed.interrupted);
                        recovered.push(transition);
                    }
                }
                Ok((recovered, notify))
            })
            .await?;
        self.notify_if(notify);
        Ok(recovered)
    }
}
