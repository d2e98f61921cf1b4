//! Slots limit how many runs an engine works on at once.
//!
//! A run keeps its slot until the run has ended *and* its step has really returned. A step that ignores its
//! cancellation keeps its thread, so it keeps its slot too. Otherwise the engine would claim runs for which it has no
//! thread.

use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

pub(super) struct Slots {
    free: Arc<Semaphore>,
    freed: Notify,
}

/// One occupied slot, or several. It becomes free when the last `Arc` to it is dropped.
pub(super) struct Slot {
    slots: Arc<Slots>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Slots {
    pub(super) fn new(slots: u32) -> Arc<Self> {
        Arc::new(Self { free: Arc::new(Semaphore::new(slots as usize)), freed: Notify::new() })
    }

    /// The number of free slots.
    pub(super) fn free(&self) -> usize {
        self.free.available_permits()
    }

    /// Occupies a slot, if one is free.
    pub(super) fn take(self: &Arc<Self>) -> Option<Arc<Slot>> {
        self.take_many(1)
    }

    /// Occupies every free slot, if there is one, for a run that must run alone.
    pub(super) fn take_all(self: &Arc<Self>) -> Option<Arc<Slot>> {
        self.take_many(self.free().max(1))
    }

    fn take_many(self: &Arc<Self>, count: usize) -> Option<Arc<Slot>> {
        let permit = self.free.clone().try_acquire_many_owned(u32::try_from(count).ok()?).ok()?;
        Some(Arc::new(Slot { slots: self.clone(), permit: Some(permit) }))
    }

    /// Returns when at least one slot is free.
    pub(super) async fn wait(&self) {
        while self.free() == 0 {
            self.freed.notified().await;
        }
        // Runs whose writes were committed together end together. Yield once so that all of them free their slots and
        // one claim serves them all.
        tokio::task::yield_now().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.permit = None;
        self.slots.freed.notify_one();
    }
}
