//! A worker starts a run.

use jiff::{SignedDuration, Timestamp};

use super::{Effect, Transition, TransitionRefused, with_state};
use crate::event::{Event, EventType};
use crate::ids::WorkerId;
use crate::run::{Run, RunState};

pub(super) fn start(
    run: &Run,
    worker: WorkerId,
    limit: SignedDuration,
    at: Timestamp,
) -> Result<Transition, TransitionRefused> {
    let RunState::Queued { .. } = run.state else {
        return Err(TransitionRefused::NotQueued { state: run.state.as_str(), action: "started" });
    };
    // The time before a wait counts. A limit beyond the end of the calendar is no limit.
    let left = limit.saturating_sub(run.time_used).max(SignedDuration::ZERO);
    let deadline_at = at.checked_add(left).ok();
    let next = with_state(run, RunState::Running { started_at: at, deadline_at, worker: Some(worker) });
    // The event carries the fencing token that this start issues.
    let event = Event { worker: Some(worker), ..Event::of_run(EventType::RunStarted, &next, at) };
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event)] })
}
