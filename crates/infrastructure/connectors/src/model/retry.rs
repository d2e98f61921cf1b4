//! How long to wait before the next request to a model.

use std::time::Duration;

use hyper::header::HeaderValue;
use jiff::Timestamp;
use quire_ports::Deadline;

/// Time reserved before the deadline for the work without the model.
const RESERVE: Duration = Duration::from_secs(2);
/// The wait after the first failed request. It doubles with each further one.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(20);
/// The longest wait, whatever `Retry-After` says.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(1);

/// The time left for requests. `None` without a deadline.
pub(super) fn time_left(deadline: Option<&Deadline>) -> Option<Duration> {
    Some(deadline?.time_left().saturating_sub(RESERVE))
}

/// The wait after a failed attempt without `Retry-After`. The first attempt is 1.
pub(super) fn backoff(attempt: u32) -> Duration {
    FIRST_BACKOFF.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(MAX_BACKOFF)
}

/// The wait that a `Retry-After` header asks for, in seconds or as a date.
pub(super) fn retry_after(header: Option<&HeaderValue>, now: Timestamp) -> Option<Duration> {
    let text = header?.to_str().ok()?.trim();
    let wait = if let Ok(seconds) = text.parse::<f64>() {
        Duration::try_from_secs_f64(seconds).unwrap_or(MAX_RETRY_AFTER)
    } else {
        let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        Duration::try_from(at.duration_since(now)).unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::SignedDuration;
    use quire_ports::AwakeTime;
    use quire_testkit::FakeClock;

    use super::*;

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        let parse = |text: &str| retry_after(Some(&HeaderValue::from_str(text).unwrap()), now);
        assert_eq!(parse("3"), Some(Duration::from_secs(3)));
        assert_eq!(parse("0.25"), Some(Duration::from_millis(250)));
        assert_eq!(parse("Sun, 01 Mar 2026 10:00:07 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(parse("Sun, 01 Mar 2026 09:00:00 GMT"), Some(Duration::ZERO), "the date has passed");
        assert_eq!(parse("99999999999"), Some(MAX_RETRY_AFTER));
        assert_eq!(parse("-1"), Some(MAX_RETRY_AFTER), "an invalid time counts as the longest wait");
        assert_eq!((parse("soon"), retry_after(None, now)), (None, None));
    }

    #[test]
    fn the_wait_doubles_up_to_a_limit() {
        assert_eq!([backoff(1), backoff(2), backoff(3)].map(|wait| wait.as_millis()), [500, 1000, 2000]);
        assert_eq!(backoff(u32::MAX), MAX_BACKOFF);
    }

    #[test]
    fn time_is_reserved_for_the_rules() {
        let clock = Arc::new(FakeClock::at(Timestamp::UNIX_EPOCH));
        let awake = Arc::new(AwakeTime::start(clock.clone()));
        let deadline = Deadline::after(awake, Duration::from_secs(12));
        assert_eq!((time_left(None), time_left(Some(&deadline))), (None, Some(Duration::from_secs(10))));
        let left = [3, 3, 3, 3].map(|seconds| {
            clock.advance(SignedDuration::from_secs(seconds));
            time_left(Some(&deadline)).unwrap().as_secs()
        });
        assert_eq!(left, [7, 4, 1, 0]);
    }
}
