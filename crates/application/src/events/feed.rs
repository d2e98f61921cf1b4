//! The feed that accepts subscriptions.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use quire_domain::EventId;
use quire_ports::{EventFilter, PortError, RunHistory};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::poller::Poller;
use super::subscription::Subscription;

/// Where a subscription begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// With the next event.
    Now,
    /// After the event with this id, the last one that the client has seen.
    After(EventId),
}

/// Why a subscription is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// The limit of subscriptions is reached.
    #[error("too many clients follow events; try again in a moment")]
    Full,
    /// The event does not exist yet: the database was replaced or restored from a backup.
    #[error("this event does not exist; the newest is {}. The database may have been replaced", newest.0)]
    Ahead {
        /// The newest event.
        newest: EventId,
    },
    /// The store did not answer.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Accepts subscriptions to the event history, up to a limit.
#[derive(Clone)]
pub struct EventFeed(Arc<Shared>);

struct Shared {
    history: Arc<dyn RunHistory>,
    permits: Arc<Semaphore>,
    stop: CancellationToken,
    poller: Mutex<Weak<Poller>>,
}

impl EventFeed {
    /// A feed for at most `limit` subscriptions. All of them end when `stop` is cancelled.
    pub fn new(history: Arc<dyn RunHistory>, limit: usize, stop: CancellationToken) -> Self {
        let permits = Arc::new(Semaphore::new(limit));
        Self(Arc::new(Shared { history, permits, stop, poller: Mutex::default() }))
    }

    /// Subscribes to the events that the filter lets through.
    pub async fn subscribe(
        &self,
        from: StartPosition,
        filter: EventFilter,
    ) -> Result<Subscription, FeedError> {
        let permit = self.0.permits.clone().try_acquire_owned().map_err(|_| FeedError::Full)?;
        let newest = self.0.history.newest_event().await?;
        let position = match from {
            StartPosition::Now => newest,
            StartPosition::After(id) if id > newest => return Err(FeedError::Ahead { newest }),
            StartPosition::After(id) => id,
        };
        let poller = self.poller(newest);
        Ok(Subscription::new(
            self.0.history.clone(),
            poller,
            self.0.stop.child_token(),
            permit,
            filter,
            position,
        ))
    }

    /// Whether the poller runs.
    pub fn is_polling(&self) -> bool {
        self.0.poller.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }

    /// The poller that runs already, or a new one.
    fn poller(&self, newest: EventId) -> Arc<Poller> {
        let mut current = self.0.poller.lock().unwrap_or_else(PoisonError::into_inner);
        current.upgrade().unwrap_or_else(|| {
            let poller = Arc::new(Poller::start(self.0.history.clone(), newest));
            *current = Arc::downgrade(&poller);
            poller
        })
    }
}
