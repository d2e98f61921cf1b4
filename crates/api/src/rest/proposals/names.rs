//! The names of `/v1` for what is stored.

use quire_domain::{RunState, RunStateName, StepStatus};

/// The status of a run. A run that timed out shows as failed, with its error code.
pub(crate) fn run_status(state: &RunState) -> &'static str {
    match state {
        RunState::Queued { .. } => "queued",
        RunState::Running { .. } => "running",
        RunState::Completed { .. } => "completed",
        RunState::Failed { .. } | RunState::TimedOut { .. } => "failed",
    }
}

/// The stored states of a status.
pub(crate) const STATUSES: [(&str, &[RunStateName]); 4] = [
    ("queued", &[RunStateName::Queued]),
    ("running", &[RunStateName::Running]),
    ("completed", &[RunStateName::Completed]),
    ("failed", &[RunStateName::Failed, RunStateName::TimedOut]),
];

/// The status of a step.
pub(crate) fn step_status(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "pending",
        StepStatus::Running => "running",
        StepStatus::Succeeded => "completed",
        StepStatus::Failed => "failed",
    }
}

/// The type of a run: whether it revises another.
pub(crate) fn run_type(is_revision: bool) -> &'static str {
    if is_revision { "revision" } else { "initial" }
}
