//! A run waits for its next step attempt or for a time: it goes back to the queue and holds nothing.
//!
//! The attempt of the run goes on when the wait is over. So nothing counts: not the wait as an attempt, nor its time
//! towards the limit. The run keeps its place in the queue, and it is still the front of its subject.

use jiff::{SignedDuration, Timestamp};

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused, available_at, millis, with_state};
use crate::event::{Event, EventType};
use crate::lane::LaneName;
use crate::plan::StepAttempt;
use crate::run::{FailureRecord, Run, RunState};

/// Why and how long a run waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it goes on.
    pub until: Timestamp,
    /// The attempt with which it goes on.
    pub next: StepAttempt,
    /// The lane in which it waits. It may go on earlier when something is free there.
    pub lane: Option<LaneName>,
    /// What a provider answered that asked to wait. It is in the error log of the run.
    pub failure: Option<FailureRecord>,
    /// How long the worker held the run since it was claimed, in time awake.
    pub time_used: SignedDuration,
}

pub(super) fn wait(run: &Run, wait: Wait, at: Timestamp) -> Result<Transition, TransitionRefused> {
    let owned = require_running(run, "sent to wait")?;
    let Wait { until, next, lane, failure, time_used } = wait;
    let delay = until.duration_since(at);
    let event = Event {
        step: Some(next.step),
        attempt: Some(next.number),
        failure,
        delay_ms: millis(delay),
        reason: Some(Event::WAITING.to_owned()),
        lane: lane.clone(),
        ..owned.event(EventType::RunRequeued, run, at)
    };
    // Stored in milliseconds.
    let time_used = SignedDuration::from_millis_i128(run.time_used.saturating_add(time_used).as_millis());
    let queued = RunState::Queued { available_at: available_at(at, delay), lane };
    let next = Run { time_used, ..with_state(run, queued) };
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event)] })
}
