//! The registry of workers and their leases.
//!
//! One lease covers everything a worker has claimed, so a heartbeat costs one small write however many runs are
//! under way.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::WorkerId;

use crate::PortResult;

/// How long a worker may go on without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Until then, unless it is renewed before.
    Until(Timestamp),
    /// As long as it holds the lock on the database file, which the system takes back the moment it dies.
    /// Registering such a worker ends every other one's lease.
    Exclusive,
}

/// A process that executes runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// This life of it.
    pub id: WorkerId,
    /// Host and process, for people.
    pub name: String,
    /// How many runs it works on at once.
    pub slots: u32,
    /// Since when.
    pub started_at: Timestamp,
    /// Its last sign of life.
    pub seen_at: Timestamp,
    /// How long it may stay silent; none when it has ended.
    pub lease: Option<Lease>,
}

/// Who is working.
#[async_trait]
pub trait Workers: Send + Sync {
    /// Enters a worker. Entries that ended long ago and own nothing are dropped on the way.
    async fn register(&self, worker: &Worker) -> PortResult<()>;

    /// Renews a lease. False if it had ended: then everything the worker held is lost to it, and it must register
    /// under a new id.
    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool>;

    /// Ends a lease.
    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()>;

    /// Everyone in the registry, newest first.
    async fn list(&self) -> PortResult<Vec<Worker>>;
}
