//! Failures of steps and runs, and whether a retry can help.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::lane::LaneName;
use crate::pipeline::StepName;

/// The longest stored message, in characters. Longer ones are cut.
const MAX_MESSAGE_CHARS: usize = 500;

/// Whether a retry can help, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A retry may succeed.
    Transient,
    /// Every retry will fail.
    Permanent,
    /// A provider refuses requests until a certain time.
    RateLimited {
        /// The earliest time for a retry.
        until: Timestamp,
    },
    /// Another worker is at the same request. The step looks again later.
    Postponed {
        /// The earliest time for a retry.
        until: Timestamp,
    },
    /// The step waits: its lane is full, closed or paused, or a service is not done yet. This is no failure of the run.
    Waiting {
        /// When the run looks again, if nothing wakes it before.
        until: Timestamp,
    },
    /// The attempt took too long.
    TimedOut,
}

impl FailureKind {
    /// The class of the error in records: whether a retry can help.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Permanent => "permanent",
            Self::RateLimited { .. } => "rate_limited",
            Self::Postponed { .. } => "postponed",
            Self::Waiting { .. } => "waiting",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether a retry can help at all.
    pub fn is_retryable(self) -> bool {
        !matches!(self, Self::Permanent)
    }
}

/// The failure of one attempt of a step, as the step reports it.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    /// Whether a retry can help.
    pub kind: FailureKind,
    /// The failure type of the run if this failure ends it. Without it, the type of the step.
    pub failure_type: Option<FailureType>,
    /// The lane that the step waits for.
    pub lane: Option<LaneName>,
    /// The stable code, for programs.
    pub error_code: String,
    /// What happened and what to do, for people. Never contains a path, a secret or document text.
    pub message: String,
    /// Diagnostic details for programmers. They may quote the document, so they are stored as an artifact of the run
    /// and never appear in a record, a log or a message.
    pub diagnosis: Option<Box<str>>,
}

impl Failure {
    /// The type of the artifact that stores a diagnosis.
    pub const DIAGNOSIS: &str = "DIAGNOSIS";
    /// The code of [`Failure::lane_busy`]. It is never stored.
    pub const LANE_BUSY: &str = "LANE_BUSY";
    /// The code of [`Failure::wait_until`], which waits for no lane. It is never stored.
    pub const WAITING: &str = "WAITING";

    /// A failure of that kind.
    pub fn new(kind: FailureKind, error_code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            failure_type: None,
            lane: None,
            error_code: error_code.into(),
            message: truncated(message.into()),
            diagnosis: None,
        }
    }

    /// A failure that a retry may fix.
    pub fn transient(error_code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Transient, error_code, message)
    }

    /// A failure that no retry fixes.
    pub fn permanent(error_code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Permanent, error_code, message)
    }

    /// Whether the step waits and has not failed.
    pub fn is_waiting(&self) -> bool {
        matches!(self.kind, FailureKind::Waiting { .. })
    }

    /// What a step returns that found its lane full, closed or paused. Its run waits and loses no attempt.
    pub fn lane_busy(lane: LaneName, until: Timestamp) -> Self {
        let message = format!("lane {lane} is full, closed or paused; the run waits");
        Self::new(FailureKind::Waiting { until }, Self::LANE_BUSY, message).in_lane(lane)
    }

    /// What a step returns that waits for something outside, such as an operation that a service works on. Its run waits and
    /// loses no attempt.
    pub fn wait_until(until: Timestamp) -> Self {
        Self::new(FailureKind::Waiting { until }, Self::WAITING, "the run waits for a service")
    }

    /// Names the lane in which the run waits, if it does.
    #[must_use]
    pub fn in_lane(self, lane: LaneName) -> Self {
        Self { lane: Some(lane), ..self }
    }

    /// Adds diagnostic details for programmers.
    #[must_use]
    pub fn with_diagnosis(self, diagnosis: impl Into<String>) -> Self {
        Self { diagnosis: Some(diagnosis.into().into_boxed_str()), ..self }
    }

    /// Sets the failure type of the run if this failure ends it.
    #[must_use]
    pub fn with_failure_type(self, failure_type: FailureType) -> Self {
        Self { failure_type: Some(failure_type), ..self }
    }

    /// The record of this failure.
    pub fn record(&self, stage: Option<StepName>, correlation_id: Option<&str>) -> FailureRecord {
        FailureRecord {
            error_type: self.kind.as_str().to_owned(),
            error_code: self.error_code.clone(),
            message: self.message.clone(),
            stage,
            correlation_id: correlation_id.map(str::to_owned),
        }
    }
}

/// Shows that there is a diagnosis but not its text, because debug output ends up in logs.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("kind", &self.kind)
            .field("failure_type", &self.failure_type)
            .field("lane", &self.lane)
            .field("error_code", &self.error_code)
            .field("message", &self.message)
            .field("diagnosed", &self.diagnosis.is_some())
            .finish()
    }
}

fn truncated(message: String) -> String {
    match message.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => message[..end].to_owned(),
        None => message,
    }
}

/// The stored record of a failure, on the run and in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// The class of the error: [`FailureKind::as_str`].
    pub error_type: String,
    /// The stable code.
    pub error_code: String,
    /// What happened and what to do.
    pub message: String,
    /// The step that failed.
    pub stage: Option<StepName>,
    /// Links the failure to the request that caused the run.
    pub correlation_id: Option<String>,
}

macro_rules! failure_types {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// Why a run did not complete.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // The stored names are the documentation.
        pub enum FailureType { $($variant),+ }

        impl FailureType {
            /// All failure types.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that is stored and that the API shows.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

failure_types! {
    ExtractionFailed = "EXTRACTION_FAILED",
    ExtractionLowQuality = "EXTRACTION_LOW_QUALITY",
    InterpretationFailed = "INTERPRETATION_FAILED",
    EmbeddingFailed = "EMBEDDING_FAILED",
    LlmFailed = "LLM_FAILED",
    AggregationFailed = "AGGREGATION_FAILED",
    ValidationFailed = "VALIDATION_FAILED",
    LockFailed = "LOCK_FAILED",
    ProcessTerminated = "PROCESS_TERMINATED",
    RunTimedOut = "RUN_TIMED_OUT",
    Withdrawn = "WITHDRAWN",
    Cancelled = "CANCELLED",
    UnknownError = "UNKNOWN_ERROR",
}

impl FailureType {
    /// The failure type of that name. An unknown name becomes `UNKNOWN_ERROR`.
    pub fn parse(name: &str) -> Self {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).unwrap_or(Self::UnknownError)
    }

    /// The failure type of a run that this step ends.
    pub fn of_step(step: StepName) -> Self {
        match step {
            StepName::Extraction | StepName::LinkExtraction => Self::ExtractionFailed,
            StepName::Interpretation => Self::InterpretationFailed,
            StepName::Embedding => Self::EmbeddingFailed,
            StepName::AggregateDecision => Self::AggregationFailed,
            StepName::LinkSummarization
            | StepName::Expand
            | StepName::ReviewArchitect
            | StepName::ReviewCritic
            | StepName::ReviewOptimist
            | StepName::ReviewSecurity
            | StepName::ReviewUserAdvocate => Self::LlmFailed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_and_a_short_one_is_kept() {
        let failure = Failure::transient("X", "é".repeat(900));
        assert_eq!(failure.message.chars().count(), MAX_MESSAGE_CHARS);
        assert_eq!(Failure::transient("X", "short").message, "short");
    }

    #[test]
    fn a_diagnosis_is_neither_in_the_record_nor_in_debug_output() {
        let failure = Failure::permanent("EXTRACTION_LOW_QUALITY", "the text is not readable")
            .with_failure_type(FailureType::ExtractionLowQuality)
            .with_diagnosis("score 0.31 of 'Pac1ente'");
        let record = failure.record(Some(StepName::Extraction), Some("req-1"));
        for text in [format!("{failure:?}"), format!("{record:?}"), serde_json::to_string(&record).unwrap()] {
            assert!(text.contains("EXTRACTION_LOW_QUALITY") && !text.contains("Pac1ente"), "{text}");
        }
        assert_eq!(failure.failure_type, Some(FailureType::ExtractionLowQuality));
    }

    /// Proves R214.
    #[test]
    fn the_class_of_a_failure_is_its_kind_and_not_its_code() {
        let until = Timestamp::UNIX_EPOCH;
        let classes = [
            (FailureKind::Transient, "transient"),
            (FailureKind::Permanent, "permanent"),
            (FailureKind::RateLimited { until }, "rate_limited"),
            (FailureKind::Postponed { until }, "postponed"),
            (FailureKind::TimedOut, "timed_out"),
        ];
        for (kind, class) in classes {
            let record = Failure::new(kind, "OCR_FAILED", "it failed").record(None, None);
            assert_eq!((record.error_type.as_str(), record.error_code.as_str()), (class, "OCR_FAILED"));
        }
    }

    #[test]
    fn every_failure_except_a_permanent_one_is_retryable() {
        assert!(!FailureKind::Permanent.is_retryable());
        assert!(FailureKind::Transient.is_retryable());
        assert!(FailureKind::TimedOut.is_retryable());
        assert!(FailureKind::RateLimited { until: Timestamp::UNIX_EPOCH }.is_retryable());
        assert!(FailureKind::Postponed { until: Timestamp::UNIX_EPOCH }.is_retryable());
    }
}
