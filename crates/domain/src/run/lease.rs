//! Who may write for a run.
//!
//! A worker holds a lease that it renews with its heartbeat; the runs it claimed are its own while the lease
//! lives. Each claim also hands out a *fence*, a number that changes with every transition of the run: a write
//! that does not carry the current one is refused by the database. So a worker that was taken for dead and wakes
//! up again can do no harm, however late it is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The fencing token of a run: the number of transitions it has gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fence(pub i32);

impl Fence {
    /// The fence after one more transition.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
