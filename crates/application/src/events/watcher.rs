//! Polls for new events on behalf of all subscriptions of the process.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::{EventId, RecordedEvent};
use quire_ports::{EventFilter, PortResult, RunReader};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::BATCH_SIZE;

/// The time between two polls, and so the longest delay of an event. A poll without news reads the end of an index.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The last batch: every event after `after` up to `newest`.
#[derive(Clone)]
pub(super) struct EventBatch {
    pub(super) after: EventId,
    pub(super) newest: EventId,
    pub(super) events: Arc<[RecordedEvent]>,
}

/// A watcher that polls until it is dropped.
pub(super) struct Watcher {
    pub(super) latest: watch::Receiver<EventBatch>,
    _until_dropped: DropGuard,
}

impl Watcher {
    /// Starts polling for events after `newest`.
    pub(super) fn start(history: Arc<dyn RunReader>, newest: EventId) -> Self {
        let (sender, latest) = watch::channel(EventBatch { after: newest, newest, events: Arc::new([]) });
        let unwanted = CancellationToken::new();
        let guard = unwanted.clone().drop_guard();
        tokio::spawn(async move {
            // Stops between two polls, so that no connection is left with half a response.
            while unwanted.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
                poll(&*history, &sender).await;
            }
        });
        Self { latest, _until_dropped: guard }
    }
}

/// Publishes all new events, one batch at a time.
async fn poll(history: &dyn RunReader, sender: &watch::Sender<EventBatch>) {
    loop {
        let after = sender.borrow().newest;
        match next(history, after).await {
            Ok(Some(batch)) => {
                let is_all = batch.events.len() < BATCH_SIZE as usize;
                sender.send_replace(batch);
                if is_all {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                // The next poll may succeed.
                tracing::debug!(%error, "event feed: reading new events failed, will retry");
                return;
            }
        }
    }
}

async fn next(history: &dyn RunReader, after: EventId) -> PortResult<Option<EventBatch>> {
    let events = history.events(after, EventFilter::default(), BATCH_SIZE).await?;
    let newest = events.last().map(|last| last.id);
    Ok(newest.map(|newest| EventBatch { after, newest, events: events.into() }))
}
