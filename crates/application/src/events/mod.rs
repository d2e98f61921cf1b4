//! Live events: clients subscribe to the event history as it grows.
//!
//! [`EventFeed`] gives each client a [`Subscription`]. One poller per process reads new events, and only while there are
//! subscriptions. A subscription that keeps up shares the poller's batch; one that is behind reads the history itself.

mod feed;
mod poller;
mod subscription;

pub use feed::{EventFeed, FeedError, StartPosition};
pub use subscription::Subscription;

/// How many events are read at once. No subscription holds more in memory, however far behind it is.
const BATCH_SIZE: u32 = 500;
