//! Recovery and the watchdog.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Change, Run, RunId, Transition, WorkerId};
use quire_ports::{PortError, PortResult, RecoveryRules, RunRecovery};
use rusqlite::{Connection, Params, params};

use crate::error::translate;
use crate::queue::row_limit;
use crate::row::{self, micros};
use crate::transition::{self, Woke};
use crate::{SqliteStore, sql};

#[async_trait]
impl RunRecovery for SqliteStore {
    async fn recover_orphans(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let rules = rules.clone();
        let older_than = at.saturating_sub(rules.zombie_after).unwrap_or(Timestamp::MIN);
        let query = sql!("runs/orphans");
        let orphans = move |connection: &Connection| found(connection, query, older_than, at, limit);
        let change = move |run: &Run| Change::Orphan { recovery: rules.recovery_of(run.pipeline) };
        self.settle_all(orphans, at, change).await
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
        self.settle_all(overdue, at, |_| Change::TimeOut).await
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let known = known.to_vec();
        let unknown = move |connection: &Connection| {
            let mut runs = runs(connection, sql!("runs/held_by"), [worker.0.as_bytes()])?;
            runs.retain(|run| !known.contains(&run.id));
            Ok(runs)
        };
        self.settle_all(unknown, at, |_| Change::HandBack).await
    }
}

impl SqliteStore {
    /// Finds runs and lets `change` happen to each, all in one transaction.
    async fn settle_all(
        &self,
        find: impl Fn(&Connection) -> PortResult<Vec<Run>> + Send + 'static,
        at: Timestamp,
        change: impl Fn(&Run) -> Change + Send + 'static,
    ) -> PortResult<Vec<Transition>> {
        let (settled, woke) = self
            .writer
            .write(move |connection| {
                let mut settled = Vec::new();
                let mut woke = false;
                for run in find(connection)? {
                    let transition =
                        apply(&run, change(&run), at).map_err(|why| PortError::Corrupt(why.to_string()))?;
                    if let Some(Woke(ready)) = transition::write(connection, &transition, at)? {
                        woke |= ready;
                        settled.push(transition);
                    }
                }
                Ok((settled, Woke(woke)))
            })
            .await?;
        self.wake(woke);
        Ok(settled)
    }
}

fn found(
    connection: &Connection,
    query: &str,
    before: Timestamp,
    at: Timestamp,
    limit: usize,
) -> PortResult<Vec<Run>> {
    runs(connection, query, params![micros(at), micros(before), row_limit(limit)])
}

fn runs(connection: &Connection, query: &str, parameters: impl Params) -> PortResult<Vec<Run>> {
    let mut statement = connection.prepare_cached(query).map_err(translate)?;
    let mut rows = statement.query(parameters).map_err(translate)?;
    let mut runs = Vec::new();
    while let Some(found) = rows.next().map_err(translate)? {
        runs.push(row::run(found)?);
    }
    Ok(runs)
}
