//! Recovery and the watchdog.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{Change, Pipeline, Recovery, Run, Transition};
use quire_ports::{PortError, PortResult, Rescue, RescueRules};
use rusqlite::{Connection, params};

use crate::error::translate;
use crate::queue::row_limit;
use crate::row::{self, micros};
use crate::transition::{self, Woke};
use crate::{SqliteStore, sql};

#[async_trait]
impl Rescue for SqliteStore {
    async fn recover_orphans(
        &self,
        rules: &RescueRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let recovery = rules.recovery.clone();
        let older_than = at.saturating_sub(rules.zombie_after).unwrap_or(Timestamp::MIN);
        self.settle_all(sql!("runs/orphans"), older_than, at, limit, move |run| Change::Orphan {
            recovery: recovery_of(&recovery, run.pipeline),
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

impl SqliteStore {
    /// Finds runs by `query` and lets `change` happen to each, all in one transaction.
    async fn settle_all(
        &self,
        query: &'static str,
        before: Timestamp,
        at: Timestamp,
        limit: usize,
        change: impl Fn(&Run) -> Change + Send + 'static,
    ) -> PortResult<Vec<Transition>> {
        let (settled, woke) = self
            .writer
            .write(move |connection| {
                let mut settled = Vec::new();
                let mut woke = false;
                for run in found(connection, query, before, at, limit)? {
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
    let mut statement = connection.prepare_cached(query).map_err(translate)?;
    let mut rows =
        statement.query(params![micros(at), micros(before), row_limit(limit)]).map_err(translate)?;
    let mut runs = Vec::new();
    while let Some(found) = rows.next().map_err(translate)? {
        runs.push(row::run(found)?);
    }
    Ok(runs)
}
