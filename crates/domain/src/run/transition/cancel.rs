//! A person ends a run that a worker executes.

use jiff::Timestamp;

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused, engine_failure};
use crate::event::EventType;
use crate::run::{FailureKind, FailureReason, FailureType, Run, RunState};

pub(super) fn cancel(run: &Run, at: Timestamp) -> Result<Transition, TransitionRefused> {
    if matches!(run.state, RunState::Queued { .. }) {
        return Err(TransitionRefused::CancelQueued);
    }
    let owned = require_running(run, "cancelled")?;
    let record = engine_failure(
        run,
        FailureKind::Permanent,
        FailureType::Cancelled,
        "the run was cancelled; if that was a mistake, retry it, or process the document again",
    );
    let mut event = owned.event(EventType::RunCancelled, run, at);
    event.failure = Some(record.clone());
    let reason = FailureReason { failure_type: FailureType::Cancelled, record: record.clone() };
    let next = owned.failed(run, reason, at);
    let effects = vec![Effect::InterruptSteps(record), Effect::Record(event), Effect::PassTurn];
    Ok(Transition { from: run.fence, run: next, effects })
}
