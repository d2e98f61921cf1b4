//! Time as a port, so that tests can stop it and processes can share the database's clock.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

/// Tells the time and waits.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// Now. On PostgreSQL this is the server's time, so that workers on machines whose clocks disagree still agree
    /// about whose lease has expired.
    fn now(&self) -> Timestamp;

    /// Returns when that much time has passed.
    async fn sleep(&self, duration: Duration);
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    /// As fine as the databases keep it, so that what is answered is what is stored.
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
