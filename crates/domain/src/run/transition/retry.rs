//! A person returns a failed run to the queue.

use jiff::{SignedDuration, Timestamp};

use super::{Effect, Transition, TransitionRefused, available_at, millis, with_state};
use crate::event::{Event, EventType};
use crate::pipeline::Pipeline;
use crate::run::retry::doubled;
use crate::run::{RequeuePolicy, Run, RunState};

pub(super) fn retry(
    run: &Run,
    requeue: RequeuePolicy,
    at: Timestamp,
) -> Result<Transition, TransitionRefused> {
    let RequeuePolicy::Manual { max_retries, base_delay } = requeue else {
        return Err(TransitionRefused::RetryNotAllowed { pipeline: run.pipeline });
    };
    let RunState::Failed { .. } = run.state else {
        return Err(TransitionRefused::NotFailed { state: run.state.as_str() });
    };
    if run.pipeline == Pipeline::Document {
        return Err(TransitionRefused::RetryNotAllowed { pipeline: run.pipeline });
    }
    if run.retry_count >= max_retries {
        return Err(TransitionRefused::RetriesSpent { max: max_retries });
    }
    let retry_count = run.retry_count + 1;
    let delay = doubled(base_delay, retry_count);
    let next = Run {
        retry_count,
        // A withdrawn run had no attempt, but may be retried.
        failed_attempts: run.failed_attempts.max(retry_count),
        queued_at: at,
        time_used: SignedDuration::ZERO,
        ..with_state(run, RunState::Queued { available_at: available_at(at, delay), lane: None })
    };
    let event = Event { delay_ms: millis(delay), ..Event::of_run(EventType::RunRetried, run, at) };
    let effects = vec![Effect::Record(event), Effect::ResetSteps, Effect::PassTurn];
    Ok(Transition { from: run.fence, run: next, effects })
}
