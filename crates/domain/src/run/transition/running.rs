//! What the transitions of a RUNNING run share.

use jiff::{SignedDuration, Timestamp};

use super::{Effect, Transition, TransitionRefused, available_at, millis, with_state};
use crate::event::{Event, EventType};
use crate::ids::WorkerId;
use crate::run::{FailureReason, FailureRecord, Run, RunState};

/// The data that only a running run has.
pub(super) struct RunningData {
    pub(super) started_at: Timestamp,
    worker: Option<WorkerId>,
}

pub(super) fn require_running(run: &Run, action: &'static str) -> Result<RunningData, TransitionRefused> {
    match run.state {
        RunState::Running { started_at, worker, .. } => Ok(RunningData { started_at, worker }),
        _ => Err(TransitionRefused::NotRunning { state: run.state.as_str(), action }),
    }
}

impl RunningData {
    /// An event that ends this attempt.
    pub(super) fn event(&self, event_type: EventType, run: &Run, at: Timestamp) -> Event {
        Event { worker: self.worker, started_at: Some(self.started_at), ..Event::of_run(event_type, run, at) }
    }

    /// The failed run after an attempt that counts.
    pub(super) fn failed(&self, run: &Run, reason: FailureReason, at: Timestamp) -> Run {
        let state = RunState::Failed { started_at: Some(self.started_at), completed_at: at, reason };
        Run { failed_attempts: run.failed_attempts + 1, ..with_state(run, state) }
    }

    /// The queued run after an attempt that counts.
    pub(super) fn requeue(
        &self,
        run: &Run,
        record: FailureRecord,
        delay: SignedDuration,
        at: Timestamp,
    ) -> Transition {
        let next = Run {
            failed_attempts: run.failed_attempts + 1,
            retry_count: run.retry_count + 1,
            queued_at: at,
            time_used: SignedDuration::ZERO,
            ..with_state(run, RunState::Queued { available_at: available_at(at, delay), lane: None })
        };
        let event = Event {
            failure: Some(record),
            delay_ms: millis(delay),
            ..self.event(EventType::RunRequeued, run, at)
        };
        Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::ResetSteps] }
    }
}
