//! What happens, as it happens: the history for those who follow it.
//!
//! [`EventFeed`] hands out a [`Subscription`] to each listener. One watcher a process looks for news, and only while
//! somebody listens; a listener that keeps up shares what the watcher read, one that is behind reads for itself.

mod feed;
mod subscription;
mod watcher;

pub use feed::{EventFeed, FeedError, StartPosition};
pub use subscription::Subscription;

/// Events read at once. No listener holds more than this, however far behind it is.
const STRIDE: u32 = 500;
