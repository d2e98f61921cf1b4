//! How many documents there are, counted no further than anybody needs to know.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use quire_ports::{DocumentFilter, PortResult, Store};

use super::{DocumentCount, MOST_LOOKED_AT};

/// How long "more than that" is believed without counting again.
const BELIEVED: SignedDuration = SignedDuration::from_mins(1);
/// Counting this many takes longer than the list itself,
const MANY: u32 = 1_000;
/// so that such a number is believed for a moment.
const STILL_BELIEVED: SignedDuration = SignedDuration::from_secs(1);

/// Remembers how many documents there were, where counting takes time: of more than are counted few go by the minute, so
/// that looking again each time would tell nothing new. What is counted quickly is counted each time.
#[derive(Debug, Default)]
pub struct CountCache(Mutex<HashMap<Counted, (Timestamp, DocumentCount)>>);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// These.
    Of(DocumentFilter),
    /// Those that wait for a person.
    Open,
}

impl CountCache {
    pub(super) async fn total(&self, store: &Store, of: Counted) -> PortResult<DocumentCount> {
        let now = store.clock.now();
        let known = self.known().get(&of).copied();
        if let Some((then, total)) = known
            && now >= then
            && now.duration_since(then) < believed(total)
        {
            return Ok(total);
        }
        let counted = match of {
            Counted::Of(of) => store.documents.count(of, MOST_LOOKED_AT + 1).await?,
            Counted::Open => store.documents.count_open(MOST_LOOKED_AT + 1).await?,
        };
        let counted = total(counted);
        self.known().insert(of, (now, counted));
        Ok(counted)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Counted, (Timestamp, DocumentCount)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a number is believed.
fn believed(total: DocumentCount) -> SignedDuration {
    match total {
        DocumentCount { is_lower_bound: true, .. } => BELIEVED,
        DocumentCount { count, .. } if count >= MANY => STILL_BELIEVED,
        DocumentCount { .. } => SignedDuration::ZERO,
    }
}

fn total(counted: u32) -> DocumentCount {
    DocumentCount { count: counted.min(MOST_LOOKED_AT), is_lower_bound: counted > MOST_LOOKED_AT }
}
