//! How much is worked on at once.
//!
//! A slot belongs to a run until the run has been settled *and* its step has really ended. A step that ignores its
//! cancellation keeps its thread, so it keeps its slot, too: otherwise new runs would be claimed for threads that
//! are not there.

use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

pub(super) struct Slots {
    free: Arc<Semaphore>,
    freed: Notify,
}

/// One of them, taken. Given back when the last holder lets go, however it ends.
pub(super) struct Slot {
    slots: Arc<Slots>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Slots {
    pub(super) fn new(slots: u32) -> Arc<Self> {
        Arc::new(Self { free: Arc::new(Semaphore::new(slots as usize)), freed: Notify::new() })
    }

    /// How many are free.
    pub(super) fn free(&self) -> usize {
        self.free.available_permits()
    }

    /// Takes one, if there is one.
    pub(super) fn take(self: &Arc<Self>) -> Option<Arc<Slot>> {
        let permit = self.free.clone().try_acquire_owned().ok()?;
        Some(Arc::new(Slot { slots: self.clone(), permit: Some(permit) }))
    }

    /// Returns when one is free.
    pub(super) async fn wait(&self) {
        while self.free() == 0 {
            self.freed.notified().await;
        }
        // Runs tend to end together, as their writes were committed together: let all of them give up their slots
        // first, and claim for all of them at once.
        tokio::task::yield_now().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.permit = None;
        self.slots.freed.notify_one();
    }
}
