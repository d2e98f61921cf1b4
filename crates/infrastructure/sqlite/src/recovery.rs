//! Recovery of runs whose owner is gone, and of runs that take too long.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Change, Run, RunId, Transition, WorkerId};
use quire_ports::{PortError, PortResult, RecoveryRules, RunRecovery};
use quire_sql::row;
use rusqlite::{Connection, params};

use crate::queue::row_limit;
use crate::row::{all, micros};
use crate::transition;
use crate::{SqliteStore, sql};

#[async_trait]
impl RunRecovery for SqliteStore {
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let rules = rules.clone();
        let older_than = at.saturating_sub(rules.ownerless_after).unwrap_or(Timestamp::MIN);
        let query = sql!("runs/orphans");
        let orphans = move |connection: &Connection| found(connection, query, older_than, at, limit);
        let change = move |run: &Run| Change::Orphan { recovery: rules.recovery_of(run.pipeline) };
        self.recover_all(orphans, at, change).await
    }

    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let due_before = at.saturating_sub(rules.grace).unwrap_or(Timestamp::MIN);
        let query = sql!("runs/overdue");
        let overdue = move |connection: &Connection| found(connection, query, due_before, at, limit);
        self.recover_all(overdue, at, |_| Change::TimeOut).await
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let known = known.to_vec();
        let unknown = move |connection: &Connection| {
            let mut runs = all(connection, sql!("runs/held_by"), [worker.0.as_bytes()], row::run)?;
            runs.retain(|run| !known.contains(&run.id));
            Ok(runs)
        };
        self.recover_all(unknown, at, |_| Change::HandBack).await
    }
}

impl SqliteStore {
    /// Finds runs and applies `change` to each, all in one transaction.
    async fn recover_all(
        &self,
        find: impl Fn(&Connection) -> PortResult<Vec<Run>> + Send + 'static,
        at: Timestamp,
        change: impl Fn(&Run) -> Change + Send + 'static,
    ) -> PortResult<Vec<Transition>> {
        let (recovered, notify) = self
            .writer
            .write(move |connection| {
                let mut recovered = Vec::new();
                let mut notify = false;
                for run in find(connection)? {
                    let transition =
                        apply(&run, change(&run), at).map_err(|why| PortError::Corrupt(why.to_string()))?;
                    if let Some(has_work) = transition::write(connection, &transition, at)? {
                        notify |= has_work;
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

fn found(
    connection: &Connection,
    query: &str,
    before: Timestamp,
    at: Timestamp,
    limit: usize,
) -> PortResult<Vec<Run>> {
    all(connection, query, params![micros(at), micros(before), row_limit(limit)], row::run)
}
