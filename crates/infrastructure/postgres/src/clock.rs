//! The server's time: the server's last answer plus the time since then on this machine's monotonic clock.
//!
//! One clock decides about the leases of all workers. Asking the server each time would cost a round trip, and asking
//! it with every heartbeat is enough. In between the monotonic clock counts, so that a correction of this machine's
//! time of day cannot make the leases of other workers look expired.

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_ports::{Clock, PortResult};
use sqlx::PgConnection;

use crate::error::translate;
use crate::row::StoredTime;

/// The longest round trip that is used. After a longer one it is too uncertain when the server read its clock.
const SLOWEST_ANSWER: Duration = Duration::from_secs(1);

/// The server's clock.
#[derive(Debug)]
pub struct DatabaseClock {
    /// The server's time, and the local instant at which it was read.
    asked: RwLock<(Timestamp, Instant)>,
}

impl Default for DatabaseClock {
    /// A clock that shows this machine's time until it first asks the server.
    fn default() -> Self {
        Self { asked: RwLock::new((Timestamp::now(), Instant::now())) }
    }
}

impl DatabaseClock {
    /// Asks the server for its time, and assumes that the server answered in the middle of the round trip.
    pub(crate) async fn measure(&self, connection: &mut PgConnection) -> PortResult<()> {
        let before = Instant::now();
        let server: StoredTime =
            sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(connection).await.map_err(translate)?;
        let took = before.elapsed();
        if took <= SLOWEST_ANSWER {
            *self.asked.write().unwrap_or_else(PoisonError::into_inner) = (server.0, before + took / 2);
        }
        Ok(())
    }
}

#[async_trait]
impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let (server, here) = *self.asked.read().unwrap_or_else(PoisonError::into_inner);
        let since = SignedDuration::try_from(here.elapsed()).unwrap_or(SignedDuration::MAX);
        let now = server.saturating_add(since).unwrap_or(Timestamp::MAX);
        // Rounds to the precision of the database, so that a stored time equals the time in memory.
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_from_what_the_server_said_in_microseconds() {
        let clock = DatabaseClock::default();
        let said = Timestamp::from_second(1_900_000_000).unwrap();
        *clock.asked.write().unwrap() = (said, Instant::now());
        let first = clock.now();
        assert!(first >= said && first.duration_since(said) < SignedDuration::from_secs(5), "{first}");
        assert!(clock.now() >= first);
        assert_eq!(first.subsec_nanosecond() % 1000, 0);
    }
}
