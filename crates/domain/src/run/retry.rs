//! Retries: delays between attempts of a step, and what happens to a run after a failed attempt.

use jiff::{SignedDuration, Timestamp};
use rand::{Rng, RngExt};

use super::failure::FailureKind;
use super::state::Run;
use crate::pipeline::StepName;

/// Exponential backoff with jitter between the attempts of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The most attempts, including the first.
    pub max_attempts: u32,
    /// The delay after the first failed attempt.
    pub base_ms: u64,
    /// The longest delay, including jitter.
    pub max_ms: u64,
    /// The largest deviation of a delay from its nominal value, as a share of it.
    pub jitter_ratio: f64,
}

impl Backoff {
    /// The delay after `attempt` (from 1) failed. The base delay doubles with each attempt. The result is capped
    /// before and after the jitter, so it never exceeds the maximum.
    pub fn delay_ms(&self, attempt: u32, rng: &mut impl Rng) -> u64 {
        let doublings = attempt.saturating_sub(1).min(63);
        let nominal = self.base_ms.saturating_mul(1 << doublings).min(self.max_ms);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        // Delays are far below 2^52 ms and the ratio is between 0 and 1.
        let stray = (nominal as f64 * self.jitter_ratio) as u64;
        let lowest = nominal.saturating_sub(stray);
        rng.random_range(lowest..=nominal.saturating_add(stray)).min(self.max_ms)
    }

    /// What follows the failure of an attempt (from 1) at a step. A rate limit or another worker at the same request is
    /// waited out within [`LONGEST_POSTPONEMENT`] and counts nothing; a longer wait is a failure like any other.
    pub fn after(&self, attempt: u32, kind: FailureKind, now: Timestamp, rng: &mut impl Rng) -> AfterFailure {
        let delay = i64::try_from(self.delay_ms(attempt, rng)).unwrap_or(i64::MAX);
        let delay = SignedDuration::from_millis(delay);
        match kind {
            FailureKind::RateLimited { until } | FailureKind::Postponed { until }
                if until.duration_since(now) <= LONGEST_POSTPONEMENT =>
            {
                // Also a provider that names a time in the past gets a pause.
                AfterFailure::Postpone { until: until.max(now.saturating_add(delay).unwrap_or(until)) }
            }
            FailureKind::Waiting { until } => AfterFailure::Postpone { until },
            _ if attempt >= self.max_attempts || !kind.is_retryable() => AfterFailure::GiveUp,
            _ => AfterFailure::Retry { delay },
        }
    }
}

/// The longest postponement that is waited out. A provider that asks for more time is treated like one that fails.
pub const LONGEST_POSTPONEMENT: SignedDuration = SignedDuration::from_hours(1);

/// What follows the failure of an attempt at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    /// No further attempt: it was the last one, or a retry cannot help.
    GiveUp,
    /// The next attempt.
    Retry {
        /// The pause before it.
        delay: SignedDuration,
    },
    /// The same attempt once more, as if it had not been made.
    Postpone {
        /// When.
        until: Timestamp,
    },
}

/// What happens to a run after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequeuePolicy {
    /// The run fails.
    Never,
    /// The run returns to the queue until it has had a number of attempts.
    Auto {
        /// The attempts in total, the first one included: [`Run::counted_attempts`] stays below. Claims after a wait or a
        /// hand-back do not count. The setting has this name.
        max_claims: u32,
        /// The run waits twice this long before the first requeue, and twice as long again before each further one.
        base_delay: SignedDuration,
    },
    /// The run fails, and a person may return it to the queue.
    Manual {
        /// The number of requeues.
        max_retries: u32,
        /// The run waits twice this long before the first requeue, and twice as long again before each further one.
        base_delay: SignedDuration,
    },
}

/// What happens to a run whose worker is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryPolicy {
    /// The run fails with `PROCESS_TERMINATED`.
    Fail,
    /// The run returns to the queue and resumes at its first unfinished step, until it has had a number of attempts.
    Requeue {
        /// As in [`RequeuePolicy::Auto`].
        max_claims: u32,
    },
}

/// How runs of one pipeline are retried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// The delays between attempts of a step.
    pub backoff: Backoff,
    /// What happens after a failed attempt of the run.
    pub requeue: RequeuePolicy,
    /// What happens when the worker is gone.
    pub recovery: RecoveryPolicy,
    /// How many runs, one after the other, may continue the work of a run that timed out while it read its document.
    pub continuations: u32,
}

impl RetryPolicy {
    /// Whether a new run continues the work of a run that times out in that step. Only reading leaves something to
    /// continue: the pages that are recognised already.
    pub fn continues_after_timeout(&self, run: &Run, step: StepName) -> bool {
        step == StepName::Extraction && run.continuation_number() < self.continuations
    }
}

/// `base · 2^n`, without overflow.
pub(super) fn doubled(base: SignedDuration, n: u32) -> SignedDuration {
    base.checked_mul(1 << n.min(20)).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    const DEFAULT: Backoff = Backoff { max_attempts: 9, base_ms: 500, max_ms: 5000, jitter_ratio: 0.2 };

    #[test]
    fn without_jitter_the_delays_are_those_of_the_table() {
        let exact = Backoff { jitter_ratio: 0.0, ..DEFAULT };
        let mut rng = StdRng::seed_from_u64(1);
        let delays: Vec<_> = (1..=6).map(|attempt| exact.delay_ms(attempt, &mut rng)).collect();
        assert_eq!(delays, [500, 1000, 2000, 4000, 5000, 5000]);
    }

    #[test]
    fn there_is_no_attempt_after_the_last_one_nor_after_a_permanent_failure() {
        let mut rng = StdRng::seed_from_u64(1);
        let now = Timestamp::UNIX_EPOCH;
        let two = Backoff { max_attempts: 2, ..DEFAULT };
        assert!(matches!(two.after(1, FailureKind::Transient, now, &mut rng), AfterFailure::Retry { .. }));
        assert_eq!(two.after(2, FailureKind::Transient, now, &mut rng), AfterFailure::GiveUp);
        assert_eq!(two.after(1, FailureKind::Permanent, now, &mut rng), AfterFailure::GiveUp);
    }

    #[test]
    fn a_rate_limit_of_at_most_an_hour_is_waited_out_and_counts_nothing() {
        let mut rng = StdRng::seed_from_u64(1);
        let now = Timestamp::UNIX_EPOCH;
        let two = Backoff { max_attempts: 2, ..DEFAULT };
        let mut after = |attempt, seconds| {
            let until = now + SignedDuration::from_secs(seconds);
            two.after(attempt, FailureKind::RateLimited { until }, now, &mut rng)
        };
        for (attempt, seconds) in [(1, 42), (2, 42), (9, 3600)] {
            let until = now + SignedDuration::from_secs(seconds);
            assert_eq!(after(attempt, seconds), AfterFailure::Postpone { until });
        }
        assert!(matches!(after(1, 3601), AfterFailure::Retry { .. }), "a longer one is a failure");
        assert_eq!(after(2, 3601), AfterFailure::GiveUp);
        let AfterFailure::Postpone { until } = after(1, -5) else { panic!("it is in the past") };
        assert!(until > now, "{until}");
    }

    proptest! {
        #[test]
        fn a_delay_stays_within_its_jitter_and_never_above_the_cap(
            attempt in 1u32..200, base in 1u64..60_000, max in 1u64..300_000, ratio in 0.0f64..=1.0, seed: u64,
        ) {
            let backoff = Backoff { max_attempts: 10, base_ms: base, max_ms: max, jitter_ratio: ratio };
            let nominal = Backoff { jitter_ratio: 0.0, ..backoff }.delay_ms(attempt, &mut StdRng::seed_from_u64(0));
            let delay = backoff.delay_ms(attempt, &mut StdRng::seed_from_u64(seed));
            prop_assert!(delay <= max);
            let nominal = Duration::from_millis(nominal);
            let delay = Duration::from_millis(delay) + Duration::from_millis(1);
            prop_assert!(delay >= nominal.mul_f64(1.0 - ratio));
            prop_assert!(delay <= nominal.mul_f64(1.0 + ratio) + Duration::from_millis(2));
        }
    }
}
