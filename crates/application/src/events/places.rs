//! How many subscriptions are open at once: in all, and of one key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::feed::FeedError;

/// The limits of open subscriptions.
#[derive(Clone, Copy, Debug)]
pub struct FeedLimits {
    /// All subscriptions.
    pub total: usize,
    /// Those of one key. One client must not take all places.
    pub per_key: usize,
}

/// The open subscriptions.
pub(super) struct Places {
    limits: FeedLimits,
    taken: Mutex<TakenPlaces>,
}

#[derive(Default)]
struct TakenPlaces {
    total: usize,
    per_key: HashMap<String, usize>,
}

/// The place of one subscription, free again when it is dropped.
pub(super) struct Place {
    key: Option<String>,
    places: Arc<Places>,
}

impl Places {
    pub(super) fn new(limits: FeedLimits) -> Arc<Self> {
        Arc::new(Self { limits, taken: Mutex::default() })
    }

    /// Takes a place. A client without a key, on a server that needs none, has only the limit of all.
    pub(super) fn take(self: &Arc<Self>, key: Option<&str>) -> Result<Place, FeedError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = self.limits.per_key;
        if key.is_some_and(|key| taken.per_key.get(key).is_some_and(|count| *count >= limit)) {
            return Err(FeedError::FullForKey { limit });
        }
        if taken.total >= self.limits.total {
            return Err(FeedError::Full);
        }
        taken.total += 1;
        if let Some(key) = key {
            *taken.per_key.entry(key.to_owned()).or_default() += 1;
        }
        Ok(Place { key: key.map(str::to_owned), places: self.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.total -= 1;
        let Some(key) = &self.key else { return };
        if let Some(count) = taken.per_key.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                taken.per_key.remove(key);
            }
        }
    }
}
