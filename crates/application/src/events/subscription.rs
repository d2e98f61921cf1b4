//! One subscription: its position in the history, and its next events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::{Event, EventId, RecordedEvent};
use quire_ports::{EventFilter, RunHistory};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;

use super::BATCH_SIZE;
use super::poller::{EventBatch, Poller};

/// Pause before another try at a store that is not available.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// A client's subscription to the event history. It counts towards the limit of its feed until it is dropped.
pub struct Subscription {
    history: Arc<dyn RunHistory>,
    latest: watch::Receiver<EventBatch>,
    stop: CancellationToken,
    filter: EventFilter,
    /// All events up to this one were read. They were delivered, filtered out, or wait in `ready`.
    read: EventId,
    ready: VecDeque<RecordedEvent>,
    _poller: Arc<Poller>,
    _permit: OwnedSemaphorePermit,
}

impl Subscription {
    pub(super) fn new(
        history: Arc<dyn RunHistory>,
        poller: Arc<Poller>,
        stop: CancellationToken,
        permit: OwnedSemaphorePermit,
        filter: EventFilter,
        position: EventId,
    ) -> Self {
        let latest = poller.latest.clone();
        let ready = VecDeque::new();
        Self { history, latest, stop, filter, read: position, ready, _poller: poller, _permit: permit }
    }

    /// The position from which a new subscription would deliver the next event.
    pub fn position(&self) -> EventId {
        self.ready.front().map_or(self.read, |next| EventId(next.id.0 - 1))
    }

    /// The next event, in the order of the history, or `None` when the feed stops. Cancelling this call loses no event.
    pub async fn next(&mut self) -> Option<RecordedEvent> {
        let stop = self.stop.clone();
        stop.run_until_cancelled(self.find_next()).await.flatten()
    }

    async fn find_next(&mut self) -> Option<RecordedEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let latest = self.latest.borrow_and_update().clone();
            if self.read >= latest.newest {
                // Cannot fail: the subscription keeps the poller alive.
                self.latest.changed().await.ok()?;
            } else if self.read >= latest.after {
                self.take(&latest.events, latest.newest);
            } else {
                self.catch_up(latest.newest).await?;
            }
        }
    }

    /// Reads one batch of events that the poller no longer holds.
    async fn catch_up(&mut self, newest: EventId) -> Option<()> {
        match self.history.events(self.read, EventFilter::default(), BATCH_SIZE).await {
            Ok(events) => {
                let last = events.last().map_or(newest, |last| last.id);
                let is_all = events.len() < BATCH_SIZE as usize;
                // `newest` existed before this read, so a gap up to it was purged.
                self.take(&events, if is_all { last.max(newest) } else { last });
                Some(())
            }
            Err(error) if error.is_passing() => {
                tokio::time::sleep(RETRY_PAUSE).await;
                Some(())
            }
            Err(error) => {
                tracing::error!(%error, "event stream closed: the history could not be read");
                None
            }
        }
    }

    fn take(&mut self, events: &[RecordedEvent], read: EventId) {
        let (filter, before) = (self.filter, self.read);
        let wanted = events.iter().filter(|recorded| recorded.id > before && wants(filter, &recorded.event));
        self.ready.extend(wanted.cloned());
        self.read = before.max(read);
    }
}

fn wants(filter: EventFilter, event: &Event) -> bool {
    event.event_type.is_news()
        && filter.run.is_none_or(|run| event.run == Some(run))
        && filter.subject.is_none_or(|subject| event.subject == Some(subject))
}
