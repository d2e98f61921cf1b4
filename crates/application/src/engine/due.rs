//! Releases the runs that this engine sent to wait, when their time has come. The watchdog releases all others on its
//! tick: those of engines that are gone, and those whose release failed here.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;

use super::EngineCore;

/// The longest wait that is remembered here.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);

/// The times at which runs of this engine become due, earliest first.
#[derive(Default)]
pub(super) struct DueTimes {
    times: Mutex<BinaryHeap<Reverse<Timestamp>>>,
    added: Notify,
}

impl DueTimes {
    /// Adds a time. The watchdog alone looks after the end of very long waits.
    pub(super) fn add(&self, at: Timestamp, now: Timestamp) {
        if at.duration_since(now) > LONGEST {
            return;
        }
        self.times.lock().unwrap_or_else(PoisonError::into_inner).push(Reverse(at));
        self.added.notify_one();
    }

    fn next(&self) -> Option<Timestamp> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.peek().map(|Reverse(at)| *at)
    }

    fn remove_until(&self, now: Timestamp) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        while times.peek().is_some_and(|Reverse(at)| *at <= now) {
            times.pop();
        }
    }
}

pub(super) async fn keep_releasing(engine: Arc<EngineCore>) {
    loop {
        tokio::select! {
            () = engine.draining.cancelled() => return,
            () = engine.due.added.notified() => {}
            () = engine.next_due() => {
                engine.due.remove_until(engine.store.clock.now());
                if let Err(error) = engine.release_due().await {
                    tracing::warn!(%error, "waiting runs: release failed, will retry on the next tick");
                }
            }
        }
    }
}

impl EngineCore {
    async fn next_due(&self) {
        match self.due.next() {
            Some(at) => {
                let pause = Duration::try_from(at.duration_since(self.store.clock.now()));
                self.store.clock.sleep(pause.unwrap_or_default()).await;
            }
            None => std::future::pending().await,
        }
    }
}
