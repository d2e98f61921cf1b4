//! Token budgets for models.
//!
//! The tokens of a day are those of all recorded calls, of every run on every machine. Calls in progress do not know of
//! each other, so a day may exceed its budget by one call for each slot.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use quire_ports::{ModelCalls, PortResult};

/// Limits of tokens. 0 means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenBudget {
    /// For one document, over all requests.
    pub per_document: u64,
    /// For one day, which begins at midnight UTC.
    pub per_day: u64,
}

impl TokenBudget {
    /// Whether a document that has used `used` tokens may use `needed` more.
    pub fn fits_document(self, used: u64, needed: u64) -> bool {
        self.per_document == 0 || used.saturating_add(needed) <= self.per_document
    }

    /// Whether `needed` more tokens may be used today.
    pub async fn fits_day(self, calls: &dyn ModelCalls, needed: u64, now: Timestamp) -> PortResult<bool> {
        if self.per_day == 0 {
            return Ok(true);
        }
        let used = calls.tokens_since(midnight(now)).await?;
        Ok(used.saturating_add(needed) <= self.per_day)
    }
}

fn midnight(now: Timestamp) -> Timestamp {
    let midnight = now.to_zoned(TimeZone::UTC).date().to_zoned(TimeZone::UTC);
    midnight.map_or_else(|_| now.checked_sub(24.hours()).unwrap_or(now), |midnight| midnight.timestamp())
}
