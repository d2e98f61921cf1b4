//! What requests to language models cost, by day, credential and model.

use jiff::{SignedDuration, Timestamp};
pub use quire_ports::{DailyModelUsage, ModelUsage};

use crate::{App, Result};

/// The days of a report without a beginning.
const DEFAULT_DAYS: i64 = 30;
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// The requests of a period, added up.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageReport {
    /// The beginning of the period.
    pub from: Timestamp,
    /// Its end, which is no part of it.
    pub before: Timestamp,
    /// The sums of each day, credential and model, in this order.
    pub days: Vec<DailyModelUsage>,
    /// The sums of all.
    pub total: ModelUsage,
}

/// The requests from a time on and before another: without them, those of the last 30 days until now.
pub async fn report(app: &App, from: Option<Timestamp>, before: Option<Timestamp>) -> Result<UsageReport> {
    let now = app.store.clock.now();
    let before = before.unwrap_or_else(|| now.saturating_add(SignedDuration::from_secs(1)).unwrap_or(now));
    let from = from.unwrap_or_else(|| days_before(before, DEFAULT_DAYS));
    let days = app.store.model_calls.daily_usage(from, before).await?;
    let mut total = ModelUsage::default();
    for day in &days {
        total += &day.usage;
    }
    Ok(UsageReport { from, before, days, total })
}

/// The beginning of the day, in UTC, that is so many days earlier.
fn days_before(time: Timestamp, days: i64) -> Timestamp {
    let day = time.as_second().div_euclid(SECONDS_PER_DAY) - days;
    Timestamp::from_second(day * SECONDS_PER_DAY).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_at_midnight() {
        let time: Timestamp = "2026-03-31T17:30:00Z".parse().unwrap();
        assert_eq!(days_before(time, 30).to_string(), "2026-03-01T00:00:00Z");
    }
}
