//! The state machine of a run: the one place that says what may become of it.
//!
//! ```text
//!            Start                 Complete
//! QUEUED ───────────▶ RUNNING ───────────────▶ COMPLETED
//!   ▲  │                │ │ └── Fail, Orphan ─▶ FAILED ──┐
//!   │  └─ Withdraw ─────┼─┼───────────────────▶   │      │ Retry (proposal, link)
//!   │                   │ └── TimeOut ────────▶ TIMED_OUT│
//!   └── Fail, Orphan, HandBack ──────────────────────────┘
//! ```
//!
//! [`apply`] takes a run and what happened to it and returns the run as it must be stored, together with the
//! effects that have to be stored in the same transaction. It performs nothing itself. A store writes the result
//! only if the run's fence is still the one that the transition started from.

use jiff::{SignedDuration, Timestamp};

use super::failure::{Failure, FailureKind, FailureRecord, FailureType};
use super::lease::Fence;
use super::recorded::run_created;
use super::retry::{RecoveryPolicy, RequeuePolicy, doubled};
use super::state::{FailureReason, NewRun, Run, RunState};
use super::turn::Turn;
use crate::event::{Event, EventType};
use crate::ids::WorkerId;
use crate::pipeline::{Pipeline, StepName};

/// Something that happens to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A worker takes it.
    Start {
        /// Who.
        worker: WorkerId,
        /// For how long at most.
        limit: SignedDuration,
    },
    /// Its last step succeeded.
    Complete,
    /// A step failed for the last time in this attempt.
    Fail {
        /// Which.
        step: StepName,
        /// How.
        failure: Failure,
        /// What the pipeline does then.
        requeue: RequeuePolicy,
    },
    /// Its owner lives and has kept it too long.
    TimeOut,
    /// Its owner is gone.
    Orphan {
        /// What the pipeline does then.
        recovery: RecoveryPolicy,
    },
    /// Its owner gives it back before having worked on it.
    HandBack,
    /// A person sends it back to the queue.
    Retry {
        /// Whether the pipeline allows that.
        requeue: RequeuePolicy,
    },
    /// A person no longer wants it.
    Withdraw,
}

/// A change that was accepted: what to store, and under which condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The fence the stored run must still have.
    pub from: Fence,
    /// The run afterwards.
    pub run: Run,
    /// What has to be stored with it, in this order.
    pub effects: Vec<Effect>,
}

impl Transition {
    /// The same, with the name of whoever asked for it in what is recorded.
    #[must_use]
    pub fn by(mut self, actor: &str) -> Self {
        for effect in &mut self.effects {
            if let Effect::Record(event) = effect {
                event.actor = Some(actor.to_owned());
            }
        }
        self
    }

    /// The turn that the run has afterwards.
    pub fn turn(&self, at: Timestamp) -> Option<Turn> {
        if self.is_newcomer() { Some(Turn::Behind) } else { Turn::at_front(&self.run, at) }
    }

    /// Whether the run comes back to a subject where others may wait: then it gets its place only when the turn is
    /// given anew.
    pub fn is_newcomer(&self) -> bool {
        matches!(self.run.state, RunState::Queued { .. }) && self.effects.contains(&Effect::PassTurn)
    }
}

/// What has to be stored together with a run's new state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Append this to the history.
    Record(Event),
    /// Steps that are running were interrupted: record each as failed, for this reason.
    InterruptSteps(FailureRecord),
    /// Steps that have not succeeded are to be done again.
    ReopenSteps,
    /// The subject's next run may go.
    PassTurn,
}

/// Why a change was not accepted. Nothing is stored then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Only a queued run can be started or withdrawn.
    #[error("the run is {state}; only a QUEUED run can be {wish}")]
    NotQueued {
        /// Where it stands.
        state: &'static str,
        /// What was asked.
        wish: &'static str,
    },
    /// Only a running run can end.
    #[error("the run is {state}; only a RUNNING run can be {wish}")]
    NotRunning {
        /// Where it stands.
        state: &'static str,
        /// What was asked.
        wish: &'static str,
    },
    /// Only a failed run can be retried.
    #[error("the run is {state}; only a FAILED run can be retried")]
    NotFailed {
        /// Where it stands.
        state: &'static str,
    },
    /// This pipeline's runs are not retried by hand.
    #[error("{pipeline} runs are not retried; create a new run instead")]
    RetryNotAllowed {
        /// The pipeline.
        pipeline: Pipeline,
    },
    /// It was retried as often as it may be.
    #[error("the run was already retried {max} times, which is the most allowed; create a new run instead")]
    RetriesSpent {
        /// The most allowed.
        max: u32,
    },
}

/// A new run, accepted: QUEUED, never tried. Its language is known to whoever keeps the document: the store fills it
/// in as it takes the run.
pub fn create(new: &NewRun, at: Timestamp) -> (Run, Event) {
    let run = Run {
        id: new.id,
        pipeline: new.pipeline,
        subject: new.subject,
        priority: new.priority,
        correlation_id: new.correlation_id.clone(),
        language: None,
        schema: None,
        created_at: at,
        queued_at: at,
        attempts: 0,
        retry_count: 0,
        fence: Fence::default(),
        state: RunState::Queued { available_at: None },
    };
    let event = run_created(&run);
    (run, event)
}

/// What becomes of `run` when `change` happens to it at `at`.
pub fn apply(run: &Run, change: Change, at: Timestamp) -> Result<Transition, Refusal> {
    match change {
        Change::Start { worker, limit } => start(run, worker, limit, at),
        Change::Complete => complete(run, at),
        Change::Fail { step, failure, requeue } => fail(run, step, &failure, requeue, at),
        Change::TimeOut => time_out(run, at),
        Change::Orphan { recovery } => orphan(run, recovery, at),
        Change::HandBack => hand_back(run, at),
        Change::Retry { requeue } => retry(run, requeue, at),
        Change::Withdraw => withdraw(run, at),
    }
}

fn start(run: &Run, worker: WorkerId, limit: SignedDuration, at: Timestamp) -> Result<Transition, Refusal> {
    let RunState::Queued { .. } = run.state else {
        return Err(Refusal::NotQueued { state: run.state.as_str(), wish: "started" });
    };
    // A limit beyond the calendar is no limit.
    let deadline_at = at.checked_add(limit).ok();
    let next = moved(run, RunState::Running { started_at: at, deadline_at, worker: Some(worker) });
    // The event carries the token that this start hands out.
    let event = Event { worker: Some(worker), ..Event::of_run(EventType::RunStarted, &next, at) };
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event)] })
}

fn complete(run: &Run, at: Timestamp) -> Result<Transition, Refusal> {
    let owned = owned(run, "completed")?;
    let next = moved(run, RunState::Completed { started_at: owned.started_at, completed_at: at });
    let event = owned.event(EventType::RunCompleted, run, at);
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::PassTurn] })
}

fn fail(
    run: &Run,
    step: StepName,
    failure: &Failure,
    requeue: RequeuePolicy,
    at: Timestamp,
) -> Result<Transition, Refusal> {
    let owned = owned(run, "failed")?;
    let record = failure.record(Some(step), run.correlation_id.as_deref());
    let attempts = run.attempts + 1;
    if let RequeuePolicy::Auto { max_claims, base_delay } = requeue
        && failure.kind.is_retryable()
        && attempts < max_claims
    {
        let mut delay = doubled(base_delay, run.retry_count + 1);
        if let FailureKind::RateLimited { until } = failure.kind {
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

fn time_out(run: &Run, at: Timestamp) -> Result<Transition, Refusal> {
    let owned = owned(run, "timed out")?;
    let record = own_record(
        run,
        FailureType::RunTimedOut,
        "the run took longer than its limit; try again, or raise the pipeline's run limit",
    );
    let mut event = owned.event(EventType::RunTimedOut, run, at);
    event.failure = Some(record.clone());
    let next = Run {
        attempts: run.attempts + 1,
        ..moved(
            run,
            RunState::TimedOut {
                started_at: owned.started_at,
                completed_at: at,
                reason: FailureReason { failure_type: FailureType::RunTimedOut, record: record.clone() },
            },
        )
    };
    let effects = vec![Effect::InterruptSteps(record), Effect::Record(event), Effect::PassTurn];
    Ok(Transition { from: run.fence, run: next, effects })
}

fn orphan(run: &Run, recovery: RecoveryPolicy, at: Timestamp) -> Result<Transition, Refusal> {
    let owned = owned(run, "recovered")?;
    let record = own_record(
        run,
        FailureType::ProcessTerminated,
        "the process that worked on the run ended before the run did; create a new run to try again",
    );
    let attempts = run.attempts + 1;
    let interrupted = Effect::InterruptSteps(record.clone());
    if let RecoveryPolicy::Requeue { max_claims } = recovery
        && attempts < max_claims
    {
        let mut transition = owned.requeue(run, record, SignedDuration::ZERO, at);
        transition.effects.insert(0, interrupted);
        return Ok(transition);
    }
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

fn hand_back(run: &Run, at: Timestamp) -> Result<Transition, Refusal> {
    let owned = owned(run, "handed back")?;
    let event = owned.event(EventType::RunRequeued, run, at);
    // It keeps its counters and its place in the queue: being given back is not the run's fault.
    let next = moved(run, RunState::Queued { available_at: None });
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::ReopenSteps] })
}

fn retry(run: &Run, requeue: RequeuePolicy, at: Timestamp) -> Result<Transition, Refusal> {
    let RequeuePolicy::Manual { max_retries, base_delay } = requeue else {
        return Err(Refusal::RetryNotAllowed { pipeline: run.pipeline });
    };
    let RunState::Failed { .. } = run.state else {
        return Err(Refusal::NotFailed { state: run.state.as_str() });
    };
    if run.pipeline == Pipeline::Document {
        return Err(Refusal::RetryNotAllowed { pipeline: run.pipeline });
    }
    if run.retry_count >= max_retries {
        return Err(Refusal::RetriesSpent { max: max_retries });
    }
    let retry_count = run.retry_count + 1;
    let delay = doubled(base_delay, retry_count);
    let next = Run {
        retry_count,
        // A withdrawn run never had an attempt; it may be retried all the same.
        attempts: run.attempts.max(retry_count),
        queued_at: at,
        ..moved(run, RunState::Queued { available_at: available_at(at, delay) })
    };
    let event = Event { delay_ms: millis(delay), ..Event::of_run(EventType::RunRetried, run, at) };
    let effects = vec![Effect::Record(event), Effect::ReopenSteps, Effect::PassTurn];
    Ok(Transition { from: run.fence, run: next, effects })
}

fn withdraw(run: &Run, at: Timestamp) -> Result<Transition, Refusal> {
    let RunState::Queued { .. } = run.state else {
        return Err(Refusal::NotQueued { state: run.state.as_str(), wish: "withdrawn" });
    };
    let record = own_record(run, FailureType::Withdrawn, "the run was withdrawn before it started");
    let next = moved(
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

/// What a running run has that the others have not.
struct Owned {
    started_at: Timestamp,
    worker: Option<WorkerId>,
}

fn owned(run: &Run, wish: &'static str) -> Result<Owned, Refusal> {
    match run.state {
        RunState::Running { started_at, worker, .. } => Ok(Owned { started_at, worker }),
        _ => Err(Refusal::NotRunning { state: run.state.as_str(), wish }),
    }
}

impl Owned {
    /// An event that ends this attempt.
    fn event(&self, event_type: EventType, run: &Run, at: Timestamp) -> Event {
        Event { worker: self.worker, started_at: Some(self.started_at), ..Event::of_run(event_type, run, at) }
    }

    /// The end of a run after an attempt that counts.
    fn failed(&self, run: &Run, reason: FailureReason, at: Timestamp) -> Run {
        let state = RunState::Failed { started_at: Some(self.started_at), completed_at: at, reason };
        Run { attempts: run.attempts + 1, ..moved(run, state) }
    }

    /// Back to the queue after an attempt that counts.
    fn requeue(&self, run: &Run, record: FailureRecord, delay: SignedDuration, at: Timestamp) -> Transition {
        let next = Run {
            attempts: run.attempts + 1,
            retry_count: run.retry_count + 1,
            queued_at: at,
            ..moved(run, RunState::Queued { available_at: available_at(at, delay) })
        };
        let event = Event {
            failure: Some(record),
            delay_ms: millis(delay),
            ..self.event(EventType::RunRequeued, run, at)
        };
        Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::ReopenSteps] }
    }
}

/// The same run in another state, one transition further.
fn moved(run: &Run, state: RunState) -> Run {
    Run { state, fence: run.fence.next(), ..run.clone() }
}

/// The record of a failure that the engine itself states.
fn own_record(run: &Run, failure_type: FailureType, message: &str) -> FailureRecord {
    Failure::permanent(failure_type.as_str(), message).record(None, run.correlation_id.as_deref())
}

fn available_at(at: Timestamp, delay: SignedDuration) -> Option<Timestamp> {
    if delay <= SignedDuration::ZERO {
        None
    } else {
        Some(at.saturating_add(delay).unwrap_or(Timestamp::MAX))
    }
}

fn millis(delay: SignedDuration) -> Option<u64> {
    u64::try_from(delay.as_millis()).ok()
}

#[cfg(test)]
#[path = "transition_tests.rs"]
mod tests;
