//! A circuit breaker: a model that keeps failing is not asked for a while.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When a model is left alone, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct BreakerSettings {
    /// How many requests in a row must fail. 0 never leaves a model alone.
    pub failures: u32,
    /// For how long the model is not asked.
    pub pause: Duration,
}

/// The breaker of one model.
pub(super) struct Breaker {
    settings: BreakerSettings,
    state: Mutex<BreakerState>,
}

#[derive(Default)]
struct BreakerState {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings) -> Self {
        Self { settings, state: Mutex::default() }
    }

    /// Permits a request, or returns how long the model is still left alone. When that time is over, one request may try
    /// whether the model works again; the others wait for its outcome, or for another pause if it has none.
    pub(super) fn permit(&self, now: Instant) -> Result<(), Duration> {
        let mut state = self.state();
        let Some(open_until) = state.open_until else { return Ok(()) };
        let left = open_until.saturating_duration_since(now);
        if !left.is_zero() {
            return Err(left);
        }
        state.open_until = Some(now + self.settings.pause);
        Ok(())
    }

    /// The model answered, be it with a refusal.
    pub(super) fn succeeded(&self) {
        *self.state() = BreakerState::default();
    }

    /// The model did not answer.
    pub(super) fn failed(&self, now: Instant) {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        if self.settings.failures > 0 && state.failures >= self.settings.failures {
            state.open_until = Some(now + self.settings.pause);
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(30);

    fn breaker(failures: u32) -> Breaker {
        Breaker::new(BreakerSettings { failures, pause: PAUSE })
    }

    #[test]
    fn a_model_is_left_alone_after_failures_in_a_row_and_then_tried_by_one_request() {
        let (breaker, start) = (breaker(2), Instant::now());
        breaker.failed(start);
        breaker.succeeded();
        breaker.failed(start);
        assert_eq!(breaker.permit(start), Ok(()), "not two in a row");
        breaker.failed(start);
        assert_eq!(breaker.permit(start + Duration::from_secs(10)), Err(Duration::from_secs(20)));

        let later = start + PAUSE;
        assert_eq!(breaker.permit(later), Ok(()), "one request tries");
        assert_eq!(breaker.permit(later), Err(PAUSE), "the others wait");
        breaker.failed(later);
        assert_eq!(breaker.permit(later + Duration::from_secs(1)), Err(Duration::from_secs(29)));
        assert_eq!(breaker.permit(later + PAUSE), Ok(()));
        breaker.succeeded();
        assert_eq!([breaker.permit(later + PAUSE), breaker.permit(later + PAUSE)], [Ok(()), Ok(())]);
    }

    #[test]
    fn without_a_limit_a_model_is_always_asked() {
        let (breaker, start) = (breaker(0), Instant::now());
        (0..100).for_each(|_| breaker.failed(start));
        assert_eq!(breaker.permit(start), Ok(()));
    }
}
