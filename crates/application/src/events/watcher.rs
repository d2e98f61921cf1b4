//! Polls for new events on behalf of all subscriptions of the process.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::{EventId, RecordedEvent};
use quire_ports::{EventFilter, PortResult, RunHistory};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::STRIDE;

/// The time between two polls, and so the longest delay of an event. A poll without news reads the end of an index.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The last batch: every event after `after` up to `newest`.
#[derive(Clone)]
pub(super) struct News {
    pub(super) after: EventId,
    pub(super) newest: EventId,
    pub(super) events: Arc<[RecordedEvent]>,
}

/// A watcher that polls until it is dropped.
pub(super) struct Watcher {
    pub(super) news: watch::Receiver<News>,
    _until_dropped: DropGuard,
}

impl Watcher {
    /// Starts polling for events after `newest`.
    pub(super) fn start(history: Arc<dyn RunHistory>, newest: EventId) -> Self {
        let (tell, news) = watch::channel(News { after: newest, newest, events: Arc::new([]) });
        let unwanted = CancellationToken::new();
        let guard = unwanted.clone().drop_guard();
        tokio::spawn(async move {
            // Stops between two polls, so that no connection is left with half a response.
            while unwanted.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
                look(&*history, &tell).await;
            }
        });
        Self { news, _until_dropped: guard }
    }
}

/// Publishes all new events, one batch at a time.
async fn look(history: &dyn RunHistory, tell: &watch::Sender<News>) {
    loop {
        let after = tell.borrow().newest;
        match next(history, after).await {
            Ok(Some(news)) => {
                let is_all = news.events.len() < STRIDE as usize;
                tell.send_replace(news);
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

async fn next(history: &dyn RunHistory, after: EventId) -> PortResult<Option<News>> {
    let events = history.events(after, EventFilter::default(), STRIDE).await?;
    let newest = events.last().map(|last| last.id);
    Ok(newest.map(|newest| News { after, newest, events: events.into() }))
}
