//! How many documents there are, counted no further than anybody needs to know.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use quire_ports::{DocumentsOf, PortResult, Store};

use super::{MOST_LOOKED_AT, Total};

/// How long "more than that" is believed without counting again.
const BELIEVED: SignedDuration = SignedDuration::from_mins(1);

/// Remembers of which documents there were more than are counted. Few go by the minute, so that looking again each time
/// would tell nothing new; a number below the bound is counted each time, since that one is exact.
#[derive(Debug, Default)]
pub struct Counts(Mutex<HashMap<DocumentsOf, Timestamp>>);

impl Counts {
    pub(super) async fn total(&self, store: &Store, of: DocumentsOf) -> PortResult<Total> {
        let now = store.clock.now();
        let were_many = self.known().get(&of).copied();
        if were_many.is_some_and(|then| now >= then && now.duration_since(then) < BELIEVED) {
            return Ok(total(MOST_LOOKED_AT + 1));
        }
        let counted = total(store.documents.count(of, MOST_LOOKED_AT + 1).await?);
        if counted.is_lower_bound {
            self.known().insert(of, now);
        } else {
            self.known().remove(&of);
        }
        Ok(counted)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<DocumentsOf, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn total(counted: u32) -> Total {
    Total { count: counted.min(MOST_LOOKED_AT), is_lower_bound: counted > MOST_LOOKED_AT }
}
