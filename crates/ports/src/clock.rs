//! Time as a port, so that tests can stop it and processes can share the database's clock.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

/// Returns the time and waits.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// The current time. On PostgreSQL this is the server's time, so that workers on machines with different clocks
    /// agree on which leases have expired.
    fn now(&self) -> Timestamp;

    /// Returns when that much time has passed.
    async fn sleep(&self, duration: Duration);
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    /// Truncated to the precision of the databases, so that a returned time equals the stored one.
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
