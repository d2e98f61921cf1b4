//! Turns: which run of a subject goes next.
//!
//! Runs of one subject go one after the other, oldest first. Searching the first run of each subject for every claim
//! would slow down as the backlog grows. Instead, every unfinished run stores its turn: one run of a subject in a
//! pipeline is at the front (ready, delayed or held), all others are behind it. A unique index in the database allows
//! no second front, so that no two of these runs are RUNNING. River and Oban would call it a concurrency limit of one,
//! partitioned by subject.

use jiff::Timestamp;

use super::state::{Run, RunState};

/// The place of an unfinished run among the runs of its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At the front, and may start.
    Ready,
    /// At the front, and waits for its next attempt. No other run of the subject starts meanwhile.
    Delayed,
    /// At the front, and RUNNING.
    Held,
    /// Waits for the front run to end.
    Behind,
}

impl Turn {
    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "READY",
            Self::Delayed => "DELAYED",
            Self::Held => "HELD",
            Self::Behind => "BEHIND",
        }
    }

    /// The turn of the run at the front of its subject. None if the run has ended.
    pub fn at_front(run: &Run, now: Timestamp) -> Option<Self> {
        match run.state {
            RunState::Queued { available_at: Some(at), .. } if at > now => Some(Self::Delayed),
            RunState::Queued { .. } => Some(Self::Ready),
            RunState::Running { .. } => Some(Self::Held),
            RunState::Completed { .. } | RunState::Failed { .. } | RunState::TimedOut { .. } => None,
        }
    }
}
