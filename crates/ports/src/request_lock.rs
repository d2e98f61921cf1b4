//! Locks on link requests. They keep two workers from working on one request at the same time, which saves calls to
//! providers. The fence of a run decides whose result is stored; a lost lock never stores a second one.

use std::time::Duration;

use async_trait::async_trait;
use quire_domain::{Fence, RunId};

/// A worker that is about to work on a request.
#[derive(Clone, Debug)]
pub struct LockRequest {
    /// The request.
    pub id: RunId,
    /// The fence of its run. Who holds the run by a later fence takes the lock from who held it before.
    pub fence: Fence,
    /// Links log lines to the request.
    pub correlation_id: String,
}

/// Where a lock is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockSource {
    /// On the Redis server, for all processes.
    Redis,
    /// In this process.
    Local,
}

impl LockSource {
    /// The name in logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Local => "local",
        }
    }
}

/// The outcome of a request for a lock.
pub enum LockOutcome {
    /// The lock is held until the guard is released or dropped.
    Acquired(Box<dyn LockGuard>),
    /// Somebody else works on the request.
    Taken {
        /// Where the lock is kept.
        source: LockSource,
        /// When the lock may be free.
        retry_after: Duration,
    },
    /// The lock service does not work, and the settings require it.
    Failed {
        /// Why, without secrets.
        reason: String,
    },
}

/// A lock that is held. It is renewed until it is released. Dropping it releases it, too.
#[async_trait]
pub trait LockGuard: Send + Sync {
    /// Where the lock is kept.
    fn source(&self) -> LockSource;

    /// Returns when somebody else has taken the lock.
    async fn lost(&self);

    /// Releases the lock, if it is still ours.
    async fn release(self: Box<Self>);
}

/// Locks on requests.
#[async_trait]
pub trait RequestLocks: Send + Sync {
    /// Tries once to lock a request.
    async fn acquire(&self, request: &LockRequest) -> LockOutcome;
}
