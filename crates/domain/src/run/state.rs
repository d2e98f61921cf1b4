//! A run and its states. What only one state has, only that state carries.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::failure::{FailureRecord, FailureType};
use super::lease::Fence;
use super::priority::Priority;
use crate::ids::{RunId, SubjectId, WorkerId};
use crate::pipeline::Pipeline;

/// A run that somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// Chosen by whoever asks, so that asking twice cannot make two.
    pub id: RunId,
    /// What kind of work.
    pub pipeline: Pipeline,
    /// On what.
    pub subject: SubjectId,
    /// How urgently.
    pub priority: Priority,
    /// What ties it to the request that caused it.
    pub correlation_id: Option<String>,
}

/// One execution of a pipeline over a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its identity, the same through every attempt.
    pub id: RunId,
    /// What kind of work.
    pub pipeline: Pipeline,
    /// On what.
    pub subject: SubjectId,
    /// How urgently.
    pub priority: Priority,
    /// What ties it to the request that caused it.
    pub correlation_id: Option<String>,
    /// The language a person asked for when the run was created, as ISO 639-1. It stays, whatever is asked for later.
    pub language: Option<String>,
    /// The version of the schema by which it understands its document: the newest when the run was created.
    pub schema: Option<SchemaRef>,
    /// When it was accepted. Decides the order within a subject.
    pub created_at: Timestamp,
    /// When it last entered the queue. Decides the order across subjects.
    pub queued_at: Timestamp,
    /// Claims that ended badly.
    pub attempts: u32,
    /// Times it went back to the queue after an attempt.
    pub retry_count: u32,
    /// The current fencing token.
    pub fence: Fence,
    /// Where it stands.
    pub state: RunState,
}

impl Run {
    /// The run as it was when it was created, whatever became of it since: QUEUED and never tried, with the language
    /// and the schema version that it is bound to.
    #[must_use]
    pub fn as_created(self) -> Self {
        Self {
            queued_at: self.created_at,
            attempts: 0,
            retry_count: 0,
            fence: Fence::default(),
            state: RunState::Queued { available_at: None },
            ..self
        }
    }
}

/// Which version of which schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaRef {
    /// The schema.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Waiting for its turn.
    Queued {
        /// Not to be started before then.
        available_at: Option<Timestamp>,
    },
    /// Being worked on.
    Running {
        /// Since when.
        started_at: Timestamp,
        /// Until when at most.
        deadline_at: Option<Timestamp>,
        /// By whom; unknown for a run that was marked by something that leaves no lease.
        worker: Option<WorkerId>,
    },
    /// Every step succeeded.
    Completed {
        /// When the last attempt started.
        started_at: Timestamp,
        /// When it ended.
        completed_at: Timestamp,
    },
    /// It ended without success.
    Failed {
        /// When the last attempt started, if any did.
        started_at: Option<Timestamp>,
        /// When it ended.
        completed_at: Timestamp,
        /// Why.
        reason: FailureReason,
    },
    /// Its owner kept it longer than allowed.
    TimedOut {
        /// When the last attempt started.
        started_at: Timestamp,
        /// When it was ended.
        completed_at: Timestamp,
        /// What it was doing.
        reason: FailureReason,
    },
}

/// Why a run did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureReason {
    /// The kind, from a closed set.
    pub failure_type: FailureType,
    /// The particulars.
    pub record: FailureRecord,
}

impl RunState {
    /// The stored form.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Queued { .. } => "QUEUED",
            Self::Running { .. } => "RUNNING",
            Self::Completed { .. } => "COMPLETED",
            Self::Failed { .. } => "FAILED",
            Self::TimedOut { .. } => "TIMED_OUT",
        }
    }

    /// Whether the run has ended.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed { .. } | Self::Failed { .. } | Self::TimedOut { .. })
    }

    /// When the current or last attempt started.
    pub fn started_at(&self) -> Option<Timestamp> {
        match self {
            Self::Queued { .. } => None,
            Self::Running { started_at, .. }
            | Self::Completed { started_at, .. }
            | Self::TimedOut { started_at, .. } => Some(*started_at),
            Self::Failed { started_at, .. } => *started_at,
        }
    }

    /// When the run ended.
    pub fn completed_at(&self) -> Option<Timestamp> {
        match self {
            Self::Queued { .. } | Self::Running { .. } => None,
            Self::Completed { completed_at, .. }
            | Self::Failed { completed_at, .. }
            | Self::TimedOut { completed_at, .. } => Some(*completed_at),
        }
    }

    /// Why it did not complete, if it ended so.
    pub fn reason(&self) -> Option<&FailureReason> {
        match self {
            Self::Failed { reason, .. } | Self::TimedOut { reason, .. } => Some(reason),
            _ => None,
        }
    }
}
