//! The state machine of a run: the only place that decides what may happen to it.
//!
//! ```text
//!            Start                 Complete
//! QUEUED ───────────▶ RUNNING ───────────────▶ COMPLETED
//!   ▲  │                │ │ └── Fail, Orphan ─▶ FAILED ──┐
//!   │  └─ Withdraw ─────┼─┼───────────────────▶   │      │ Retry (proposal, link)
//!   │                   │ └── TimeOut ────────▶ TIMED_OUT│
//!   └── Fail, Orphan, HandBack, Wait ────────────────────┘
//! ```
//!
//! A run that timed out stays `TIMED_OUT`. A new run may continue its work ([`Effect::Continue`]).
//!
//! [`apply`] takes a run and a change. It returns the run to store and the effects to store in the same transaction.
//! It has no side effects. A store writes the result only if the run still has the fence that the transition started
//! from.

mod wait;

use jiff::{SignedDuration, Timestamp};

pub use wait::Wait;

use super::failure::{Failure, FailureKind, FailureRecord, FailureType};
use super::fence::Fence;
use super::orphans::Company;
use super::recorded::{RunningStep, run_created, step_interrupted};
use super::retry::{RecoveryPolicy, RequeuePolicy, doubled};
use super::state::{FailureReason, NewRun, Run, RunState};
use super::turn::Turn;
use crate::event::{Event, EventType};
use crate::ids::{RunId, WorkerId};
use crate::pipeline::{Pipeline, StepName};
use crate::review::review_ended_by;

/// Something that happens to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A worker claims it.
    Start {
        /// The worker.
        worker: WorkerId,
        /// The time limit of the attempt.
        limit: SignedDuration,
    },
    /// The last step succeeded.
    Complete,
    /// A step failed for the last time in this attempt.
    Fail {
        /// The step that failed.
        step: StepName,
        /// The failure of the step.
        failure: Failure,
        /// What the pipeline does after a failed attempt.
        requeue: RequeuePolicy,
    },
    /// The worker is alive but exceeded the time limit.
    TimeOut {
        /// The id of a new run that continues the work, if there is to be one.
        continued_by: Option<RunId>,
    },
    /// The worker is gone.
    Orphan {
        /// What the pipeline does with orphaned runs.
        recovery: RecoveryPolicy,
        /// Whether other runs of the worker were orphaned with it.
        company: Company,
    },
    /// It waits for its next step attempt or for a time, and holds nothing meanwhile.
    Wait(Wait),
    /// The worker returns it unfinished, because the worker stops or did not know that it owns the run.
    HandBack,
    /// A person returns it to the queue.
    Retry {
        /// Whether the pipeline allows manual retries.
        requeue: RequeuePolicy,
    },
    /// A person withdraws it.
    Withdraw,
}

/// An accepted change: what to store, and under which condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The fence that the stored run must still have.
    pub from: Fence,
    /// The run after the change.
    pub run: Run,
    /// What to store with the run, in this order.
    pub effects: Vec<Effect>,
}

impl Transition {
    /// Sets the actor of the recorded events.
    #[must_use]
    pub fn by(mut self, actor: &str) -> Self {
        for effect in &mut self.effects {
            if let Effect::Record(event) = effect {
                event.actor = Some(actor.to_owned());
            }
        }
        self
    }

    /// Names the steps that were interrupted: their events replace [`Effect::InterruptSteps`]. Only the store knows which
    /// steps were running.
    pub fn name_interrupted(&mut self, steps: Vec<Event>) {
        if let Some(place) =
            self.effects.iter().position(|effect| matches!(effect, Effect::InterruptSteps(_)))
        {
            self.effects.splice(place..=place, steps.into_iter().map(Effect::Record));
        }
    }

    /// Names the step that the worker itself interrupts.
    pub fn interrupt(&mut self, running: RunningStep, worker: WorkerId, at: Timestamp) {
        let reason = self.effects.iter().find_map(|effect| match effect {
            Effect::InterruptSteps(reason) => Some(reason.clone()),
            _ => None,
        });
        if let Some(reason) = reason {
            let event = Event { worker: Some(worker), ..step_interrupted(self, running, &reason, at) };
            self.name_interrupted(vec![event]);
        }
    }

    /// The turn of the run after the change.
    pub fn turn(&self, at: Timestamp) -> Option<Turn> {
        if self.rejoins_queue() { Some(Turn::Behind) } else { Turn::at_front(&self.run, at) }
    }

    /// Whether the run returns to a subject where other runs may wait. It then gets its place when the turn is
    /// passed.
    pub fn rejoins_queue(&self) -> bool {
        matches!(self.run.state, RunState::Queued { .. }) && self.effects.contains(&Effect::PassTurn)
    }
}

/// What must be stored together with the new state of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Append this event.
    Record(Event),
    /// Record each running step as failed, for this reason.
    InterruptSteps(FailureRecord),
    /// Reset the steps that have not succeeded.
    ResetSteps,
    /// If the subject is a document that is REVIEWED, make it `IN_REVIEW` and append this event. What the review taught
    /// stays.
    EndReview(Event),
    /// Let the next run of the subject go.
    PassTurn,
    /// Create this run, unless another run of the subject waits: that one continues the work too.
    Continue(NewRun),
}

/// Why a change was refused. Nothing is stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Only a queued run can be started or withdrawn.
    #[error("the run is {state}; only a QUEUED run can be {action}")]
    NotQueued {
        /// The state of the run.
        state: &'static str,
        /// What the change would have done.
        action: &'static str,
    },
    /// Only a running run can end.
    #[error("the run is {state}; only a RUNNING run can be {action}")]
    NotRunning {
        /// The state of the run.
        state: &'static str,
        /// What the change would have done.
        action: &'static str,
    },
    /// Only a failed run can be retried.
    #[error("the run is {state}; only a FAILED run can be retried")]
    NotFailed {
        /// The state of the run.
        state: &'static str,
    },
    /// Runs of this pipeline cannot be retried by a person.
    #[error("{pipeline} runs are not retried; create a new run instead")]
    RetryNotAllowed {
        /// The pipeline of the run.
        pipeline: Pipeline,
    },
    /// The run has no retries left.
    #[error("the run was already retried {max} times, which is the most allowed; create a new run instead")]
    RetriesSpent {
        /// The number of allowed retries.
        max: u32,
    },
}

/// Creates a QUEUED run. The store sets its language and its schema, because it has the document.
pub fn create(new: &NewRun, at: Timestamp) -> (Run, Event) {
    let run = Run {
        id: new.id,
        pipeline: new.pipeline,
        subject: new.subject,
        priority: new.priority,
        correlation_id: new.correlation_id.clone(),
        language: None,
        schema: None,
        continues: new.continues,
        created_at: at,
        queued_at: at,
        attempts: 0,
        shared_orphanings: 0,
        retry_count: 0,
        held: SignedDuration::ZERO,
        fence: Fence::default(),
        state: RunState::Queued { available_at: None },
    };
    let event = run_created(&run);
    (run, event)
}

/// Applies a change to a run at a certain time.
pub fn apply(run: &Run, change: Change, at: Timestamp) -> Result<Transition, Refusal> {
    match change {
        Change::Start { worker, limit } => start(run, worker, limit, at),
        Change::Complete => complete(run, at),
        Change::Fail { step, failure, requeue } => fail(run, step, &failure, requeue, at),
        Change::TimeOut { continued_by } => time_out(run, continued_by, at),
        Change::Orphan { recovery, company } => orphan(run, recovery, company, at),
        Change::Wait(wait) => wait::wait(run, wait, at),
        Change::HandBack => hand_back(run, at),
        Change::Retry { requeue } => retry(run, requeue, at),
        Change::Withdraw => withdraw(run, at),
    }
}

fn start(run: &Run, worker: WorkerId, limit: SignedDuration, at: Timestamp) -> Result<Transition, Refusal> {
    let RunState::Queued { .. } = run.state else {
        return Err(Refusal::NotQueued { state: run.state.as_str(), action: "started" });
    };
    // The time before a wait counts. A limit beyond the end of the calendar is no limit.
    let left = limit.saturating_sub(run.held).max(SignedDuration::ZERO);
    let deadline_at = at.checked_add(left).ok();
    let next = with_state(run, RunState::Running { started_at: at, deadline_at, worker: Some(worker) });
    // The event carries the fencing token that this start issues.
    let event = Event { worker: Some(worker), ..Event::of_run(EventType::RunStarted, &next, at) };
    Ok(Transition { from: run.fence, run: next, effects: vec![Effect::Record(event)] })
}

fn complete(run: &Run, at: Timestamp) -> Result<Transition, Refusal> {
    let owned = require_running(run, "completed")?;
    let next = with_state(run, RunState::Completed { started_at: owned.started_at, completed_at: at });
    let mut effects = vec![Effect::Record(owned.event(EventType::RunCompleted, run, at))];
    if run.pipeline == Pipeline::Document {
        effects.push(Effect::EndReview(review_ended_by(run, at)));
    }
    effects.push(Effect::PassTurn);
    Ok(Transition { from: run.fence, run: next, effects })
}

fn fail(
    run: &Run,
    step: StepName,
    failure: &Failure,
    requeue: RequeuePolicy,
    at: Timestamp,
) -> Result<Transition, Refusal> {
    let owned = require_running(run, "failed")?;
    let record = failure.record(Some(step), run.correlation_id.as_deref());
    if let RequeuePolicy::Auto { max_claims, base_delay } = requeue
        && failure.kind.is_retryable()
        && run.counted_attempts() + 1 < max_claims
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

fn time_out(run: &Run, continued_by: Option<RunId>, at: Timestamp) -> Result<Transition, Refusal> {
    let owned = require_running(run, "timed out")?;
    let record = engine_failure(
        run,
        FailureKind::TimedOut,
        FailureType::RunTimedOut,
        "the run took longer than its limit; try again, or raise run_limit of its pipeline",
    );
    let mut event = owned.event(EventType::RunTimedOut, run, at);
    event.failure = Some(record.clone());
    let next = Run {
        attempts: run.attempts + 1,
        ..with_state(
            run,
            RunState::TimedOut {
                started_at: owned.started_at,
                completed_at: at,
                reason: FailureReason { failure_type: FailureType::RunTimedOut, record: record.clone() },
            },
        )
    };
    let mut effects = vec![Effect::InterruptSteps(record), Effect::Record(event), Effect::PassTurn];
    effects.extend(continued_by.map(|id| Effect::Continue(NewRun::continuing(run, id))));
    Ok(Transition { from: run.fence, run: next, effects })
}

fn orphan(
    run: &Run,
    recovery: RecoveryPolicy,
    company: Company,
    at: Timestamp,
) -> Result<Transition, Refusal> {
    let owned = require_running(run, "recovered")?;
    let record = engine_failure(
        run,
        FailureKind::Transient,
        FailureType::ProcessTerminated,
        "the process that worked on the run ended before the run did; create a new run to try again",
    );
    let interrupted = Effect::InterruptSteps(record.clone());
    // Which of several runs ended the process is unknown, so none of them is blamed.
    let (blamed, delay) = match company {
        Company::Alone => (1, SignedDuration::ZERO),
        Company::Others { delay } => (0, delay),
    };
    if let RecoveryPolicy::Requeue { max_claims } = recovery
        && run.counted_attempts() + blamed < max_claims
    {
        let mut transition = owned.requeue(run, record, delay, at);
        transition.run.shared_orphanings += 1 - blamed;
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
    let owned = require_running(run, "handed back")?;
    let interrupted = engine_failure(
        run,
        FailureKind::Transient,
        FailureType::ProcessTerminated,
        "the worker stopped before the step ended; the run is back in the queue and repeats the step",
    );
    let event = owned.event(EventType::RunRequeued, run, at);
    // The run keeps its counters and its place in the queue, because it did nothing wrong.
    let queued = with_state(run, RunState::Queued { available_at: None });
    let next = Run { held: SignedDuration::ZERO, ..queued };
    let effects = vec![Effect::InterruptSteps(interrupted), Effect::Record(event), Effect::ResetSteps];
    Ok(Transition { from: run.fence, run: next, effects })
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
        // A withdrawn run had no attempt, but may be retried.
        attempts: run.attempts.max(retry_count),
        queued_at: at,
        held: SignedDuration::ZERO,
        ..with_state(run, RunState::Queued { available_at: available_at(at, delay) })
    };
    let event = Event { delay_ms: millis(delay), ..Event::of_run(EventType::RunRetried, run, at) };
    let effects = vec![Effect::Record(event), Effect::ResetSteps, Effect::PassTurn];
    Ok(Transition { from: run.fence, run: next, effects })
}

fn withdraw(run: &Run, at: Timestamp) -> Result<Transition, Refusal> {
    let RunState::Queued { .. } = run.state else {
        return Err(Refusal::NotQueued { state: run.state.as_str(), action: "withdrawn" });
    };
    let record = engine_failure(
        run,
        FailureKind::Permanent,
        FailureType::Withdrawn,
        "the run was withdrawn before it started; process the document again if that was a mistake",
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

/// The data that only a running run has.
struct RunningData {
    started_at: Timestamp,
    worker: Option<WorkerId>,
}

fn require_running(run: &Run, action: &'static str) -> Result<RunningData, Refusal> {
    match run.state {
        RunState::Running { started_at, worker, .. } => Ok(RunningData { started_at, worker }),
        _ => Err(Refusal::NotRunning { state: run.state.as_str(), action }),
    }
}

impl RunningData {
    /// An event that ends this attempt.
    fn event(&self, event_type: EventType, run: &Run, at: Timestamp) -> Event {
        Event { worker: self.worker, started_at: Some(self.started_at), ..Event::of_run(event_type, run, at) }
    }

    /// The failed run after an attempt that counts.
    fn failed(&self, run: &Run, reason: FailureReason, at: Timestamp) -> Run {
        let state = RunState::Failed { started_at: Some(self.started_at), completed_at: at, reason };
        Run { attempts: run.attempts + 1, ..with_state(run, state) }
    }

    /// The queued run after an attempt that counts.
    fn requeue(&self, run: &Run, record: FailureRecord, delay: SignedDuration, at: Timestamp) -> Transition {
        let next = Run {
            attempts: run.attempts + 1,
            retry_count: run.retry_count + 1,
            queued_at: at,
            held: SignedDuration::ZERO,
            ..with_state(run, RunState::Queued { available_at: available_at(at, delay) })
        };
        let event = Event {
            failure: Some(record),
            delay_ms: millis(delay),
            ..self.event(EventType::RunRequeued, run, at)
        };
        Transition { from: run.fence, run: next, effects: vec![Effect::Record(event), Effect::ResetSteps] }
    }
}

/// The run in another state, with the next fence.
fn with_state(run: &Run, state: RunState) -> Run {
    Run { state, fence: run.fence.next(), ..run.clone() }
}

/// The record of a failure that the engine itself reports.
fn engine_failure(run: &Run, kind: FailureKind, failure_type: FailureType, message: &str) -> FailureRecord {
    Failure::new(kind, failure_type.as_str(), message).record(None, run.correlation_id.as_deref())
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
