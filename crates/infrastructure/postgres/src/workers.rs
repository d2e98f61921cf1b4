//! The registry of workers. Each heartbeat also corrects this process's estimate of the server's time.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::WorkerId;
use quire_ports::{Lease, PortResult, Worker, Workers};
use quire_sql::row;

use crate::database::commit;
use crate::error::translate;
use crate::row::{StoredTime, int};
use crate::{PgStore, sql};

#[async_trait]
impl Workers for PgStore {
    async fn register(&self, worker: &Worker) -> PortResult<()> {
        self.heartbeats
            .with_timeout(async {
                let now = StoredTime(worker.seen_at);
                let mut transaction = self.heartbeats.begin().await?;
                if worker.lease == Some(Lease::Exclusive) {
                    sqlx::query(sql!("workers/end_all"))
                        .bind(now)
                        .execute(&mut *transaction)
                        .await
                        .map_err(translate)?;
                }
                sqlx::query(sql!("workers/delete_ended"))
                    .bind(now)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let (slots, scope) = row::stored_slots_and_scope(worker);
                sqlx::query(sql!("workers/register"))
                    .bind(worker.id.0)
                    .bind(&worker.name)
                    .bind(int(slots))
                    .bind(StoredTime(worker.started_at))
                    .bind(now)
                    .bind(worker.lease.and_then(until))
                    .bind(worker.program.map(int))
                    .bind(scope)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                self.clock.measure(&mut transaction).await?;
                commit(transaction).await
            })
            .await
    }

    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool> {
        // A process that cannot write must not keep its runs, and its health must say so.
        self.new_documents.check()?;
        self.enqueues.check()?;
        self.run_writes.check()?;
        self.heartbeats
            .with_timeout(async {
                let mut transaction = self.heartbeats.begin().await?;
                let renewed = sqlx::query(sql!("workers/renew"))
                    .bind(worker.0)
                    .bind(StoredTime(at))
                    .bind(until(lease))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                self.clock.measure(&mut transaction).await?;
                commit(transaction).await?;
                Ok(renewed.rows_affected() == 1)
            })
            .await
    }

    async fn postpone_deadlines(&self, worker: WorkerId, by: Duration) -> PortResult<()> {
        let query = sqlx::query(sql!("runs/postpone_deadlines"))
            .bind(worker.0)
            .bind(i64::try_from(by.as_micros()).unwrap_or(i64::MAX));
        self.heartbeats.execute(query).await.map(drop)
    }

    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()> {
        let query = sqlx::query(sql!("workers/resign")).bind(worker.0).bind(StoredTime(at));
        self.heartbeats.execute(query).await.map(drop)
    }

    async fn list(&self) -> PortResult<Vec<Worker>> {
        self.rows(|| sqlx::query(sql!("workers/list")), row::worker).await
    }
}

fn until(lease: Lease) -> Option<StoredTime> {
    match lease {
        Lease::Until(until) => Some(StoredTime(until)),
        Lease::Exclusive => None,
    }
}
