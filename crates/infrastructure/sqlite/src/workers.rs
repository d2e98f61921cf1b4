//! The registry of workers.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::WorkerId;
use quire_ports::{Lease, PortResult, Worker, Workers};
use rusqlite::params;

use crate::error::translate;
use crate::row::{get, micros, optional_timestamp, timestamp, uuid};
use crate::{SqliteStore, sql};

#[async_trait]
impl Workers for SqliteStore {
    async fn register(&self, worker: &Worker) -> PortResult<()> {
        let worker = worker.clone();
        self.writer
            .write(move |connection| {
                let now = micros(worker.seen_at);
                let until = match worker.lease {
                    Some(Lease::Until(until)) => Some(until),
                    _ => None,
                };
                if worker.lease == Some(Lease::Exclusive) {
                    connection
                        .execute("UPDATE workers SET ended_at = ?1 WHERE ended_at IS NULL", [now])
                        .map_err(translate)?;
                }
                connection.execute(sql!("workers/forget"), [now]).map_err(translate)?;
                connection
                    .execute(
                        sql!("workers/register"),
                        params![
                            worker.id.0.as_bytes(),
                            worker.name,
                            worker.slots,
                            micros(worker.started_at),
                            now,
                            until.map(micros)
                        ],
                    )
                    .map_err(translate)?;
                Ok(())
            })
            .await
    }

    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool> {
        let until = match lease {
            Lease::Until(until) => Some(until),
            Lease::Exclusive => None,
        };
        self.writer
            .write(move |connection| {
                let changed = connection
                    .execute(
                        sql!("workers/renew"),
                        params![worker.0.as_bytes(), micros(at), until.map(micros)],
                    )
                    .map_err(translate)?;
                Ok(changed == 1)
            })
            .await
    }

    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                connection
                    .execute(
                        "UPDATE workers SET ended_at = ?2, seen_at = ?2 WHERE id = ?1 AND ended_at IS NULL",
                        params![worker.0.as_bytes(), micros(at)],
                    )
                    .map_err(translate)?;
                Ok(())
            })
            .await
    }

    async fn list(&self) -> PortResult<Vec<Worker>> {
        self.readers
            .read(|connection| {
                let mut statement = connection
                    .prepare_cached(
                        "SELECT id, name, slots, started_at, seen_at, lease_until, ended_at FROM workers \
                         ORDER BY id DESC",
                    )
                    .map_err(translate)?;
                let mut rows = statement.query([]).map_err(translate)?;
                let mut workers = Vec::new();
                while let Some(row) = rows.next().map_err(translate)? {
                    let until = optional_timestamp(get(row, 5)?)?;
                    let ended: Option<i64> = get(row, 6)?;
                    workers.push(Worker {
                        id: WorkerId(uuid(get(row, 0)?)),
                        name: get(row, 1)?,
                        slots: get(row, 2)?,
                        started_at: timestamp(get(row, 3)?)?,
                        seen_at: timestamp(get(row, 4)?)?,
                        lease: match (ended, until) {
                            (Some(_), _) => None,
                            (None, Some(until)) => Some(Lease::Until(until)),
                            (None, None) => Some(Lease::Exclusive),
                        },
                    });
                }
                Ok(workers)
            })
            .await
    }
}
