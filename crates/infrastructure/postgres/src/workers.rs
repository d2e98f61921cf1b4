//! The registry of workers. Each sign of life also sets this process's idea of the server's time right.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::WorkerId;
use quire_ports::{Lease, PortResult, Worker, Workers};
use sqlx::postgres::PgRow;

use crate::database::commit;
use crate::error::translate;
use crate::row::{At, count, get, int, optional_timestamp, timestamp};
use crate::{PgStore, sql};

#[async_trait]
impl Workers for PgStore {
    async fn register(&self, worker: &Worker) -> PortResult<()> {
        self.vital
            .bounded(async {
                let now = At(worker.seen_at);
                let mut transaction = self.vital.begin().await?;
                if worker.lease == Some(Lease::Exclusive) {
                    sqlx::query(sql!("workers/end_others"))
                        .bind(now)
                        .execute(&mut *transaction)
                        .await
                        .map_err(translate)?;
                }
                sqlx::query(sql!("workers/forget"))
                    .bind(now)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                sqlx::query(sql!("workers/register"))
                    .bind(worker.id.0)
                    .bind(&worker.name)
                    .bind(int(worker.slots))
                    .bind(At(worker.started_at))
                    .bind(now)
                    .bind(worker.lease.and_then(until))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                self.clock.measure(&mut transaction).await?;
                commit(transaction).await
            })
            .await
    }

    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool> {
        self.vital
            .bounded(async {
                let mut transaction = self.vital.begin().await?;
                let renewed = sqlx::query(sql!("workers/renew"))
                    .bind(worker.0)
                    .bind(At(at))
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

    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()> {
        self.vital
            .bounded(async {
                let mut transaction = self.vital.begin().await?;
                sqlx::query(sql!("workers/resign"))
                    .bind(worker.0)
                    .bind(At(at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                commit(transaction).await
            })
            .await
    }

    async fn list(&self) -> PortResult<Vec<Worker>> {
        self.rows(|| sqlx::query(sql!("workers/list")), worker).await
    }
}

fn until(lease: Lease) -> Option<At> {
    match lease {
        Lease::Until(until) => Some(At(until)),
        Lease::Exclusive => None,
    }
}

fn worker(row: &PgRow) -> PortResult<Worker> {
    let lease = match (optional_timestamp(row, 6)?, optional_timestamp(row, 5)?) {
        (Some(_), _) => None,
        (None, Some(until)) => Some(Lease::Until(until)),
        (None, None) => Some(Lease::Exclusive),
    };
    Ok(Worker {
        id: WorkerId(get(row, 0)?),
        name: get(row, 1)?,
        slots: count(row, 2)?,
        started_at: timestamp(row, 3)?,
        seen_at: timestamp(row, 4)?,
        lease,
    })
}
