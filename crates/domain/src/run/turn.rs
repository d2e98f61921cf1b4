//! Whose turn it is.
//!
//! Runs of one subject go one after the other, oldest first. Instead of finding each subject's head whenever
//! somebody asks for work, which grows with the backlog, every unfinished run carries its place: exactly one run
//! of a subject is at the front (ready, delayed or held), all others are behind it. A unique index in the database
//! holds that, and with it that no two runs of a subject are ever RUNNING.

use jiff::Timestamp;

use super::state::{Run, RunState};

/// The place of an unfinished run among those of its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At the front, and may be started.
    Ready,
    /// At the front, and waits for its next attempt. Nothing else of its subject starts meanwhile.
    Delayed,
    /// At the front, RUNNING.
    Held,
    /// Waits for the front to end.
    Behind,
}

impl Turn {
    /// The stored form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "READY",
            Self::Delayed => "DELAYED",
            Self::Held => "HELD",
            Self::Behind => "BEHIND",
        }
    }

    /// The turn of a run that is at the front of its subject; none once it has ended.
    pub fn at_front(run: &Run, now: Timestamp) -> Option<Self> {
        match run.state {
            RunState::Queued { available_at: Some(at) } if at > now => Some(Self::Delayed),
            RunState::Queued { .. } => Some(Self::Ready),
            RunState::Running { .. } => Some(Self::Held),
            RunState::Completed { .. } | RunState::Failed { .. } | RunState::TimedOut { .. } => None,
        }
    }
}
