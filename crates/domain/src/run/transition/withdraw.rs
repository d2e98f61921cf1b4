//! A person takes a run out of the queue.

use jiff::Timestamp;

use super::{Effect, Transition, TransitionRefused, engine_failure, with_state};
use crate::event::{Event, EventType};
use crate::run::{FailureKind, FailureReason, FailureType, Run, RunState};

pub(super) fn withdraw(run: &Run, at: Timestamp) -> Result<Transition, TransitionRefused> {
    let RunState::Queued { .. } = run.state else {
        return Err(TransitionRefused::NotQueued { state: run.state.as_str(), action: "withdrawn" });
    };
    let record = engine_failure(
        run,
        FailureKind::Permanent,
        FailureType::Withdrawn,
        "the run was withdrawn while it waited in the queue; if that was a mistake, create a new run",
    );
    let next = with_state(
        run,
        RunState::Failed {
            started_at: None,
            completed_at: at,
            reason: FailureReason { failure_type: FailureType::Withdrawn, record: record.clone() },
        },
    );
    let event = Event { failure: Some(record), ..Event::of_run(EventType::RunWithdrawn, run, at) };
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::PassTurn] })
}
