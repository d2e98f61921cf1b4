//! Error codes of failures around a step, which neither the document nor its reader causes.

use quire_domain::Failure;
use quire_ports::PortError;

macro_rules! step_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a step failed for a reason outside the document and its reader.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum StepErrorCode { $($(#[$doc])* $variant),+ }

        impl StepErrorCode {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code that clients see. It never changes.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

step_codes! {
    /// The file storage could not be read or written.
    StorageUnavailable = "STORAGE_UNAVAILABLE",
    /// The stored file is not the one that was uploaded.
    FileDamaged = "FILE_DAMAGED",
    /// The database did not answer.
    StoreUnavailable = "STORE_UNAVAILABLE",
    /// This worker has no such step.
    StepNotSetUp = "STEP_NOT_SET_UP",
    /// The step panicked.
    StepPanicked = "STEP_PANICKED",
    /// The step took longer than its limit.
    StepTimedOut = "STEP_TIMED_OUT",
    /// The database refuses the result of the step.
    ResultNotStorable = "RESULT_NOT_STORABLE",
    /// An earlier step did not store what this one needs.
    StepInputMissing = "STEP_INPUT_MISSING",
    /// The service that the step needs is not configured.
    ProviderNotConfigured = "PROVIDER_NOT_CONFIGURED",
    /// Another worker is at the same link request.
    LockHeld = "LOCK_HELD",
}

/// The failure of a step whose file could not be read or written. The engine retries it.
pub(super) fn storage_failure(error: &PortError) -> Failure {
    // The storage asks the database whether they belong together.
    if matches!(error, PortError::Unavailable { service: "database", .. }) {
        return database_failure(error);
    }
    Failure::transient(StepErrorCode::StorageUnavailable.as_str(), error.to_string())
}

/// The failure of a step that could not read from the database. The engine retries it.
pub(super) fn database_failure(error: &PortError) -> Failure {
    Failure::transient(StepErrorCode::StoreUnavailable.as_str(), error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_the_code_of_the_service_that_failed() {
        let unavailable = |service| PortError::Unavailable {
            service,
            reason: "no connection could be had in time".to_owned(),
            contention: false,
        };
        assert_eq!(storage_failure(&unavailable("storage")).error_code, "STORAGE_UNAVAILABLE");
        assert_eq!(storage_failure(&unavailable("database")).error_code, "STORE_UNAVAILABLE");
        assert_eq!(database_failure(&unavailable("database")).error_code, "STORE_UNAVAILABLE");
    }
}
