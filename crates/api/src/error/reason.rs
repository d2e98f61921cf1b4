//! The reasons of conflicts.

use crate::error_pages::text;

macro_rules! reasons {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// The documented reasons of conflicts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // The names are the documentation.
        pub enum ConflictReason { $($variant),+ }

        impl ConflictReason {
            /// All reasons.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The reason as a client sees it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The page that explains the reason. A reason without a page does not compile.
            pub(crate) const fn page(self) -> &'static str {
                match self { $(Self::$variant => text!($name)),+ }
            }
        }
    };
}

reasons! {
    NoCompletedRun = "NO_COMPLETED_RUN",
    ReviewBlockedByActiveRun = "REVIEW_BLOCKED_BY_ACTIVE_RUN",
    RawTextNotReady = "RAW_TEXT_NOT_READY",
    RawTextNotAvailable = "RAW_TEXT_NOT_AVAILABLE",
    StaleInterpretationVersion = "STALE_INTERPRETATION_VERSION",
    InterpretationMissing = "INTERPRETATION_MISSING",
    InterpretationNotAvailable = "INTERPRETATION_NOT_AVAILABLE",
    NothingToCompare = "NOTHING_TO_COMPARE",
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED",
    RetryNotAllowed = "RETRY_NOT_ALLOWED",
    RunNotQueued = "RUN_NOT_QUEUED",
    RunNotRunning = "RUN_NOT_RUNNING",
    RunNotCompleted = "RUN_NOT_COMPLETED",
    ProcessingDisabled = "PROCESSING_DISABLED",
    CandidateDecided = "CANDIDATE_DECIDED",
    DocumentUnreadable = "DOCUMENT_UNREADABLE",
    StateChanged = "STATE_CHANGED",
}
