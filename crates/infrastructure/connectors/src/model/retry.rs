//! How long to wait before a model is asked again.

use std::time::Duration;

use hyper::header::HeaderValue;
use jiff::Timestamp;

/// Time that is kept back before the deadline, for what is done without the model.
const RESERVE: Duration = Duration::from_secs(2);
/// The pause after the first request that failed; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// Nobody waits longer than this, whatever the endpoint says.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// The time that is left for a model.
pub(super) fn left(deadline: Option<Timestamp>, now: Timestamp) -> Option<Duration> {
    let left = deadline?.duration_since(now);
    Some(Duration::try_from(left).unwrap_or_default().saturating_sub(RESERVE))
}

/// The pause after an attempt, from 1, of which nobody said how long it should be.
pub(super) fn pause(attempt: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_PAUSE)
}

/// What `Retry-After` asks for, in seconds or as a date.
pub(super) fn after(header: Option<&HeaderValue>, now: Timestamp) -> Option<Duration> {
    let text = header?.to_str().ok()?.trim();
    let wait = if let Ok(seconds) = text.parse::<f64>() {
        Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_WAIT)
    } else {
        let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        Duration::try_from(at.duration_since(now)).unwrap_or_default()
    };
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_nothing_else() {
        let now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        let asks = |text: &str| after(Some(&HeaderValue::from_str(text).unwrap()), now);
        assert_eq!(asks("3"), Some(Duration::from_secs(3)));
        assert_eq!(asks("0.25"), Some(Duration::from_millis(250)));
        assert_eq!(asks("Sun, 01 Mar 2026 10:00:07 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(asks("Sun, 01 Mar 2026 09:00:00 GMT"), Some(Duration::ZERO), "it has passed");
        assert_eq!(asks("99999999999"), Some(LONGEST_WAIT));
        assert_eq!(asks("-1"), Some(LONGEST_WAIT), "no such time: in doubt not soon");
        assert_eq!((asks("soon"), after(None, now)), (None, None));
    }

    #[test]
    fn pauses_double_up_to_a_limit_and_time_is_kept_for_the_rules() {
        assert_eq!([pause(1), pause(2), pause(3)].map(|pause| pause.as_millis()), [500, 1000, 2000]);
        assert_eq!(pause(u32::MAX), LONGEST_PAUSE);
        let now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        assert_eq!(left(None, now), None);
        let at = |seconds| now.checked_add(jiff::SignedDuration::from_secs(seconds)).ok();
        assert_eq!(left(at(12), now), Some(Duration::from_secs(10)));
        assert_eq!((left(at(1), now), left(at(-5), now)), (Some(Duration::ZERO), Some(Duration::ZERO)));
    }
}
