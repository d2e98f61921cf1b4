//! The time after which a provider may be called again. No connector repeats a call by itself: the attempts of its step are
//! the only ones.

use std::time::Duration;

use hyper::header::{DATE, HeaderMap, RETRY_AFTER};
use jiff::Timestamp;
use quire_domain::run::LONGEST_POSTPONEMENT;

/// The wait that a response asks for, in milliseconds, in seconds or as a date. None if it names no time, or one that is
/// further away than [`LONGEST_POSTPONEMENT`]: the call then counts as failed.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number(RETRY_AFTER.as_str()));
    let wait = if let Some(seconds) = seconds {
        Duration::try_from_secs_f64(seconds).ok()?
    } else {
        let date = |name: &str| Some(jiff::fmt::rfc2822::parse(text(name)?).ok()?.timestamp());
        let until = date(RETRY_AFTER.as_str())?;
        // By the clock of the sender, if it tells its time.
        let now = date(DATE.as_str()).unwrap_or_else(Timestamp::now);
        Duration::try_from(until.duration_since(now)).unwrap_or_default()
    };
    (wait <= LONGEST_POSTPONEMENT.unsigned_abs()).then_some(wait)
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn parse(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()));
        retry_after(&headers.collect())
    }

    #[test]
    fn a_wait_is_a_number_of_seconds_or_milliseconds_or_a_date() {
        assert_eq!(parse(&[("retry-after", "3")]), Some(Duration::from_secs(3)));
        assert_eq!(parse(&[("retry-after", "0.25")]), Some(Duration::from_millis(250)));
        assert_eq!(
            parse(&[("retry-after", "3"), ("retry-after-ms", "2500")]),
            Some(Duration::from_millis(2500)),
            "the more exact one"
        );
        let date = ("date", "Sun, 01 Mar 2026 10:00:00 GMT");
        let at = |text| parse(&[date, ("retry-after", text)]);
        assert_eq!(at("Sun, 01 Mar 2026 10:00:07 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(at("Sun, 01 Mar 2026 09:00:00 GMT"), Some(Duration::ZERO), "the date has passed");
        assert_eq!(at("Sun, 01 Mar 2026 11:00:01 GMT"), None, "more than an hour away");
    }

    #[test]
    fn a_time_that_is_missing_invalid_or_too_far_away_is_no_time() {
        for text in ["soon", "-1", "3601", "99999999999", "NaN", "inf"] {
            assert_eq!(parse(&[("retry-after", text)]), None, "{text}");
        }
        assert_eq!(parse(&[]), None);
        assert_eq!(parse(&[("retry-after", "3600")]), Some(LONGEST_POSTPONEMENT.unsigned_abs()));
    }
}
