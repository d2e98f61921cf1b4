//! A step of a run failed for the last time in this attempt: the run fails, or returns to the queue.

use jiff::Timestamp;

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused};
use crate::event::EventType;
use crate::pipeline::StepName;
use crate::run::retry::doubled;
use crate::run::{Failure, FailureKind, FailureReason, FailureType, RequeuePolicy, Run};

pub(super) fn fail(
    run: &Run,
    step: StepName,
    failure: &Failure,
    requeue: RequeuePolicy,
    at: Timestamp,
) -> Result<Transition, TransitionRefused> {
    let owned = require_running(run, "failed")?;
    let record = failure.record(Some(step), run.correlation_id.as_deref());
    if let RequeuePolicy::Auto { max_claims, base_delay } = requeue
        && failure.kind.is_retryable()
        && run.counted_attempts() + 1 < max_claims
    {
        let mut delay = doubled(base_delay, run.retry_count + 1);
        if let FailureKind::RateLimited { until } | FailureKind::Postponed { until } = failure.kind {
            delay = delay.max(until.duration_since(at));
        }
        return Ok(owned.requeue(run, record, delay, at));
    }
    let failure_type = failure.failure_type.unwrap_or_else(|| FailureType::of_step(step));
    let mut event = owned.event(EventType::RunFailed, run, at);
    event.failure = Some(record.clone());
    let next = owned.failed(run, FailureReason { failure_type, record }, at);
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::PassTurn] })
}
