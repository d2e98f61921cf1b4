//! The event feed: events as they are recorded.
//!
//! [`EventFeed`] opens a [`Subscription`] for each client. One watcher per process polls for new events while there is
//! a subscription. A subscription that keeps up shares the watcher's batches; a slower one reads the database itself.

mod feed;
mod limiter;
mod subscription;
mod watcher;

use quire_domain::EventId;
pub use quire_ports::EventFilter;

pub use feed::{EventFeed, FeedError, StartPosition};
pub use limiter::FeedLimits;
pub use subscription::Subscription;

use crate::{App, Result};

/// Events read at once. A subscription never holds more, even if it is far behind.
const BATCH_SIZE: u32 = 500;

/// The id of the newest event; 0 without events.
pub async fn newest(app: &App) -> Result<EventId> {
    Ok(app.store.run_reader.newest_event().await?)
}

/// Subscribes to the events that the filter lets through, from that position on. `key` is the name of the client's key.
pub async fn subscribe(
    app: &App,
    from: StartPosition,
    filter: EventFilter,
    key: Option<&str>,
) -> Result<Subscription, FeedError> {
    app.events.subscribe(from, filter, key).await
}
