//! Locks in this process.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use quire_domain::RunId;

/// The requests on which this process works.
#[derive(Clone, Default)]
pub(super) struct LocalLocks(Arc<Mutex<HashSet<RunId>>>);

/// A lock in this process, until it is dropped.
pub(super) struct LocalGuard {
    locks: LocalLocks,
    id: RunId,
}

impl LocalLocks {
    /// The lock, unless it is held.
    pub(super) fn acquire(&self, id: RunId) -> Option<LocalGuard> {
        let is_free = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        is_free.then(|| LocalGuard { locks: self.clone(), id })
    }
}

impl Drop for LocalGuard {
    fn drop(&mut self) {
        self.locks.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_leaves_nothing_behind() {
        let locks = LocalLocks::default();
        let (one, other) = (RunId::new(), RunId::new());
        let guard = locks.acquire(one).unwrap();
        assert!(locks.acquire(one).is_none());
        assert!(locks.acquire(other).is_some());
        drop(guard);
        assert!(locks.acquire(one).is_some());
        assert!(locks.0.lock().unwrap().is_empty());
    }
}
