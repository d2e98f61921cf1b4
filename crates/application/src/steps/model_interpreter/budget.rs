//! What may be spent on models.
//!
//! What was spent is what versions have recorded, on all machines, plus what this process spent on steps that ended without a
//! version. Documents that are under way at the same moment do not know of each other, so that a day may end up to one
//! document for each slot above its budget.

use std::sync::{Mutex, PoisonError};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use quire_ports::{PortResult, Reviews};

/// Tokens that may be spent; 0 is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenBudget {
    /// On one document, over all requests.
    pub per_document: u64,
    /// In one day, which begins at midnight UTC.
    pub per_day: u64,
}

/// Tokens of steps that left no version, on a day.
#[derive(Default)]
pub(super) struct Lost(Mutex<(Option<Date>, u64)>);

impl Lost {
    pub(super) fn add(&self, tokens: u64, now: Timestamp) {
        let today = day(now);
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = if lost.0 == Some(today) { lost.1 } else { 0 };
        *lost = (Some(today), before.saturating_add(tokens));
    }

    pub(super) fn on(&self, today: Date) -> u64 {
        let lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lost.0 == Some(today) { lost.1 } else { 0 }
    }
}

impl TokenBudget {
    /// Whether so many tokens are left for a document, of which some were spent already.
    pub(super) fn fits_document(self, spent: u64, needed: u64) -> bool {
        self.per_document == 0 || spent.saturating_add(needed) <= self.per_document
    }

    /// Whether so many tokens are left today.
    pub(super) async fn fits_day(
        self,
        reviews: &dyn Reviews,
        lost: &Lost,
        needed: u64,
        now: Timestamp,
    ) -> PortResult<bool> {
        if self.per_day == 0 {
            return Ok(true);
        }
        let spent = reviews.tokens_since(midnight(now)).await?.saturating_add(lost.on(day(now)));
        Ok(spent.saturating_add(needed) <= self.per_day)
    }
}

pub(super) fn day(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

fn midnight(now: Timestamp) -> Timestamp {
    let midnight = day(now).to_zoned(TimeZone::UTC).map(|midnight| midnight.timestamp());
    midnight.unwrap_or_else(|_| now.checked_sub(24.hours()).unwrap_or(now))
}
