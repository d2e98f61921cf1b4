//! The time in which this process was awake. A machine that sleeps, a virtual machine that is paused and a process that is
//! stopped do no work, so a limit on work must not count that time.
//!
//! No clock of the system measures it. `CLOCK_MONOTONIC` stands still while the machine sleeps, but goes on while the
//! process is stopped; `CLOCK_BOOTTIME` and the time of day count both. So this module observes it: it looks at the clock
//! about once a second, and when far more time than that passed between two looks, the process was not awake.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::{Clock, SystemClock};

/// The time between two looks at the clock.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// If more time than this passed between two looks, the process was not awake. A busy machine is slower than it should
/// be, but not this slow.
const ASLEEP_AFTER: Duration = Duration::from_secs(5);

/// Measures how long this process was awake. Somebody must wait on it or call [`AwakeTime::observe`] all the time.
pub struct AwakeTime {
    clock: Arc<dyn Clock>,
    observed: Mutex<Observed>,
}

#[derive(Clone, Copy)]
struct Observed {
    /// The last look at the clock.
    at: Timestamp,
    awake: Duration,
    asleep: Duration,
}

impl AwakeTime {
    /// Starts to measure by that clock.
    pub fn start(clock: Arc<dyn Clock>) -> Self {
        let observed = Observed { at: clock.now(), awake: Duration::ZERO, asleep: Duration::ZERO };
        Self { clock, observed: Mutex::new(observed) }
    }

    /// How long the process was awake since the start.
    pub fn elapsed(&self) -> Duration {
        self.look().awake
    }

    /// How long the process was not awake since the start.
    pub fn asleep(&self) -> Duration {
        self.look().asleep
    }

    /// Returns when the process was awake for that long since the start.
    pub async fn until(&self, elapsed: Duration) {
        loop {
            let left = elapsed.saturating_sub(self.elapsed());
            if left.is_zero() {
                return;
            }
            self.clock.sleep(left.min(LOOK_EVERY)).await;
        }
    }

    /// Keeps looking at the clock, for ever.
    pub async fn observe(&self) {
        self.until(Duration::MAX).await;
    }

    fn look(&self) -> Observed {
        let mut observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        // A clock that was set back tells nothing; the next look will.
        let passed = Duration::try_from(now.duration_since(observed.at)).unwrap_or_default();
        let awake = if passed > ASLEEP_AFTER { LOOK_EVERY } else { passed };
        *observed = Observed {
            at: now,
            awake: observed.awake + awake,
            asleep: observed.asleep + passed.saturating_sub(awake),
        };
        *observed
    }
}

/// The end of the time that some work may take, in time awake. It names no time of day, so the clocks of other machines do
/// not matter.
#[derive(Clone)]
pub struct Deadline {
    awake: Arc<AwakeTime>,
    at: Duration,
}

impl Deadline {
    /// That much time from now, by a measure that somebody observes.
    pub fn after(awake: Arc<AwakeTime>, time: Duration) -> Self {
        let at = awake.elapsed().saturating_add(time);
        Self { awake, at }
    }

    /// This one, or that much time from now if it is earlier.
    #[must_use]
    pub fn at_most(&self, time: Duration) -> Self {
        let at = self.at.min(self.awake.elapsed().saturating_add(time));
        Self { awake: self.awake.clone(), at }
    }

    /// The time that is left; zero when it has passed.
    pub fn time_left(&self) -> Duration {
        self.at.saturating_sub(self.awake.elapsed())
    }

    /// Returns when it has passed.
    pub async fn passed(&self) {
        self.awake.until(self.at).await;
    }
}

impl fmt::Debug for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadline").field("time_left", &self.time_left()).finish()
    }
}

/// Waits for some work, but no longer than the process is awake for `limit`. None if the limit passed first.
pub async fn within_awake_time<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let awake = AwakeTime::start(Arc::new(SystemClock));
    tokio::select! {
        biased;
        done = work => Some(done),
        () = awake.until(limit) => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    /// A clock that a test sets.
    struct SetClock(Mutex<Timestamp>);

    #[async_trait::async_trait]
    impl Clock for SetClock {
        fn now(&self) -> Timestamp {
            *self.0.lock().unwrap()
        }

        /// Sleeps in no time and on time.
        async fn sleep(&self, duration: Duration) {
            self.advance(duration);
        }
    }

    impl SetClock {
        fn advance(&self, by: Duration) {
            let mut now = self.0.lock().unwrap();
            *now += SignedDuration::try_from(by).unwrap();
        }
    }

    #[tokio::test]
    async fn time_that_the_process_slept_through_does_not_count() {
        let clock = Arc::new(SetClock(Mutex::new(Timestamp::UNIX_EPOCH)));
        let awake = AwakeTime::start(clock.clone());
        awake.until(Duration::from_secs(40)).await;
        clock.advance(Duration::from_secs(150));
        assert_eq!((awake.elapsed(), awake.asleep()), (Duration::from_secs(41), Duration::from_secs(149)));
        awake.until(Duration::from_millis(120_500)).await;
        assert_eq!(
            (awake.elapsed(), awake.asleep()),
            (Duration::from_millis(120_500), Duration::from_secs(149))
        );
        clock.advance(Duration::from_secs(3));
        assert_eq!(awake.elapsed(), Duration::from_millis(123_500), "a slow machine is awake");
    }

    #[tokio::test]
    async fn a_deadline_passes_in_time_awake() {
        let clock = Arc::new(SetClock(Mutex::new(Timestamp::UNIX_EPOCH)));
        let awake = Arc::new(AwakeTime::start(clock.clone()));
        let deadline = Deadline::after(awake, Duration::from_secs(40));
        clock.advance(Duration::from_secs(150));
        assert_eq!(deadline.time_left(), Duration::from_secs(39));
        deadline.passed().await;
        assert_eq!(deadline.time_left(), Duration::ZERO);
    }

    #[tokio::test]
    async fn work_that_is_done_in_time_returns_its_result() {
        assert_eq!(within_awake_time(Duration::from_mins(1), async { 7 }).await, Some(7));
        assert_eq!(within_awake_time(Duration::ZERO, std::future::pending::<()>()).await, None);
    }
}
