//! What can go wrong with a step or a run, and whether trying again can help.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::pipeline::StepName;

/// Longest message that is kept; what is longer is cut.
const MAX_MESSAGE_CHARS: usize = 500;

/// Whether, and when, another attempt can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It may go better next time.
    Transient,
    /// It will fail every time.
    Permanent,
    /// Whoever was asked wants to be left alone until then.
    RateLimited {
        /// The earliest useful moment.
        until: Timestamp,
    },
    /// It took too long.
    TimedOut,
}

impl FailureKind {
    /// Whether another attempt can help at all.
    pub fn is_retryable(self) -> bool {
        !matches!(self, Self::Permanent)
    }
}

/// What went wrong in one attempt of a step, as the step itself tells it.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    /// Whether trying again can help.
    pub kind: FailureKind,
    /// What the run is marked with if this failure ends it; the step's own type unless the step says otherwise.
    pub failure_type: Option<FailureType>,
    /// The class of the error, for programmers.
    pub error_type: String,
    /// The stable code, for programs.
    pub error_code: String,
    /// What happened and what to do, for people. Never a path, a secret or document text.
    pub message: String,
    /// What a programmer needs to find out why: it may quote the document, so it is kept as an artifact of the run
    /// and never told in a record, a log or a message.
    pub diagnosis: Option<Box<str>>,
}

impl Failure {
    /// The type of the artifact that keeps a diagnosis.
    pub const DIAGNOSIS: &str = "DIAGNOSIS";

    /// A failure of the given kind.
    pub fn new(kind: FailureKind, error_code: impl Into<String>, message: impl Into<String>) -> Self {
        let error_code = error_code.into();
        Self {
            kind,
            failure_type: None,
            error_type: error_code.clone(),
            error_code,
            message: truncated(message.into()),
            diagnosis: None,
        }
    }

    /// One that may pass.
    pub fn transient(error_code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Transient, error_code, message)
    }

    /// One that will not.
    pub fn permanent(error_code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(FailureKind::Permanent, error_code, message)
    }

    /// The same, with what a programmer needs to find out why.
    #[must_use]
    pub fn with_diagnosis(self, diagnosis: impl Into<String>) -> Self {
        Self { diagnosis: Some(diagnosis.into().into_boxed_str()), ..self }
    }

    /// The same, marking the run with this type if it ends it.
    #[must_use]
    pub fn with_failure_type(self, failure_type: FailureType) -> Self {
        Self { failure_type: Some(failure_type), ..self }
    }

    /// The record that is kept of it.
    pub fn record(&self, stage: Option<StepName>, correlation_id: Option<&str>) -> FailureRecord {
        FailureRecord {
            error_type: self.error_type.clone(),
            error_code: self.error_code.clone(),
            message: self.message.clone(),
            stage,
            correlation_id: correlation_id.map(str::to_owned),
        }
    }
}

/// Says that there is a diagnosis and not what it is: what can be printed ends up in a log one day.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("kind", &self.kind)
            .field("failure_type", &self.failure_type)
            .field("error_type", &self.error_type)
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

/// What is kept of a failure, on the run and in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// The class of the error.
    pub error_type: String,
    /// Its stable code.
    pub error_code: String,
    /// What happened and what to do.
    pub message: String,
    /// The step in which it happened.
    pub stage: Option<StepName>,
    /// What ties it to the request that caused it.
    pub correlation_id: Option<String>,
}

macro_rules! failure_types {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// Why a run did not complete.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // The stored names are the documentation.
        pub enum FailureType { $($variant),+ }

        impl FailureType {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stored and shown form.
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
    UnknownError = "UNKNOWN_ERROR",
}

impl FailureType {
    /// The failure type of that name; a name from elsewhere reads as unknown.
    pub fn parse(name: &str) -> Self {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).unwrap_or(Self::UnknownError)
    }

    /// What a run is marked with when this step ends it.
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
    fn a_long_message_is_cut_at_a_character_and_a_short_one_is_not() {
        let failure = Failure::transient("X", "é".repeat(900));
        assert_eq!(failure.message.chars().count(), MAX_MESSAGE_CHARS);
        assert_eq!(Failure::transient("X", "short").message, "short");
    }

    #[test]
    fn a_diagnosis_is_neither_in_the_record_nor_in_what_is_printed() {
        let failure = Failure::permanent("EXTRACTION_LOW_QUALITY", "the text is not readable")
            .with_failure_type(FailureType::ExtractionLowQuality)
            .with_diagnosis("score 0.31 of 'Pac1ente'");
        let record = failure.record(Some(StepName::Extraction), Some("req-1"));
        for text in [format!("{failure:?}"), format!("{record:?}"), serde_json::to_string(&record).unwrap()] {
            assert!(text.contains("EXTRACTION_LOW_QUALITY") && !text.contains("Pac1ente"), "{text}");
        }
        assert_eq!(failure.failure_type, Some(FailureType::ExtractionLowQuality));
    }

    #[test]
    fn only_a_permanent_failure_is_never_worth_another_attempt() {
        assert!(!FailureKind::Permanent.is_retryable());
        assert!(FailureKind::Transient.is_retryable());
        assert!(FailureKind::TimedOut.is_retryable());
        assert!(FailureKind::RateLimited { until: Timestamp::UNIX_EPOCH }.is_retryable());
    }
}
