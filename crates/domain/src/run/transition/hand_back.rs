//! A worker returns a run unfinished.

use jiff::{SignedDuration, Timestamp};

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused, engine_failure, with_state};
use crate::event::EventType;
use crate::run::{FailureKind, FailureType, Run, RunState};

pub(super) fn hand_back(run: &Run, at: Timestamp) -> Result<Transition, TransitionRefused> {
    let owned = require_running(run, "handed back")?;
    let interrupted = engine_failure(
        run,
        FailureKind::Transient,
        FailureType::ProcessTerminated,
        "the worker stopped before the step ended; the run is back in the queue and repeats the step",
    );
    let event = owned.event(EventType::RunRequeued, run, at);
    // The run keeps its counters and its place in the queue, because it did nothing wrong.
    let queued = with_state(run, RunState::Queued { available_at: None, lane: None });
    let next = Run { time_used: SignedDuration::ZERO, ..queued };
    let effects = vec![Effect::InterruptSteps(interrupted), Effect::Record(event), Effect::ResetSteps];
    Ok(Transition { from: run.fence, run: next, effects })
}
