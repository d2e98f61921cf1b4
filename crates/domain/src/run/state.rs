//! Runs and their states. Each state carries only the data that it has.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::failure::{FailureRecord, FailureType};
use super::fence::Fence;
use super::priority::Priority;
use crate::ids::{RunId, SubjectId, WorkerId};
use crate::lane::LaneName;
use crate::pipeline::{Pipeline, UnknownName};
use crate::reading::Extractor;

/// A run to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// The id, chosen by the caller, so that a repeated request does not create a second run.
    pub id: RunId,
    /// The kind of work.
    pub pipeline: Pipeline,
    /// What the run works on.
    pub subject: SubjectId,
    /// The priority.
    pub priority: Priority,
    /// Links the run to the request that caused it.
    pub correlation_id: Option<String>,
    /// The name of the credential that asked for it, if it is known.
    pub requested_by: Option<String>,
    /// Who reads the document, if the request names it.
    pub extractor: Option<Extractor>,
    /// The run whose work it continues.
    pub continues: Option<Continuation>,
}

impl NewRun {
    /// The run with that id that continues the work of a run that timed out.
    pub fn continuing(run: &Run, id: RunId) -> Self {
        Self {
            id,
            pipeline: run.pipeline,
            subject: run.subject,
            priority: run.priority,
            correlation_id: run.correlation_id.clone(),
            requested_by: run.requested_by.clone(),
            extractor: run.extractor,
            continues: Some(Continuation { run: run.id, number: run.continuation_number() + 1 }),
        }
    }
}

/// The link of a run to the run whose work it continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The run that timed out.
    pub run: RunId,
    /// How many runs of the subject timed out one after the other before this one, from 1.
    pub number: u32,
}

/// One execution of a pipeline over a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The id, the same for all attempts.
    pub id: RunId,
    /// The kind of work.
    pub pipeline: Pipeline,
    /// What the run works on.
    pub subject: SubjectId,
    /// The priority.
    pub priority: Priority,
    /// Links the run to the request that caused it.
    pub correlation_id: Option<String>,
    /// The name of the credential that asked for it, if it is known.
    pub requested_by: Option<String>,
    /// Who reads the document, if the request named it.
    pub extractor: Option<Extractor>,
    /// The language override when the run was created, as ISO 639-1. A later override does not change it.
    pub language: Option<String>,
    /// The schema version of the run: the newest one when the run was created.
    pub schema: Option<SchemaRef>,
    /// The run whose work it continues.
    pub continues: Option<Continuation>,
    /// When the run was created. Decides the order within a subject.
    pub created_at: Timestamp,
    /// When the run last entered the queue. Decides the order across subjects.
    pub queued_at: Timestamp,
    /// The number of attempts that failed, at least the number of retries.
    pub failed_attempts: u32,
    /// How many of these failed because the worker was gone together with other runs. They do not count towards the
    /// maximum of attempts.
    pub shared_orphanings: u32,
    /// How often the run returned to the queue after an attempt.
    pub retry_count: u32,
    /// How much of its time limit the attempt has used that goes on after a wait: the time in which workers held the run.
    pub time_used: SignedDuration,
    /// The current fencing token.
    pub fence: Fence,
    /// The current state.
    pub state: RunState,
}

impl Run {
    /// Whether this run of a document has completed, so that the document shows its values.
    pub fn is_completed_document(&self) -> bool {
        self.pipeline == Pipeline::Document && matches!(self.state, RunState::Completed { .. })
    }

    /// The run as it was when it was created, whatever became of it since: QUEUED and never tried, with the language
    /// and the schema version that it is bound to.
    #[must_use]
    pub fn as_created(self) -> Self {
        Self {
            queued_at: self.created_at,
            failed_attempts: 0,
            shared_orphanings: 0,
            retry_count: 0,
            time_used: SignedDuration::ZERO,
            fence: Fence::default(),
            state: RunState::Queued { available_at: None, lane: None },
            ..self
        }
    }

    /// How many runs timed out one after the other before this one continued their work.
    pub fn continuation_number(&self) -> u32 {
        self.continues.map_or(0, |continuation| continuation.number)
    }

    /// Whether it went on after a wait, or will.
    pub fn goes_on(&self) -> bool {
        self.time_used > SignedDuration::ZERO
    }

    /// The failed attempts that count towards the maximum of attempts.
    pub fn counted_attempts(&self) -> u32 {
        self.failed_attempts.saturating_sub(self.shared_orphanings)
    }

    /// Whether a worker may start this run only while it works on no other. The run was orphaned together with others,
    /// and one of them may have ended the process.
    pub fn must_run_alone(&self) -> bool {
        self.shared_orphanings > 0
    }
}

/// A version of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaRef {
    /// The name of the schema.
    pub name: String,
    /// The version, from 1.
    pub version: u32,
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Waits in the queue.
    Queued {
        /// The earliest start.
        available_at: Option<Timestamp>,
        /// The lane in which it waits.
        lane: Option<LaneName>,
    },
    /// A worker executes it.
    Running {
        /// When the attempt started.
        started_at: Timestamp,
        /// When the attempt must end.
        deadline_at: Option<Timestamp>,
        /// The worker. None for a run that something without a lease marked as running.
        worker: Option<WorkerId>,
    },
    /// All steps succeeded.
    Completed {
        /// When the last attempt started.
        started_at: Timestamp,
        /// When the run ended.
        completed_at: Timestamp,
    },
    /// The run ended without success.
    Failed {
        /// When the last attempt started, if there was one.
        started_at: Option<Timestamp>,
        /// When the run ended.
        completed_at: Timestamp,
        /// Why it failed.
        reason: FailureReason,
    },
    /// The worker exceeded the time limit.
    TimedOut {
        /// When the last attempt started.
        started_at: Timestamp,
        /// When the run ended.
        completed_at: Timestamp,
        /// Why it timed out.
        reason: FailureReason,
    },
}

/// Why a run did not complete: the kind that people and programs go by, and the texts that are stored with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureReason {
    /// The failure type.
    pub failure_type: FailureType,
    /// The code and the message, as they are stored.
    pub record: FailureRecord,
}

/// The name of a state, without what belongs to the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // The names are the documentation.
pub enum RunStateName {
    Queued,
    Running,
    Completed,
    Failed,
    TimedOut,
}

impl RunStateName {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Completed, Self::Failed, Self::TimedOut];

    /// The text that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
        }
    }

    /// The name with that text.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|state| state.as_str() == name).ok_or_else(|| UnknownName {
            what: "state",
            name: name.to_owned(),
            known: Self::ALL.map(Self::as_str).join(", "),
        })
    }
}

impl RunState {
    /// Its name.
    pub fn name(&self) -> RunStateName {
        match self {
            Self::Queued { .. } => RunStateName::Queued,
            Self::Running { .. } => RunStateName::Running,
            Self::Completed { .. } => RunStateName::Completed,
            Self::Failed { .. } => RunStateName::Failed,
            Self::TimedOut { .. } => RunStateName::TimedOut,
        }
    }

    /// The text of its name.
    pub fn as_str(&self) -> &'static str {
        self.name().as_str()
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

    /// Why the run did not complete, if it failed or timed out.
    pub fn reason(&self) -> Option<&FailureReason> {
        match self {
            Self::Failed { reason, .. } | Self::TimedOut { reason, .. } => Some(reason),
            _ => None,
        }
    }
}
