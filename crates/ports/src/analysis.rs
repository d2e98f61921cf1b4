//! A service that reads documents: a file is submitted, and its operation is polled until it has ended.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::reading::{AnalysedDocument, FileKind, Page, UnreadPage};
use quire_domain::{Failure, FailureKind};

/// A file to submit.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
    /// Its bytes.
    pub file: Arc<[u8]>,
    /// Its kind.
    pub kind: FileKind,
    /// The time limit of the request.
    pub time: Duration,
}

/// An operation that the service has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedOperation {
    /// Its address, by which it is polled.
    pub address: String,
    /// When to poll first.
    pub wait: Duration,
}

/// How far an operation is.
#[derive(Clone, Debug, PartialEq)]
pub enum OperationState {
    /// It is not done. Poll again after this time.
    Running {
        /// The time.
        wait: Duration,
    },
    /// It has succeeded.
    Succeeded(Box<AnalysedDocument>),
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a service did not read a document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AnalysisErrorKind { $($(#[$doc])* $variant),+ }

        impl AnalysisErrorKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

error_kinds! {
    /// It did not answer in time, cannot be reached, or failed.
    Unavailable = "DOCUMENT_INTELLIGENCE_UNAVAILABLE",
    /// It limits the rate of requests, and said for how long.
    RateLimited = "DOCUMENT_INTELLIGENCE_RATE_LIMITED",
    /// It refuses the request: a wrong key or address, or a file that it cannot take.
    Refused = "DOCUMENT_INTELLIGENCE_REFUSED",
    /// It accepted the file and could not read it.
    Failed = "DOCUMENT_INTELLIGENCE_FAILED",
    /// Its answer cannot be used.
    AnswerInvalid = "DOCUMENT_INTELLIGENCE_ANSWER_INVALID",
    /// It did not answer for a page.
    PageMissing = "DOCUMENT_INTELLIGENCE_PAGE_MISSING",
    /// The budget of the day is spent.
    BudgetSpent = "DOCUMENT_INTELLIGENCE_BUDGET_SPENT",
}

/// A service did not read a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AnalysisError {
    /// The kind of error.
    pub kind: AnalysisErrorKind,
    /// What happened and what to do, for people. Never document text.
    pub message: String,
    /// Whether the same request may succeed a little later.
    pub is_retryable: bool,
    /// How long to wait before the next request. Always there with `RateLimited`.
    pub retry_after: Option<Duration>,
    /// Whether the service does not know the operation: it has forgotten it, or it never was.
    pub is_vanished: bool,
    /// Whether the service may have accepted a submitted file, which it then charges for.
    pub may_have_arrived: bool,
}

impl AnalysisError {
    /// An error that another request does not mend.
    pub fn permanent(kind: AnalysisErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            is_retryable: false,
            retry_after: None,
            is_vanished: false,
            may_have_arrived: false,
        }
    }

    /// An error that another request may mend.
    pub fn transient(kind: AnalysisErrorKind, message: impl Into<String>) -> Self {
        Self { is_retryable: true, ..Self::permanent(kind, message) }
    }

    /// The failure of the step.
    pub fn into_failure(self, now: Timestamp) -> Failure {
        let until = self.retry_after.map(|wait| now.checked_add(wait).unwrap_or(now));
        let kind = match until {
            Some(until) => FailureKind::RateLimited { until },
            None if self.is_retryable => FailureKind::Transient,
            None => FailureKind::Permanent,
        };
        Failure::new(kind, self.kind.as_str(), self.message)
    }
}

/// A page that a service left out.
pub fn missing_page() -> Page {
    let unread = UnreadPage {
        error_code: AnalysisErrorKind::PageMissing.as_str().to_owned(),
        message: "Document Intelligence did not read this page; process the document again, or with the local extractor"
            .to_owned(),
    };
    Page { unread: Some(unread), ..Page::default() }
}

/// A service that reads documents.
#[async_trait]
pub trait DocumentAnalyser: Send + Sync {
    /// Submits a file. The service works on it, and charges for it, from then on.
    async fn submit(&self, request: AnalysisRequest) -> Result<AcceptedOperation, AnalysisError>;

    /// Asks once how far an operation is, within this time.
    async fn poll(&self, operation: &str, time: Duration) -> Result<OperationState, AnalysisError>;
}
