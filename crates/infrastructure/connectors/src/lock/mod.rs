//! Locks on link requests: on a Redis server for all processes, and in this process if there is none.
//!
//! The lock in this process is always taken, so that losing Redis in the middle of work lets no second execution of this
//! process begin. The fence of the run decides whose result is stored in any case.

mod connection;
mod local;
mod redis;
#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use quire_ports::{LockGuard, LockOutcome, LockRequest, LockSource, RequestLocks};

pub use self::connection::{RedisAddress, RedisSettingsError};
use self::local::{LocalGuard, LocalLocks};
use self::redis::RedisOutcome;
pub use self::redis::{RedisLockSettings, RedisLocks};

/// When to look again at a lock that another execution in this process holds.
const LOCAL_RETRY: Duration = Duration::from_secs(1);

/// The locks of this process, on Redis if there is one.
pub struct SharedLocks {
    local: LocalLocks,
    redis: Option<RedisLocks>,
    is_required: bool,
}

impl SharedLocks {
    /// Locks in this process alone.
    pub fn local() -> Self {
        Self { local: LocalLocks::default(), redis: None, is_required: false }
    }

    /// Locks on Redis. While it does not answer, work fails if it is required; otherwise the lock in this process is all
    /// there is.
    pub fn redis(redis: RedisLocks, is_required: bool) -> Self {
        Self { local: LocalLocks::default(), redis: Some(redis), is_required }
    }
}

#[async_trait]
impl RequestLocks for SharedLocks {
    async fn acquire(&self, request: &LockRequest) -> LockOutcome {
        let Some(local) = self.local.acquire(request.id) else {
            return LockOutcome::Taken { source: LockSource::Local, retry_after: LOCAL_RETRY };
        };
        let Some(redis) = &self.redis else { return LockOutcome::Acquired(Box::new(local)) };
        match redis.acquire(request).await {
            Ok(RedisOutcome::Acquired(lock)) => LockOutcome::Acquired(lock.beside(local)),
            Ok(RedisOutcome::Taken { retry_after }) => {
                LockOutcome::Taken { source: LockSource::Redis, retry_after }
            }
            Err(reason) => {
                tracing::warn!(
                    event = "bg_lock_redis_error",
                    request_id = %request.id,
                    correlation_id = request.correlation_id,
                    stage = "lock",
                    error = reason,
                    is_required = self.is_required,
                    "request lock: Redis does not work"
                );
                if self.is_required {
                    return LockOutcome::Failed { reason };
                }
                metrics::counter!("quire_link_lock_fallbacks_total").increment(1);
                LockOutcome::Acquired(Box::new(local))
            }
        }
    }
}

#[async_trait]
impl LockGuard for LocalGuard {
    fn source(&self) -> LockSource {
        LockSource::Local
    }

    /// Nobody else can take a lock of this process.
    async fn lost(&self) {
        std::future::pending::<()>().await;
    }

    async fn release(self: Box<Self>) {}
}
