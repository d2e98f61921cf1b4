//! Restores the fronts of subjects whose runs all wait. No transaction of the program leaves a subject so: the one that
//! ends a front also gives the turn to the next run. A backup that was restored in part may, or somebody who edits the
//! database by hand; and then nothing else would ever start these runs. The engine looks at all waiting runs with its first
//! tick and then once a minute.

use jiff::{SignedDuration, Timestamp};
use quire_ports::PortResult;

use super::EngineCore;
use crate::event_telemetry;

/// How often to look.
const INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// How many waiting runs one transaction looks at.
const PAGE: usize = 1000;

/// When this engine last looked for missing fronts.
#[derive(Default)]
pub(super) struct FrontWatch {
    checked_at: Option<Timestamp>,
}

impl EngineCore {
    /// Looks at all waiting runs, if the last look is long enough ago.
    pub(super) async fn restore_fronts(&self, watch: &mut FrontWatch) -> PortResult<()> {
        let now = self.store.clock.now();
        if watch.checked_at.is_some_and(|checked_at| now.duration_since(checked_at) < INTERVAL) {
            return Ok(());
        }
        let mut after = None;
        loop {
            let checked = self.store.recovery.restore_fronts(after, now, PAGE).await?;
            for (subject, pipeline) in checked.restored {
                tracing::warn!(
                    subject_id = %subject,
                    pipeline = pipeline.as_str(),
                    "watchdog: no run of this subject was ready; the oldest is ready now"
                );
                event_telemetry::count_restored_front(pipeline);
            }
            after = checked.next;
            if after.is_none() {
                break;
            }
        }
        watch.checked_at = Some(now);
        Ok(())
    }
}
