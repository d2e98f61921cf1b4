//! The registry of workers and their leases.
//!
//! One lease covers all runs that a worker has claimed. So a heartbeat costs one small write, for any number of runs.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{ClaimScope, Pipeline, WorkerId};

use crate::PortResult;

/// How long a worker is live without a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Until this time, unless the worker renews the lease.
    Until(Timestamp),
    /// As long as the worker holds the lock on the file beside the database, which the system releases when the process dies.
    /// Registering such a worker ends the leases of all others.
    Exclusive,
}

/// A process that executes runs, or a server that leaves them to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Its identity, new for each registration: a process that lost its lease registers again.
    pub id: WorkerId,
    /// Its host and process, for people.
    pub name: String,
    /// The number of runs that it executes at once. A server that leaves them to others has none.
    pub slots: u32,
    /// When it registered.
    pub started_at: Timestamp,
    /// Its last heartbeat.
    pub seen_at: Timestamp,
    /// Its lease; none when it has ended.
    pub lease: Option<Lease>,
    /// The newest migration that its program knows. None if the program is older than this record.
    pub program: Option<u32>,
    /// The runs that it claims.
    pub scope: ClaimScope,
}

impl Worker {
    /// Whether its process counts as running: nobody has ended its lease, and the lease has not expired. An exclusive lease
    /// lasts as long as the lock on the database file; a process that holds that lock knows that no other process runs.
    pub fn is_live(&self, now: Timestamp) -> bool {
        match self.lease {
            Some(Lease::Exclusive) => true,
            Some(Lease::Until(until)) => until > now,
            None => false,
        }
    }

    /// Whether it executes every run of the pipeline.
    pub fn claims(&self, pipeline: Pipeline) -> bool {
        self.slots > 0 && self.scope.claims(pipeline)
    }
}

/// The registry of workers.
#[async_trait]
pub trait Workers: Send + Sync {
    /// Registers a worker. Deletes entries that ended long ago and own no run.
    async fn register(&self, worker: &Worker) -> PortResult<()>;

    /// Renews a lease, also one that has expired. False if the lease has ended, because the worker resigned or another
    /// engine recovered its runs: the worker must register under a new id.
    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool>;

    /// Moves the deadlines of the worker's runs by the time in which the worker was not awake, so that other engines do
    /// not time these runs out.
    async fn postpone_deadlines(&self, worker: WorkerId, by: Duration) -> PortResult<()>;

    /// Ends a lease. Runs that the worker still owns are orphaned.
    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()>;

    /// All workers, newest first.
    async fn list(&self) -> PortResult<Vec<Worker>>;
}
