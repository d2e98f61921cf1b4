//! Why a change of a run is refused.

use crate::pipeline::Pipeline;

/// Why a change was refused. Nothing is stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransitionRefused {
    /// Only a queued run can be started or withdrawn.
    #[error("the run is {state}; only a QUEUED run can be {action}")]
    NotQueued {
        /// The state of the run.
        state: &'static str,
        /// What the change would have done.
        action: &'static str,
    },
    /// Only a running run can end.
    #[error("the run is {state}; only a RUNNING run can be {action}")]
    NotRunning {
        /// The state of the run.
        state: &'static str,
        /// What the change would have done.
        action: &'static str,
    },
    /// A queued run is withdrawn and not cancelled.
    #[error("the run is QUEUED; no worker executes it, so withdraw it instead")]
    CancelQueued,
    /// Only a failed run can be retried.
    #[error("the run is {state}; only a FAILED run can be retried")]
    NotFailed {
        /// The state of the run.
        state: &'static str,
    },
    /// Runs of this pipeline cannot be retried by a person.
    #[error("{pipeline} runs are not retried; create a new run instead")]
    RetryNotAllowed {
        /// The pipeline of the run.
        pipeline: Pipeline,
    },
    /// The run has no retries left.
    #[error("the run was already retried {max} times, which is the most allowed; create a new run instead")]
    RetriesSpent {
        /// The number of allowed retries.
        max: u32,
    },
}
