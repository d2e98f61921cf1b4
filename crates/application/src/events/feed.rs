//! Opens subscriptions, up to a limit.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use quire_domain::EventId;
use quire_ports::{EventFilter, RunReader};
use tokio_util::sync::CancellationToken;

use super::limiter::{FeedLimits, SubscriptionLimiter};
use super::subscription::Subscription;
use super::watcher::Watcher;
use crate::Error;

/// Where a subscription starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// With the next event.
    Now,
    /// After the event of this id.
    After(EventId),
}

/// Why a subscription was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// The limit is reached.
    #[error("too many event streams are open; retry in a moment")]
    Full,
    /// The limit of this key is reached.
    #[error("this key has {limit} event streams open, which is the limit; close one or use another key")]
    FullForKey {
        /// The limit.
        limit: usize,
    },
    /// The event is newer than the history: the database was replaced or restored.
    #[error("there is no such event: the newest is {}; the database may have been replaced", newest.0)]
    Ahead {
        /// The newest event.
        newest: EventId,
    },
    /// The database did not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// The growing history, for a limited number of subscriptions.
#[derive(Clone)]
pub struct EventFeed(Arc<Shared>);

struct Shared {
    history: Arc<dyn RunReader>,
    limiter: Arc<SubscriptionLimiter>,
    stop: CancellationToken,
    watcher: Mutex<Weak<Watcher>>,
}

impl EventFeed {
    /// A feed for a limited number of subscriptions. All end when `stop` is cancelled.
    pub fn new(history: Arc<dyn RunReader>, limits: FeedLimits, stop: CancellationToken) -> Self {
        let limiter = SubscriptionLimiter::new(limits);
        Self(Arc::new(Shared { history, limiter, stop, watcher: Mutex::default() }))
    }

    /// Subscribes to the events that match the filter. `key` is the name of the client's key.
    pub async fn subscribe(
        &self,
        from: StartPosition,
        filter: EventFilter,
        key: Option<&str>,
    ) -> Result<Subscription, FeedError> {
        let permit = self.0.limiter.acquire(key)?;
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
            permit,
            filter,
            position,
        ))
    }

    /// Whether a watcher is running.
    pub fn is_watching(&self) -> bool {
        self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }

    /// The running watcher, or a new one.
    fn watcher(&self, newest: EventId) -> Arc<Watcher> {
        let mut known = self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        known.upgrade().unwrap_or_else(|| {
            let watcher = Arc::new(Watcher::start(self.0.history.clone(), newest));
            *known = Arc::downgrade(&watcher);
            watcher
        })
    }
}
