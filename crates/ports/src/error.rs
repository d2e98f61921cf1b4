//! The few ways in which the outside can fail. Adapters translate their vendor's errors here, once.

/// What every port method answers.
pub type PortResult<T> = Result<T, PortError>;

/// Why a port could not do what was asked. Nothing was changed, except where `Unavailable` says it cannot know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// There is no such thing.
    #[error("{0} was not found")]
    NotFound(String),
    /// It contradicts what is there: a rule of the database refused it.
    #[error("{0}")]
    Conflict(String),
    /// The service is locked, slow, full or gone. The work may or may not have been done; asking again later is
    /// right, and safe where the method says so.
    #[error("the {service} is not available: {reason}")]
    Unavailable {
        /// What was asked, for people: "database", "storage".
        service: &'static str,
        /// What it said, without secrets or paths.
        reason: String,
        /// Whether it is only busy with somebody else's transaction.
        contention: bool,
    },
    /// What is stored cannot be understood, or a request was malformed on its way.
    #[error("stored data is not as expected: {0}")]
    Corrupt(String),
}

impl PortError {
    /// Whether asking again later may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    /// Whether it may have been done all the same, and only the answer was lost.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Unavailable { contention: false, .. })
    }

    /// Whether it failed only because somebody else was writing.
    pub fn is_contention(&self) -> bool {
        matches!(self, Self::Unavailable { contention: true, .. })
    }
}
