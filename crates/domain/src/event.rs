//! The history. Everything that happens to a run, a step or a document is one event, appended in the transaction
//! that makes it true. Step records, attempt records and the projection of each step's progress are all read from
//! these events, so that they cannot disagree with them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{RunId, SubjectId, WorkerId};
use crate::pipeline::{Pipeline, StepName, UnknownName};
use crate::run::{FailureRecord, Fence, Run};

/// Place of an event in the history. Ids become visible in the order of their commits: whoever has seen `n` will
/// never find a smaller one appear later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub i64);

macro_rules! event_types {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// The closed taxonomy of events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // The stored names are the documentation.
        pub enum EventType { $($variant),+ }

        impl EventType {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stored and shown form.
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
    StepStarted = "STEP_STARTED",
    StepSucceeded = "STEP_SUCCEEDED",
    StepFailed = "STEP_FAILED",
    StepRetried = "STEP_RETRIED",
    LateWriteRefused = "LATE_WRITE_REFUSED",
    LockHeld = "LOCK_HELD",
    SchedulerContention = "SCHEDULER_CONTENTION",
    SubjectPurged = "SUBJECT_PURGED",
    DocumentUploaded = "DOCUMENT_UPLOADED",
    ReprocessRequested = "REPROCESS_REQUESTED",
    DocumentLanguageOverridden = "DOCUMENT_LANGUAGE_OVERRIDDEN",
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
    /// The event type of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownName {
            what: "event type",
            name: name.to_owned(),
            known: "see the taxonomy".to_owned(),
        })
    }

    /// Whether this event ends an attempt: after `RUN_STARTED` exactly one of these follows.
    pub fn ends_attempt(self) -> bool {
        self.ends_run() || self == Self::RunRequeued
    }

    /// Whether this event puts its run in a terminal state.
    pub fn ends_run(self) -> bool {
        matches!(
            self,
            Self::RunCompleted
                | Self::RunFailed
                | Self::RunTimedOut
                | Self::RunRecoveredAsFailed
                | Self::RunWithdrawn
        )
    }

    /// Whether those who follow the history are told. Who looked at what is nobody else's business, and what the engine
    /// settles with itself changes nothing for them.
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
            | Self::StepStarted
            | Self::StepSucceeded
            | Self::StepFailed
            | Self::StepRetried
            | Self::LockHeld
            | Self::SubjectPurged
            | Self::DocumentUploaded
            | Self::ReprocessRequested
            | Self::DocumentLanguageOverridden
            | Self::MarkReviewed
            | Self::ReviewReopened
            | Self::InterpretationEdited => true,
            // Those who govern schemas have a list of their own.
            Self::GovernanceDecisionRecorded
            | Self::SchemaVersionCreated
            | Self::LateWriteRefused
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

    /// The state that a run has after this event, by its stored name.
    pub fn run_state(self) -> Option<&'static str> {
        match self {
            Self::RunCreated | Self::RunRequeued | Self::RunRetried => Some("QUEUED"),
            Self::RunStarted => Some("RUNNING"),
            Self::RunCompleted => Some("COMPLETED"),
            Self::RunFailed | Self::RunRecoveredAsFailed | Self::RunWithdrawn => Some("FAILED"),
            Self::RunTimedOut => Some("TIMED_OUT"),
            _ => None,
        }
    }

    /// The status that a step has after this event.
    pub fn step_status(self) -> Option<StepStatus> {
        match self {
            Self::StepStarted => Some(StepStatus::Running),
            Self::StepSucceeded => Some(StepStatus::Succeeded),
            Self::StepFailed => Some(StepStatus::Failed),
            _ => None,
        }
    }
}

/// Where a step of a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStatus {
    /// Not started, or waiting to be done again.
    Pending,
    /// Being worked on.
    Running,
    /// Done.
    Succeeded,
    /// Its last attempt failed.
    Failed,
}

impl StepStatus {
    /// The stored form.
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

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub event_type: EventType,
    /// When.
    pub at: Timestamp,
    /// In which pipeline.
    pub pipeline: Option<Pipeline>,
    /// To which subject.
    pub subject: Option<SubjectId>,
    /// To which run.
    pub run: Option<RunId>,
    /// Under which fencing token.
    pub fence: Option<Fence>,
    /// By which worker.
    pub worker: Option<WorkerId>,
    /// In which step.
    pub step: Option<StepName>,
    /// At which attempt of that step, from 1.
    pub attempt: Option<u32>,
    /// When the step or the attempt that this event ends had started.
    pub started_at: Option<Timestamp>,
    /// What went wrong.
    pub failure: Option<FailureRecord>,
    /// How long until the next attempt.
    pub delay_ms: Option<u64>,
    /// Which person or program asked for it, by the name of their credential.
    pub actor: Option<String>,
}

impl Event {
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

    /// An event about nothing in particular yet.
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
        };
        (details != EventDetails::default()).then_some(details)
    }

    /// The code of what went wrong, if anything did.
    pub fn error_code(&self) -> Option<&str> {
        self.failure.as_ref().map(|failure| failure.error_code.as_str())
    }
}

/// The particulars of an event, kept as JSON beside its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDetails {
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRecord>,
    /// How long until the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Which person or program asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}

/// An event with its place in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// The place.
    pub id: EventId,
    /// The event.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_translate_both_ways_and_unknown_names_are_refused() {
        for kind in EventType::ALL {
            assert_eq!(EventType::parse(kind.as_str()), Ok(*kind));
        }
        assert!(EventType::parse("RUN_CANCELLED").is_err());
        assert_eq!(StepStatus::parse("SUCCEEDED"), Ok(StepStatus::Succeeded));
        assert!(StepStatus::parse("NOT_STARTED").is_err());
    }

    #[test]
    fn who_looked_at_what_is_no_news() {
        for kind in EventType::ALL {
            let name = kind.as_str();
            let is_look =
                name.ends_with("_VIEWED") || name.contains("VIEW_FAILED") || name.contains("ACCESS");
            assert!(!(is_look && kind.is_streamed()), "{name}");
        }
        assert!(EventType::RunStarted.is_streamed() && !EventType::SchedulerContention.is_streamed());
    }
}
