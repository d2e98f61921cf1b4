//! The worker of a run is gone: the run fails, or returns to the queue.

use jiff::{SignedDuration, Timestamp};

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused, engine_failure};
use crate::event::EventType;
use crate::pipeline::Pipeline;
use crate::run::{FailureKind, FailureReason, FailureRecord, FailureType, Orphaned, RecoveryPolicy, Run};

pub(super) fn recover(
    run: &Run,
    recovery: RecoveryPolicy,
    orphaned: Orphaned,
    at: Timestamp,
) -> Result<Transition, TransitionRefused> {
    let owned = require_running(run, "recovered")?;
    // Which of several runs ended the process is unknown, so none of them is blamed.
    let (blamed, delay) = match orphaned {
        Orphaned::Alone => (1, SignedDuration::ZERO),
        Orphaned::Together { delay } => (0, delay),
    };
    if let RecoveryPolicy::Requeue { max_claims } = recovery
        && run.counted_attempts() + blamed < max_claims
    {
        let record = process_terminated(run, "the run returned to the queue");
        let mut transition = owned.requeue(run, record.clone(), delay, at);
        transition.run.shared_orphanings += 1 - blamed;
        transition.effects.insert(0, Effect::InterruptSteps(record));
        return Ok(transition);
    }
    let record = process_terminated(
        run,
        match run.pipeline {
            Pipeline::Document => "process the document again",
            Pipeline::Proposal => "retry the proposal",
            Pipeline::Link => "retry the link",
        },
    );
    let interrupted = Effect::InterruptSteps(record.clone());
    let mut event = owned.event(EventType::RunRecoveredAsFailed, run, at);
    event.failure = Some(record.clone());
    let reason = FailureReason { failure_type: FailureType::ProcessTerminated, record };
    let next = owned.failed(run, reason, at);
    Ok(Transition {
        from: run.fence,
        run: next,
        effects: vec![interrupted, Effect::Record(event), Effect::PassTurn],
    })
}

fn process_terminated(run: &Run, consequence: &str) -> FailureRecord {
    let message = format!("the process that worked on the run ended before the run did; {consequence}");
    engine_failure(run, FailureKind::Transient, FailureType::ProcessTerminated, &message)
}
