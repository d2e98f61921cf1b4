//! Who may listen, and from where on.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use quire_domain::EventId;
use quire_ports::{EventFilter, RunHistory};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::subscription::Subscription;
use super::watcher::Watcher;
use crate::Error;

/// Where a listener begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// With what happens from now on.
    Now,
    /// With what comes after the event of this id, the last one it has seen.
    After(EventId),
}

/// Why nobody can listen there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// As many listen as may.
    #[error("as many listen to events already as may at once; try again in a moment")]
    Full,
    /// The history ends before that event: it is another history, or a copy from before.
    #[error("there is no such event yet, the newest is {}: the database may have been replaced", newest.0)]
    Ahead {
        /// The newest event that there is.
        newest: EventId,
    },
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// The history as it grows, for any number of listeners up to a limit.
#[derive(Clone)]
pub struct EventFeed(Arc<Shared>);

struct Shared {
    history: Arc<dyn RunHistory>,
    places: Arc<Semaphore>,
    stop: CancellationToken,
    watcher: Mutex<Weak<Watcher>>,
}

impl EventFeed {
    /// A feed for at most `most` listeners, all of whom are let go when `stop` is cancelled.
    pub fn new(history: Arc<dyn RunHistory>, most: usize, stop: CancellationToken) -> Self {
        let places = Arc::new(Semaphore::new(most));
        Self(Arc::new(Shared { history, places, stop, watcher: Mutex::default() }))
    }

    /// Listens to what the filter lets through, from that place on.
    pub async fn subscribe(
        &self,
        from: StartPosition,
        filter: EventFilter,
    ) -> Result<Subscription, FeedError> {
        let place = self.0.places.clone().try_acquire_owned().map_err(|_| FeedError::Full)?;
        let newest = self.0.history.newest_event().await?;
        let position = match from {
            StartPosition::Now => newest,
            StartPosition::After(id) if id > newest => return Err(FeedError::Ahead { newest }),
            StartPosition::After(id) => id,
        };
        let watcher = self.watcher(newest);
        Ok(Subscription::new(
            self.0.history.clone(),
            watcher,
            self.0.stop.child_token(),
            place,
            filter,
            position,
        ))
    }

    /// Whether anybody looks for news at the moment.
    pub fn is_watching(&self) -> bool {
        self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }

    /// The watcher of those who listen already, else a new one.
    fn watcher(&self, newest: EventId) -> Arc<Watcher> {
        let mut known = self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        known.upgrade().unwrap_or_else(|| {
            let watcher = Arc::new(Watcher::start(self.0.history.clone(), newest));
            *known = Arc::downgrade(&watcher);
            watcher
        })
    }
}
