//! The few ways in which a port can fail. Adapters translate the errors of their drivers into these.

/// What every port method answers.
pub type PortResult<T> = Result<T, PortError>;

/// Why a port failed. Nothing was changed, except where `Unavailable` says that it is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// There is no such thing.
    #[error("{0} was not found")]
    NotFound(String),
    /// The request contradicts what is stored.
    #[error("{0}")]
    Conflict(String),
    /// The service is locked, slow, full or gone. The work may or may not have been done. Try again later; that is safe
    /// where the method says so.
    #[error("the {service} is not available: {reason}")]
    Unavailable {
        /// The service, for people: "database", "storage".
        service: &'static str,
        /// The reason, without secrets or paths.
        reason: String,
        /// Whether another transaction was in the way.
        contention: bool,
    },
    /// Stored data cannot be read, or a request was malformed.
    #[error("stored data is not as expected: {0}")]
    Corrupt(String),
}

impl PortError {
    /// Whether trying again later may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    /// Whether the work may have been done although its answer was lost.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Unavailable { contention: false, .. })
    }

    /// Whether it failed only because another transaction was in the way.
    pub fn is_contention(&self) -> bool {
        matches!(self, Self::Unavailable { contention: true, .. })
    }
}
