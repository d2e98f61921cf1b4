//! Counts documents up to a limit, and caches large counts.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use quire_ports::{DocumentFilter, PortResult, Store};

use super::{DocumentCount, SCAN_LIMIT};

/// How long "more than the limit" is cached.
const CACHE_LIMITED: SignedDuration = SignedDuration::from_mins(1);
/// Counting this many documents takes longer than reading the list, so such a count is cached.
const MANY: u32 = 1_000;
/// How long a count of at least `MANY` is cached.
const CACHE_LARGE: SignedDuration = SignedDuration::from_secs(1);

/// Caches slow counts. Small counts are never cached.
#[derive(Debug, Default)]
pub struct CountCache(Mutex<HashMap<Counted, (Timestamp, DocumentCount)>>);

/// The key of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// Documents of a filter.
    Filtered(DocumentFilter),
    /// Documents that wait for a review.
    Open,
}

impl CountCache {
    pub(super) async fn total(&self, store: &Store, what: Counted) -> PortResult<DocumentCount> {
        let now = store.clock.now();
        let cached = self.cached().get(&what).copied();
        if let Some((then, total)) = cached
            && now >= then
            && now.duration_since(then) < cache_time(total)
        {
            return Ok(total);
        }
        let counted = match what {
            Counted::Filtered(filter) => store.documents.count(filter, SCAN_LIMIT + 1).await?,
            Counted::Open => store.documents.count_awaiting_review(SCAN_LIMIT + 1).await?,
        };
        let counted = total(counted);
        self.cached().insert(what, (now, counted));
        Ok(counted)
    }

    /// Forgets every count, because documents have left the lists or come back.
    pub(in crate::document) fn clear(&self) {
        self.cached().clear();
    }

    fn cached(&self) -> MutexGuard<'_, HashMap<Counted, (Timestamp, DocumentCount)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a count is cached.
fn cache_time(total: DocumentCount) -> SignedDuration {
    match total {
        DocumentCount { is_lower_bound: true, .. } => CACHE_LIMITED,
        DocumentCount { count, .. } if count >= MANY => CACHE_LARGE,
        DocumentCount { .. } => SignedDuration::ZERO,
    }
}

fn total(counted: u32) -> DocumentCount {
    DocumentCount { count: counted.min(SCAN_LIMIT), is_lower_bound: counted > SCAN_LIMIT }
}
