//! The few ways in which a port can fail. Adapters translate the errors of their drivers into these.

/// The result of every port method.
pub type PortResult<T> = Result<T, PortError>;

/// Why a port failed. Nothing was changed, unless the error [is in doubt](PortError::is_in_doubt): then the change may have been
/// made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The requested item does not exist.
    #[error("{0} was not found")]
    NotFound(String),
    /// The request contradicts the stored data.
    #[error("{0}")]
    Conflict(String),
    /// The service is locked, slow or gone. The call may or may not have succeeded. A later retry is safe where
    /// the method says so.
    #[error("the {service} is not available: {reason}")]
    Unavailable {
        /// The service, for people: "database", "storage".
        service: &'static str,
        /// The reason, without secrets or paths.
        reason: String,
        /// Whether another transaction was in the way.
        contention: bool,
    },
    /// The disk of the service is full. Nothing was changed. A later retry succeeds if there is space again.
    #[error("the {service} is not available: the disk is full")]
    Full {
        /// The service, for people: "database", "storage".
        service: &'static str,
    },
    /// Stored data cannot be read, or a request was malformed.
    #[error("stored data is not as expected: {0}")]
    Corrupt(String),
}

impl PortError {
    /// Whether a later retry may succeed.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Full { .. })
    }

    /// Whether the call may have succeeded although its answer was lost.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Unavailable { contention: false, .. })
    }

    /// Whether the call failed only because of another transaction.
    pub fn is_contention(&self) -> bool {
        matches!(self, Self::Unavailable { contention: true, .. })
    }
}
