//! Documents. A document exists before its first run. Its processing status is never stored: it follows from its
//! runs.

use jiff::Timestamp;

use crate::event::{Event, EventType};
use crate::ids::DocumentId;
use crate::pipeline::Pipeline;
use crate::run::{FailureType, NewRun, RunState, RunStateName};

/// An uploaded document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The id. It is also the subject of the document's runs.
    pub id: DocumentId,
    /// The base name of the uploaded file.
    pub original_filename: String,
    /// The media type, detected from the content.
    pub content_type: String,
    /// The size in bytes.
    pub file_size: u64,
    /// The SHA-256 of the content.
    pub content_hash: [u8; 32],
    /// The path of the original, relative to the storage root.
    pub storage_path: String,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Whether a person has reviewed it.
    pub review_status: ReviewStatus,
    /// The language that a person chose, as ISO 639-1.
    pub language_override: Option<String>,
    /// The name of the schema, chosen at upload.
    pub schema: String,
}

impl Document {
    /// An event about a document and no run.
    pub fn event(event_type: EventType, id: DocumentId, at: Timestamp) -> Event {
        Event { pipeline: Some(Pipeline::Document), subject: Some(id.into()), ..Event::new(event_type, at) }
    }

    /// The event that a person requested this run of a document.
    pub fn reprocess_requested(run: &NewRun, actor: &str, at: Timestamp) -> Event {
        let document = DocumentId(run.subject.0);
        let requested = Self::event_by(EventType::ReprocessRequested, document, actor, at);
        Event { run: Some(run.id), ..requested }
    }

    /// The event that tells that somebody uploaded the document.
    pub fn uploaded(&self, actor: &str, at: Timestamp) -> Event {
        Self::event_by(EventType::DocumentUploaded, self.id, actor, at)
    }

    /// The event that tells that somebody chose the document's language, or cleared it.
    pub fn language_overridden(id: DocumentId, actor: &str, at: Timestamp) -> Event {
        Self::event_by(EventType::DocumentLanguageOverridden, id, actor, at)
    }

    /// An event that somebody asked for.
    pub fn event_by(event_type: EventType, id: DocumentId, actor: &str, at: Timestamp) -> Event {
        Event { actor: Some(actor.to_owned()), ..Self::event(event_type, id, at) }
    }
}

/// Whether a person has reviewed a document. Independent of processing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ReviewStatus {
    /// Not reviewed yet.
    #[default]
    InReview,
    /// Reviewed.
    Reviewed,
}

impl ReviewStatus {
    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InReview => "IN_REVIEW",
            Self::Reviewed => "REVIEWED",
        }
    }

    /// Both statuses.
    pub const ALL: [Self; 2] = [Self::InReview, Self::Reviewed];

    /// The status of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// The processing status of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DocumentStatus {
    /// The document has no run.
    Uploaded,
    /// The latest run is queued or running.
    Processing,
    /// The latest run completed.
    Completed,
    /// The latest run failed.
    Failed,
    /// The latest run timed out.
    TimedOut,
}

impl DocumentStatus {
    /// All statuses.
    pub const ALL: [Self; 5] =
        [Self::Uploaded, Self::Processing, Self::Completed, Self::Failed, Self::TimedOut];

    /// The name that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uploaded => "UPLOADED",
            Self::Processing => "PROCESSING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
        }
    }

    /// The label that people see.
    pub fn label(self) -> &'static str {
        match self {
            Self::Uploaded => "Uploaded",
            Self::Processing => "Processing",
            Self::Completed => "Ready for review",
            Self::Failed => "Failed",
            Self::TimedOut => "Processing timed out",
        }
    }

    /// The states of the latest run that give this status. Empty for documents without a run.
    pub fn states(self) -> &'static [RunStateName] {
        use RunStateName as S;
        match self {
            Self::Uploaded => &[],
            Self::Processing => &[S::Queued, S::Running],
            Self::Completed => &[S::Completed],
            Self::Failed => &[S::Failed],
            Self::TimedOut => &[S::TimedOut],
        }
    }

    /// The status of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// The status of a document with its details. It is computed on every request and never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusDetails {
    /// The status itself.
    pub status: DocumentStatus,
    /// Why the latest run failed or timed out. A reason that does not concern the document is an unknown error.
    pub failure_type: Option<FailureType>,
    /// One sentence for people.
    pub message: &'static str,
}

/// The status of a document whose latest run (by creation) is in this state.
pub fn status_of(latest: Option<&RunState>) -> StatusDetails {
    let (status, message) = match latest {
        None => (DocumentStatus::Uploaded, "Processing has not started."),
        Some(RunState::Queued { .. } | RunState::Running { .. }) => {
            (DocumentStatus::Processing, "Processing is in progress.")
        }
        Some(RunState::Completed { .. }) => (DocumentStatus::Completed, "Processing is complete."),
        Some(RunState::Failed { reason, .. }) => {
            (DocumentStatus::Failed, failure_message(reason.failure_type))
        }
        Some(RunState::TimedOut { .. }) => (
            DocumentStatus::TimedOut,
            "Processing took too long and was stopped; process the document again.",
        ),
    };
    let failure_type =
        latest.and_then(RunState::reason).map(|reason| shown_failure_type(reason.failure_type));
    StatusDetails { status, failure_type, message }
}

/// The failure types that concern a document. All others are shown as unknown.
fn shown_failure_type(failure_type: FailureType) -> FailureType {
    match failure_type {
        FailureType::ExtractionFailed
        | FailureType::ExtractionLowQuality
        | FailureType::InterpretationFailed
        | FailureType::EmbeddingFailed
        | FailureType::ProcessTerminated
        | FailureType::RunTimedOut
        | FailureType::Withdrawn
        | FailureType::Cancelled => failure_type,
        _ => FailureType::UnknownError,
    }
}

fn failure_message(failure_type: FailureType) -> &'static str {
    match failure_type {
        FailureType::ExtractionFailed => "The text of the document could not be read.",
        FailureType::ExtractionLowQuality => "The text of the document cannot be what its pages show.",
        FailureType::InterpretationFailed => "The document was read but could not be understood.",
        FailureType::EmbeddingFailed => "The document could not be prepared for search.",
        FailureType::ProcessTerminated => {
            "The program stopped while it processed the document; process it again."
        }
        FailureType::RunTimedOut => "Processing took too long and was stopped; process the document again.",
        FailureType::Withdrawn => "Processing was withdrawn while it waited in the queue.",
        FailureType::Cancelled => "Processing was cancelled.",
        _ => "Processing failed for a reason that is not known.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{FailureReason, FailureRecord};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn reason(failure_type: FailureType) -> FailureReason {
        let record = FailureRecord {
            error_type: "permanent".to_owned(),
            error_code: "X".to_owned(),
            message: String::new(),
            stage: None,
            correlation_id: None,
        };
        FailureReason { failure_type, record }
    }

    fn failed(failure_type: FailureType) -> RunState {
        RunState::Failed { started_at: None, completed_at: NOW, reason: reason(failure_type) }
    }

    /// Proves R027.
    #[test]
    fn the_status_follows_from_the_latest_run() {
        let timed_out = RunState::TimedOut {
            started_at: NOW,
            completed_at: NOW,
            reason: reason(FailureType::RunTimedOut),
        };
        let running = RunState::Running { started_at: NOW, deadline_at: None, worker: None };
        let cases = [
            (None, "UPLOADED", "Uploaded", None),
            (Some(RunState::Queued { available_at: None, lane: None }), "PROCESSING", "Processing", None),
            (Some(running), "PROCESSING", "Processing", None),
            (
                Some(RunState::Completed { started_at: NOW, completed_at: NOW }),
                "COMPLETED",
                "Ready for review",
                None,
            ),
            (
                Some(failed(FailureType::ExtractionFailed)),
                "FAILED",
                "Failed",
                Some(FailureType::ExtractionFailed),
            ),
            (Some(timed_out), "TIMED_OUT", "Processing timed out", Some(FailureType::RunTimedOut)),
        ];
        for (latest, status, label, failure_type) in cases {
            let details = status_of(latest.as_ref());
            let state = latest.as_ref().map(RunState::name);
            assert_eq!(state.is_some_and(|state| details.status.states().contains(&state)), state.is_some());
            assert_eq!((details.status.as_str(), details.status.label()), (status, label));
            assert_eq!(details.failure_type, failure_type, "{status}");
            assert!(details.message.ends_with('.'), "{status}");
        }
    }

    /// Proves R030.
    #[test]
    fn a_failure_type_that_does_not_concern_the_document_is_shown_as_unknown() {
        let known = [
            FailureType::ExtractionFailed,
            FailureType::ExtractionLowQuality,
            FailureType::InterpretationFailed,
            FailureType::EmbeddingFailed,
            FailureType::ProcessTerminated,
            FailureType::RunTimedOut,
            FailureType::Withdrawn,
            FailureType::Cancelled,
        ];
        for failure_type in FailureType::ALL {
            let shown = status_of(Some(&failed(*failure_type))).failure_type.unwrap();
            let expected =
                if known.contains(failure_type) { *failure_type } else { FailureType::UnknownError };
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn every_status_parses_from_its_name() {
        for status in DocumentStatus::ALL {
            assert_eq!(DocumentStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(DocumentStatus::parse("completed"), None);
        for status in [ReviewStatus::InReview, ReviewStatus::Reviewed] {
            assert_eq!(ReviewStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(ReviewStatus::parse("PROCESSING"), None);
    }
}
