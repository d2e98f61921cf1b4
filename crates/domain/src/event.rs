//! Events: the history of runs, steps and documents. An event is appended in the same transaction as the change that
//! it records. Step records and attempt records are read from events, so that they cannot disagree. The progress of steps is
//! a table of its own, written with the events of the steps. It differs from them in one case, on purpose: when a run is put
//! back into the queue, its unfinished steps are reset, which no event of a step records.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{RunId, SubjectId, WorkerId};
use crate::lane::LaneName;
use crate::pipeline::{Pipeline, StepName, UnknownName};
use crate::run::{FailureRecord, Fence, Run, RunStateName};

/// The position of an event in the history. Ids become visible in commit order: a reader who has seen `n` never finds
/// a smaller id later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub i64);

macro_rules! event_types {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// The closed set of event types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // The stored names are the documentation.
        pub enum EventType { $($variant),+ }

        impl EventType {
            /// All event types.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that is stored and that the API shows.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

event_types! {
    RunCreated = "RUN_CREATED",
    RunStarted = "RUN_STARTED",
    RunCompleted = "RUN_COMPLETED",
    RunFailed = "RUN_FAILED",
    RunTimedOut = "RUN_TIMED_OUT",
    RunRecoveredAsFailed = "RUN_RECOVERED_AS_FAILED",
    RunRequeued = "RUN_REQUEUED",
    RunRetried = "RUN_RETRIED",
    RunWithdrawn = "RUN_WITHDRAWN",
    RunCancelled = "RUN_CANCELLED",
    StepStarted = "STEP_STARTED",
    StepSucceeded = "STEP_SUCCEEDED",
    StepFailed = "STEP_FAILED",
    StepRetried = "STEP_RETRIED",
    StepPostponed = "STEP_POSTPONED",
    LateWriteRefused = "LATE_WRITE_REFUSED",
    LaneClosed = "LANE_CLOSED",
    LanePaused = "LANE_PAUSED",
    LaneResumed = "LANE_RESUMED",
    LockHeld = "LOCK_HELD",
    SchedulerContention = "SCHEDULER_CONTENTION",
    SubjectPurged = "SUBJECT_PURGED",
    DocumentUploaded = "DOCUMENT_UPLOADED",
    ReprocessRequested = "REPROCESS_REQUESTED",
    DocumentLanguageOverridden = "DOCUMENT_LANGUAGE_OVERRIDDEN",
    DocumentHidden = "DOCUMENT_HIDDEN",
    DocumentUnhidden = "DOCUMENT_UNHIDDEN",
    MarkReviewed = "MARK_REVIEWED",
    ReviewReopened = "REVIEW_REOPENED",
    InterpretationEdited = "INTERPRETATION_EDITED",
    GovernanceDecisionRecorded = "GOVERNANCE_DECISION_RECORDED",
    SchemaVersionCreated = "SCHEMA_VERSION_CREATED",
    DocumentListViewed = "DOCUMENT_LIST_VIEWED",
    DocumentListViewFailed = "DOCUMENT_LIST_VIEW_FAILED",
    DocumentMetadataViewed = "DOCUMENT_METADATA_VIEWED",
    DocumentProcessingHistoryViewed = "DOCUMENT_PROCESSING_HISTORY_VIEWED",
    DocumentOriginalAccessed = "DOCUMENT_ORIGINAL_ACCESSED",
    DocumentOriginalAccessFailed = "DOCUMENT_ORIGINAL_ACCESS_FAILED",
    DocumentReviewViewed = "DOCUMENT_REVIEW_VIEWED",
    RawTextAccessed = "RAW_TEXT_ACCESSED",
    RawTextAccessFailed = "RAW_TEXT_ACCESS_FAILED",
}

impl EventType {
    /// The names of all event types. A store reads events of these types alone: a newer program beside this one may append others.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|kind| kind.as_str()).collect()
    }

    /// The event type of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownName {
            what: "event type",
            name: name.to_owned(),
            known: "the event types of this program".to_owned(),
        })
    }

    /// Whether a run has no worker after this event. A run that is sent to wait has none either, although its attempt goes on
    /// ([`Event::ends_attempt`]).
    pub fn ends_claim(self) -> bool {
        self.ends_run() || self == Self::RunRequeued
    }

    /// Whether this event puts its run into a terminal state.
    pub fn ends_run(self) -> bool {
        matches!(
            self,
            Self::RunCompleted
                | Self::RunFailed
                | Self::RunTimedOut
                | Self::RunRecoveredAsFailed
                | Self::RunWithdrawn
                | Self::RunCancelled
        )
    }

    /// Whether event streams show this event. Streams do not show who viewed what, nor what concerns the engine
    /// alone.
    pub fn is_streamed(self) -> bool {
        match self {
            Self::RunCreated
            | Self::RunStarted
            | Self::RunCompleted
            | Self::RunFailed
            | Self::RunTimedOut
            | Self::RunRecoveredAsFailed
            | Self::RunRequeued
            | Self::RunRetried
            | Self::RunWithdrawn
            | Self::RunCancelled
            | Self::StepStarted
            | Self::StepSucceeded
            | Self::StepFailed
            | Self::StepRetried
            | Self::StepPostponed
            | Self::LockHeld
            | Self::SubjectPurged
            | Self::DocumentUploaded
            | Self::ReprocessRequested
            | Self::DocumentLanguageOverridden
            | Self::DocumentHidden
            | Self::DocumentUnhidden
            | Self::MarkReviewed
            | Self::ReviewReopened
            | Self::InterpretationEdited => true,
            // Governance has its own list.
            Self::GovernanceDecisionRecorded
            | Self::SchemaVersionCreated
            | Self::LateWriteRefused
            | Self::LaneClosed
            | Self::LanePaused
            | Self::LaneResumed
            | Self::SchedulerContention
            | Self::DocumentListViewed
            | Self::DocumentListViewFailed
            | Self::DocumentMetadataViewed
            | Self::DocumentProcessingHistoryViewed
            | Self::DocumentOriginalAccessed
            | Self::DocumentOriginalAccessFailed
            | Self::DocumentReviewViewed
            | Self::RawTextAccessed
            | Self::RawTextAccessFailed => false,
        }
    }

    /// The run's state after this event.
    pub fn run_state(self) -> Option<RunStateName> {
        match self {
            Self::RunCreated | Self::RunRequeued | Self::RunRetried => Some(RunStateName::Queued),
            Self::RunStarted => Some(RunStateName::Running),
            Self::RunCompleted => Some(RunStateName::Completed),
            Self::RunFailed | Self::RunRecoveredAsFailed | Self::RunWithdrawn | Self::RunCancelled => {
                Some(RunStateName::Failed)
            }
            Self::RunTimedOut => Some(RunStateName::TimedOut),
            _ => None,
        }
    }

    /// The status of the step after this event.
    pub fn step_status(self) -> Option<StepStatus> {
        match self {
            Self::StepStarted => Some(StepStatus::Running),
            Self::StepSucceeded => Some(StepStatus::Succeeded),
            Self::StepFailed => Some(StepStatus::Failed),
            Self::StepPostponed => Some(StepStatus::Pending),
            _ => None,
        }
    }
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStatus {
    /// Not started, or to be repeated.
    Pending,
    /// Running.
    Running,
    /// Succeeded.
    Succeeded,
    /// The last attempt failed.
    Failed,
}

impl StepStatus {
    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
        }
    }

    /// The status of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        [Self::Pending, Self::Running, Self::Succeeded, Self::Failed]
            .into_iter()
            .find(|status| status.as_str() == name)
            .ok_or_else(|| UnknownName {
                what: "step status",
                name: name.to_owned(),
                known: "PENDING, RUNNING, SUCCEEDED, FAILED".to_owned(),
            })
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event type.
    pub event_type: EventType,
    /// When it happened.
    pub at: Timestamp,
    /// The pipeline.
    pub pipeline: Option<Pipeline>,
    /// The subject.
    pub subject: Option<SubjectId>,
    /// The run.
    pub run: Option<RunId>,
    /// The fencing token of the run.
    pub fence: Option<Fence>,
    /// The worker.
    pub worker: Option<WorkerId>,
    /// The step.
    pub step: Option<StepName>,
    /// The attempt of the step, from 1.
    pub attempt: Option<u32>,
    /// When the step or attempt started that this event ends.
    pub started_at: Option<Timestamp>,
    /// What went wrong.
    pub failure: Option<FailureRecord>,
    /// The delay until the next attempt.
    pub delay_ms: Option<u64>,
    /// The name of the credential of the person or program that caused it.
    pub actor: Option<String>,
    /// Why it happened, where an event of this type can have several causes.
    pub reason: Option<String>,
    /// The lane that it is about, or in which the run waits.
    pub lane: Option<LaneName>,
}

impl Event {
    /// The reason of a `RUN_REQUEUED` when the run only waits: for its next step attempt, a lane or a time.
    pub const WAITING: &str = "WAITING";

    /// Whether it sends a run to wait. Nothing counts, and the attempt goes on when the wait is over.
    pub fn is_wait(&self) -> bool {
        self.event_type == EventType::RunRequeued && self.reason.as_deref() == Some(Self::WAITING)
    }

    /// Whether it ends an attempt at its run. A withdrawal ends a run between two attempts. The view `run_attempts` of the
    /// stores says the same.
    pub fn ends_attempt(&self) -> bool {
        self.event_type.ends_claim() && self.event_type != EventType::RunWithdrawn && !self.is_wait()
    }

    /// An event about a run, with everything else unset.
    pub fn of_run(event_type: EventType, run: &Run, at: Timestamp) -> Self {
        Self {
            pipeline: Some(run.pipeline),
            subject: Some(run.subject),
            run: Some(run.id),
            fence: Some(run.fence),
            ..Self::new(event_type, at)
        }
    }

    /// An event with nothing but its type and time.
    pub fn new(event_type: EventType, at: Timestamp) -> Self {
        Self {
            event_type,
            at,
            pipeline: None,
            subject: None,
            run: None,
            fence: None,
            worker: None,
            step: None,
            attempt: None,
            started_at: None,
            failure: None,
            delay_ms: None,
            actor: None,
            reason: None,
            lane: None,
        }
    }

    /// The event of a subject that was removed with everything about it.
    pub fn subject_purged(subject: SubjectId, at: Timestamp) -> Self {
        Self { subject: Some(subject), ..Self::new(EventType::SubjectPurged, at) }
    }

    /// Its particulars, if it has any.
    pub fn details(&self) -> Option<EventDetails> {
        let details = EventDetails {
            failure: self.failure.clone(),
            delay_ms: self.delay_ms,
            actor: self.actor.clone(),
            reason: self.reason.clone(),
            lane: self.lane.clone(),
        };
        (details != EventDetails::default()).then_some(details)
    }

    /// The error code, if something went wrong.
    pub fn error_code(&self) -> Option<&str> {
        self.failure.as_ref().map(|failure| failure.error_code.as_str())
    }
}

/// The details of an event, stored as JSON beside its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDetails {
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRecord>,
    /// The delay until the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// The name of the credential of the person or program that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Why it happened, where an event of this type can have several causes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The lane that it is about, or in which the run waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<LaneName>,
}

/// A stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// The position in the history.
    pub id: EventId,
    /// The event itself.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_types_parse_from_their_names_and_unknown_names_are_refused() {
        for kind in EventType::ALL {
            assert_eq!(EventType::parse(kind.as_str()), Ok(*kind));
        }
        assert!(EventType::parse("RUN_ABANDONED").is_err());
        assert_eq!(StepStatus::parse("SUCCEEDED"), Ok(StepStatus::Succeeded));
        assert!(StepStatus::parse("NOT_STARTED").is_err());
    }

    #[test]
    fn views_and_accesses_are_not_streamed() {
        for kind in EventType::ALL {
            let name = kind.as_str();
            let is_look =
                name.ends_with("_VIEWED") || name.contains("VIEW_FAILED") || name.contains("ACCESS");
            assert!(!(is_look && kind.is_streamed()), "{name}");
        }
        assert!(EventType::RunStarted.is_streamed() && !EventType::SchedulerContention.is_streamed());
    }
}
