//! A clock that moves only when a test advances it.

use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_ports::Clock;
use tokio::sync::watch;

/// A clock that stands still until [`FakeClock::advance`]. Sleepers wake when their time has come.
#[derive(Clone, Debug)]
pub struct FakeClock {
    now: watch::Sender<Timestamp>,
}

impl FakeClock {
    /// A clock that starts at `start`.
    pub fn at(start: Timestamp) -> Self {
        Self { now: watch::Sender::new(start) }
    }

    /// Moves the time forward.
    pub fn advance(&self, by: SignedDuration) {
        self.now.send_modify(|now| *now = now.saturating_add(by).unwrap());
    }
}

#[async_trait]
impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    async fn sleep(&self, duration: Duration) {
        let by = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
        let wake = self.now().saturating_add(by).unwrap();
        let mut now = self.now.subscribe();
        // Cannot fail: the clock owns the sender and is borrowed here.
        let _ = now.wait_for(|now| *now >= wake).await;
    }
}
