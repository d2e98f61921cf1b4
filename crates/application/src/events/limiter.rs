//! How many subscriptions are open at once: in all, and of one key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::feed::FeedError;

/// The limits of open subscriptions.
#[derive(Clone, Copy, Debug)]
pub struct FeedLimits {
    /// All subscriptions.
    pub total: usize,
    /// Those of one key. One client must not use up the limit of all.
    pub per_key: usize,
}

/// The open subscriptions.
pub(super) struct SubscriptionLimiter {
    limits: FeedLimits,
    open: Mutex<OpenSubscriptions>,
}

#[derive(Default)]
struct OpenSubscriptions {
    total: usize,
    per_key: HashMap<String, usize>,
}

/// Counts one subscription until it is dropped.
pub(super) struct SubscriptionPermit {
    key: Option<String>,
    limiter: Arc<SubscriptionLimiter>,
}

impl SubscriptionLimiter {
    pub(super) fn new(limits: FeedLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// Counts a subscription, unless there are too many. A client without a key, on a server that needs none, has only the limit of all.
    pub(super) fn acquire(self: &Arc<Self>, key: Option<&str>) -> Result<SubscriptionPermit, FeedError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = self.limits.per_key;
        if key.is_some_and(|key| open.per_key.get(key).is_some_and(|count| *count >= limit)) {
            return Err(FeedError::FullForKey { limit });
        }
        if open.total >= self.limits.total {
            return Err(FeedError::Full);
        }
        open.total += 1;
        if let Some(key) = key {
            *open.per_key.entry(key.to_owned()).or_default() += 1;
        }
        Ok(SubscriptionPermit { key: key.map(str::to_owned), limiter: self.clone() })
    }
}

impl Drop for SubscriptionPermit {
    fn drop(&mut self) {
        let mut open = self.limiter.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.total -= 1;
        let Some(key) = &self.key else { return };
        if let Some(count) = open.per_key.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                open.per_key.remove(key);
            }
        }
    }
}
