//! One listener: where it is in the history, and how it gets on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::{Event, EventId, RecordedEvent};
use quire_ports::{EventFilter, RunHistory};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;

use super::STRIDE;
use super::watcher::{News, Watcher};

/// How long to wait before the next try at a store that does not answer.
const PAUSE: Duration = Duration::from_millis(500);

/// A listener's way through the history. It counts as one of those who may listen for as long as it lives.
pub struct Subscription {
    history: Arc<dyn RunHistory>,
    news: watch::Receiver<News>,
    stop: CancellationToken,
    filter: EventFilter,
    /// Everything up to here was told, or is not for this listener, or waits in `ready`.
    read: EventId,
    ready: VecDeque<RecordedEvent>,
    _watcher: Arc<Watcher>,
    _place: OwnedSemaphorePermit,
}

impl Subscription {
    pub(super) fn new(
        history: Arc<dyn RunHistory>,
        watcher: Arc<Watcher>,
        stop: CancellationToken,
        place: OwnedSemaphorePermit,
        filter: EventFilter,
        position: EventId,
    ) -> Self {
        let news = watcher.news.clone();
        let ready = VecDeque::new();
        Self { history, news, stop, filter, read: position, ready, _watcher: watcher, _place: place }
    }

    /// The place from which another subscription would miss nothing that was not told here.
    pub fn position(&self) -> EventId {
        self.ready.front().map_or(self.read, |next| EventId(next.id.0 - 1))
    }

    /// The next event, in the order of the history; nothing when listeners are let go. Whoever stops waiting for it
    /// misses nothing by asking again.
    pub async fn next(&mut self) -> Option<RecordedEvent> {
        let stop = self.stop.clone();
        stop.run_until_cancelled(self.find_next()).await.flatten()
    }

    async fn find_next(&mut self) -> Option<RecordedEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let news = self.news.borrow_and_update().clone();
            if self.read >= news.newest {
                // The watcher lives as long as this does.
                self.news.changed().await.ok()?;
            } else if self.read >= news.after {
                self.take(&news.events, news.newest);
            } else {
                self.catch_up(news.newest).await?;
            }
        }
    }

    /// Reads one stride of what the watcher no longer holds.
    async fn catch_up(&mut self, newest: EventId) -> Option<()> {
        match self.history.events(self.read, EventFilter::default(), STRIDE).await {
            Ok(events) => {
                let last = events.last().map_or(newest, |last| last.id);
                let is_all = events.len() < STRIDE as usize;
                // `newest` was there before this was read: what is missing up to it was purged.
                self.take(&events, if is_all { last.max(newest) } else { last });
                Some(())
            }
            Err(error) if error.is_passing() => {
                tokio::time::sleep(PAUSE).await;
                Some(())
            }
            Err(error) => {
                tracing::error!(%error, "somebody who listened to events was let go");
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
