//! One subscription: its position in the history.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::{Event, EventId, RecordedEvent};
use quire_ports::{EventFilter, RunReader};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::BATCH_SIZE;
use super::limiter::SubscriptionPermit;
use super::watcher::{EventBatch, Watcher};

/// The pause before the next attempt while the database does not answer.
const PAUSE: Duration = Duration::from_millis(500);

/// A position in the history. It counts against the limit until it is dropped.
pub struct Subscription {
    history: Arc<dyn RunReader>,
    latest: watch::Receiver<EventBatch>,
    stop: CancellationToken,
    filter: EventFilter,
    /// Events up to here were delivered, do not match, or wait in `ready`.
    read: EventId,
    ready: VecDeque<RecordedEvent>,
    _watcher: Arc<Watcher>,
    _permit: SubscriptionPermit,
}

impl Subscription {
    pub(super) fn new(
        history: Arc<dyn RunReader>,
        watcher: Arc<Watcher>,
        stop: CancellationToken,
        permit: SubscriptionPermit,
        filter: EventFilter,
        position: EventId,
    ) -> Self {
        let latest = watcher.latest.clone();
        let ready = VecDeque::new();
        Self { history, latest, stop, filter, read: position, ready, _watcher: watcher, _permit: permit }
    }

    /// The position from which another subscription would miss no event.
    pub fn position(&self) -> EventId {
        self.ready.front().map_or(self.read, |next| EventId(next.id.0 - 1))
    }

    /// The next event in the order of the history; none when the feed stops. Cancelling the call loses no event.
    pub async fn next(&mut self) -> Option<RecordedEvent> {
        let stop = self.stop.clone();
        stop.run_until_cancelled(self.find_next()).await.flatten()
    }

    async fn find_next(&mut self) -> Option<RecordedEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let batch = self.latest.borrow_and_update().clone();
            if self.read >= batch.newest {
                // The watcher lives as long as this subscription.
                self.latest.changed().await.ok()?;
            } else if self.read >= batch.after {
                self.take(&batch.events, batch.newest);
            } else {
                self.catch_up(batch.newest).await?;
            }
        }
    }

    /// Reads one batch of events that the watcher no longer holds.
    async fn catch_up(&mut self, newest: EventId) -> Option<()> {
        match self.history.events(self.read, EventFilter::default(), BATCH_SIZE).await {
            Ok(events) => {
                let last = events.last().map_or(newest, |last| last.id);
                let is_all = events.len() < BATCH_SIZE as usize;
                // `newest` existed before this read: missing events up to it were purged.
                self.take(&events, if is_all { last.max(newest) } else { last });
                Some(())
            }
            Err(error) if error.is_retryable() => {
                tokio::time::sleep(PAUSE).await;
                Some(())
            }
            Err(error) => {
                tracing::error!(%error, "event stream closed: events cannot be read");
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
    event.event_type.is_streamed()
        && filter.run.is_none_or(|run| event.run == Some(run))
        && filter.subject.is_none_or(|subject| event.subject == Some(subject))
}
