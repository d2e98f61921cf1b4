//! Token budgets for models.
//!
//! The tokens used are those that versions record, on all machines, plus those of steps of this process that ended without a
//! version. Documents in progress do not know of each other, so a day may exceed its budget by one document for each slot.

use std::sync::{Mutex, PoisonError};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use quire_ports::{PortResult, Reviews};

/// Limits of tokens. 0 means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenBudget {
    /// For one document, over all requests.
    pub per_document: u64,
    /// For one day, which begins at midnight UTC.
    pub per_day: u64,
}

/// Tokens of steps that ended without a version, for one day.
#[derive(Default)]
pub(super) struct UnrecordedTokens(Mutex<(Option<Date>, u64)>);

impl UnrecordedTokens {
    pub(super) fn add(&self, tokens: u64, now: Timestamp) {
        let today = day(now);
        let mut tokens_of_day = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = if tokens_of_day.0 == Some(today) { tokens_of_day.1 } else { 0 };
        *tokens_of_day = (Some(today), before.saturating_add(tokens));
    }

    pub(super) fn on(&self, today: Date) -> u64 {
        let tokens_of_day = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens_of_day.0 == Some(today) { tokens_of_day.1 } else { 0 }
    }
}

impl TokenBudget {
    /// Whether a document that has used `used` tokens may use `needed` more.
    pub(super) fn fits_document(self, used: u64, needed: u64) -> bool {
        self.per_document == 0 || used.saturating_add(needed) <= self.per_document
    }

    /// Whether `needed` more tokens may be used today.
    pub(super) async fn fits_day(
        self,
        reviews: &dyn Reviews,
        unrecorded: &UnrecordedTokens,
        needed: u64,
        now: Timestamp,
    ) -> PortResult<bool> {
        if self.per_day == 0 {
            return Ok(true);
        }
        let used = reviews.tokens_since(midnight(now)).await?.saturating_add(unrecorded.on(day(now)));
        Ok(used.saturating_add(needed) <= self.per_day)
    }
}

pub(super) fn day(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

fn midnight(now: Timestamp) -> Timestamp {
    let midnight = day(now).to_zoned(TimeZone::UTC).map(|midnight| midnight.timestamp());
    midnight.unwrap_or_else(|_| now.checked_sub(24.hours()).unwrap_or(now))
}
