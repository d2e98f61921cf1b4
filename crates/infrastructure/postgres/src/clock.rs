//! The server's time, told by this machine's clock and how far it is off.
//!
//! Leases are judged by one clock for all workers. Asking the server each time would cost a round trip; asking it
//! with every heartbeat is enough.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_ports::{Clock, PortResult};
use sqlx::PgConnection;

use crate::error::translate;
use crate::row::At;

/// The server's clock.
#[derive(Debug, Default)]
pub struct DatabaseClock {
    /// What has to be added to this machine's time, in microseconds.
    offset: AtomicI64,
}

impl DatabaseClock {
    /// Asks the server. Its answer is taken for the middle of the round trip.
    pub(crate) async fn measure(&self, connection: &mut PgConnection) -> PortResult<()> {
        let before = Timestamp::now().as_microsecond();
        let server: At =
            sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(connection).await.map_err(translate)?;
        let after = Timestamp::now().as_microsecond();
        let middle = before + (after - before) / 2;
        self.offset.store(server.0.as_microsecond() - middle, Ordering::Relaxed);
        Ok(())
    }
}

#[async_trait]
impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let offset = SignedDuration::from_micros(self.offset.load(Ordering::Relaxed));
        let now = Timestamp::now().saturating_add(offset).unwrap_or(Timestamp::MAX);
        // As fine as the database keeps it, so that what is stored is what was meant.
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
    fn the_offset_is_added_and_microseconds_are_the_finest_grain() {
        let clock = DatabaseClock::default();
        clock.offset.store(3_600_000_000, Ordering::Relaxed);
        let ahead = clock.now().duration_since(Timestamp::now());
        assert!((ahead - SignedDuration::from_hours(1)).abs() < SignedDuration::from_secs(5), "{ahead}");
        assert_eq!(clock.now().subsec_nanosecond() % 1000, 0);
    }
}
