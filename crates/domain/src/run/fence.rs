//! Fencing: which worker may write for a run.
//!
//! A worker holds a lease and renews it with its heartbeat. It owns the runs that it claimed while the lease is
//! valid. Each run also has a *fence*, a number that changes with every transition; the database refuses a write
//! without the current number. A worker that was declared dead and wakes up again can therefore do no harm.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The fencing token of a run: its number of transitions.
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
