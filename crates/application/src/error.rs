//! The errors of use cases. Callers of this crate see these and never the errors of ports.

use quire_ports::PortError;

/// The result of a use case that fails only because of what is stored.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a use case could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such document, run, version or candidate.
    #[error("{0} was not found")]
    NotFound(String),
    /// The request contradicts what is stored. The message says how.
    #[error("{0}")]
    Conflict(String),
    /// A service is locked, slow, full or gone. The change may or may not have been made; retry later.
    #[error("the {service} is not available: {reason}")]
    Unavailable {
        /// The service, for people: "database", "storage".
        service: &'static str,
        /// What it reported, without secrets or paths.
        reason: String,
    },
    /// Stored data cannot be read. The message is for the log only.
    #[error("stored data is not as expected: {0}")]
    Corrupt(String),
}

impl From<PortError> for Error {
    fn from(error: PortError) -> Self {
        match error {
            PortError::NotFound(what) => Self::NotFound(what),
            PortError::Conflict(why) => Self::Conflict(why),
            PortError::Unavailable { service, reason, .. } => Self::Unavailable { service, reason },
            PortError::Full { service } => {
                Self::Unavailable { service, reason: "the disk is full".to_owned() }
            }
            PortError::Corrupt(what) => Self::Corrupt(what),
        }
    }
}

/// Lets `?` turn a port's error into the `Other` variant of these errors.
macro_rules! port_errors {
    ($($error:ty),+ $(,)?) => {$(
        impl From<PortError> for $error {
            fn from(error: PortError) -> Self {
                Self::Other(error.into())
            }
        }
    )+};
}

port_errors!(
    crate::document::pages::ImageError,
    crate::document::pages::PageError,
    crate::document::DownloadError,
    crate::document::ReprocessError,
    crate::events::FeedError,
    crate::governance::DecisionError,
    crate::link::LinkError,
    crate::link::LinkRetryError,
    crate::proposal::CompareRunsError,
    crate::proposal::ProposalError,
    crate::proposal::RevisionError,
    crate::review::CompareError,
    crate::review::EditError,
    crate::review::ReviewError,
    crate::run::RawTextError,
    crate::run::RetryError,
    crate::search::SearchError,
    crate::storage::IdentityError,
);
