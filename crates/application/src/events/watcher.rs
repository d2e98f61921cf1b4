//! Looks for news on behalf of everybody who listens in this process.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::{EventId, RecordedEvent};
use quire_ports::{EventFilter, PortResult, RunHistory};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::STRIDE;

/// Time between two looks. What was written by any process is known after this at the latest, and a look that finds
/// nothing is one glance at the end of an index.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the watcher read last: every event after `after` up to and with `newest`.
#[derive(Clone)]
pub(super) struct News {
    pub(super) after: EventId,
    pub(super) newest: EventId,
    pub(super) events: Arc<[RecordedEvent]>,
}

/// A watcher that looks for as long as this lives.
pub(super) struct Watcher {
    pub(super) news: watch::Receiver<News>,
    _until_dropped: DropGuard,
}

impl Watcher {
    /// Starts to look for what comes after `newest`.
    pub(super) fn start(history: Arc<dyn RunHistory>, newest: EventId) -> Self {
        let (tell, news) = watch::channel(News { after: newest, newest, events: Arc::new([]) });
        let unwanted = CancellationToken::new();
        let guard = unwanted.clone().drop_guard();
        tokio::spawn(async move {
            // Ends between two looks and never within one, so that no connection is left with half an answer.
            while unwanted.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
                look(&*history, &tell).await;
            }
        });
        Self { news, _until_dropped: guard }
    }
}

/// Tells everything new, a stride at a time.
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
                // The listeners stay; the next look may fare better.
                tracing::debug!(%error, "looking for news was in vain");
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
