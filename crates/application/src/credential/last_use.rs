//! When keys were last used. A use is recorded at most once a minute for each key, beside the request: reading must
//! neither cost a commit nor wait for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use quire_domain::KeyId;
use quire_ports::Credentials;

/// The shortest time between two recorded uses of a key.
const RECORDED_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// The uses of keys that this process recorded.
#[derive(Default)]
pub(super) struct LastUses {
    /// One time for each key that was used: there are as many as keys.
    recorded: Mutex<HashMap<KeyId, Timestamp>>,
}

impl LastUses {
    /// Records a use of a key, unless one was recorded a moment ago. If the write fails, the client is served all the same.
    pub(super) fn record(&self, credentials: &Arc<dyn Credentials>, key: KeyId, now: Timestamp) {
        if !self.is_due(key, now) {
            return;
        }
        let credentials = credentials.clone();
        tokio::spawn(async move {
            if let Err(error) = credentials.used(key, now).await {
                tracing::warn!(%error, "key: recording its last use failed");
            }
        });
    }

    /// Whether a use at this time must be recorded. If so, the next one is due a minute later.
    fn is_due(&self, key: KeyId, now: Timestamp) -> bool {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = recorded.get(&key).is_none_or(|last| now.duration_since(*last).abs() >= RECORDED_EVERY);
        if is_due {
            recorded.insert(key, now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_recorded_at_most_once_a_minute_for_each_key() {
        let (uses, alma, bruno) = (LastUses::default(), KeyId::new(), KeyId::new());
        let second = |count| Timestamp::from_second(count).unwrap();
        let due: Vec<_> = (0..=120).filter(|count| uses.is_due(alma, second(*count))).collect();
        assert_eq!(due, [0, 60, 120]);
        assert!(uses.is_due(bruno, second(1)), "each key has its own minute");
    }
}
