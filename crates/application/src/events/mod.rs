//! What happens, as it happens: the history for those who follow it.
//!
//! [`EventFeed`] hands out a [`Subscription`] to each listener. One watcher a process looks for news, and only while
//! somebody listens; a listener that keeps up shares what the watcher read, one that is behind reads for itself.

mod feed;
mod subscription;
mod watcher;

use quire_domain::EventId;
pub use quire_ports::EventFilter;

pub use feed::{EventFeed, FeedError, StartPosition};
pub use subscription::Subscription;

use crate::{App, Result};

/// Events read at once. No listener holds more than this, however far behind it is.
const STRIDE: u32 = 500;

/// The id of the newest event; 0 while there is none.
pub async fn newest(app: &App) -> Result<EventId> {
    Ok(app.store.history.newest_event().await?)
}

/// Subscribes to the events that the filter lets through, from that position on.
pub async fn subscribe(
    app: &App,
    from: StartPosition,
    filter: EventFilter,
) -> Result<Subscription, FeedError> {
    app.events.subscribe(from, filter).await
}
