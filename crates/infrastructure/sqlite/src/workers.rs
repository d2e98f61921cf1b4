//! The registry of workers.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::WorkerId;
use quire_ports::{Lease, PortResult, Worker, Workers};
use quire_sql::row;
use rusqlite::params;

use crate::row::{execute, micros};
use crate::{SqliteStore, sql};

#[async_trait]
impl Workers for SqliteStore {
    async fn register(&self, worker: &Worker) -> PortResult<()> {
        let worker = worker.clone();
        self.writer
            .write(move |connection| {
                let now = micros(worker.seen_at);
                if worker.lease == Some(Lease::Exclusive) {
                    execute(connection, sql!("workers/end_all"), [now])?;
                }
                execute(connection, sql!("workers/delete_ended"), [now])?;
                let (slots, scope) = row::stored_slots_and_scope(&worker);
                let values = params![
                    worker.id.0.as_bytes(),
                    worker.name,
                    slots,
                    micros(worker.started_at),
                    now,
                    worker.lease.and_then(until),
                    worker.program,
                    scope,
                ];
                execute(connection, sql!("workers/register"), values)?;
                Ok(())
            })
            .await
    }

    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool> {
        self.writer
            .write(move |connection| {
                let values = params![worker.0.as_bytes(), micros(at), until(lease)];
                Ok(execute(connection, sql!("workers/renew"), values)? == 1)
            })
            .await
    }

    async fn postpone_deadlines(&self, worker: WorkerId, by: Duration) -> PortResult<()> {
        let by = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        self.writer
            .write(move |connection| {
                execute(connection, sql!("runs/postpone_deadlines"), params![worker.0.as_bytes(), by])
                    .map(drop)
            })
            .await
    }

    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                execute(connection, sql!("workers/resign"), params![worker.0.as_bytes(), micros(at)])
                    .map(drop)
            })
            .await
    }

    async fn list(&self) -> PortResult<Vec<Worker>> {
        self.rows(sql!("workers/list"), (), row::worker).await
    }
}

fn until(lease: Lease) -> Option<i64> {
    match lease {
        Lease::Until(until) => Some(micros(until)),
        Lease::Exclusive => None,
    }
}
