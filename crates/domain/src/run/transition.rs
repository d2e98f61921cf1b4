//! The state machine of a run: the only place that decides what may happen to it.
//!
//! | from | change | to |
//! |---|---|---|
//! | QUEUED | Start | RUNNING |
//! | QUEUED | Withdraw | FAILED |
//! | RUNNING | Complete | COMPLETED |
//! | RUNNING | Fail, Recover | FAILED, or QUEUED if the policy grants another attempt |
//! | RUNNING | Cancel | FAILED |
//! | RUNNING | Wait, `HandBack` | QUEUED |
//! | RUNNING | `TimeOut` | `TIMED_OUT` |
//! | FAILED | Retry (proposals) | QUEUED |
//!
//! A run that timed out stays `TIMED_OUT`. A new run may continue its work ([`Effect::Continue`]).
//!
//! [`apply`] takes a run and a change. It returns the run to store and the effects to store in the same transaction.
//! It has no side effects. A store writes the result only if the run still has the fence that the transition started
//! from. Each change has a file in `transition/`.

mod cancel;
mod complete;
mod fail;
mod hand_back;
mod recover;
mod refusal;
mod retry;
mod running;
mod start;
mod time_out;
mod wait;
mod withdraw;

use jiff::{SignedDuration, Timestamp};

use super::events::{RunningStep, run_created, step_interrupted};
use super::failure::{Failure, FailureKind, FailureRecord, FailureType};
use super::fence::Fence;
use super::orphans::Orphaned;
use super::retry::{RecoveryPolicy, RequeuePolicy};
use super::state::{NewRun, Run, RunState};
use super::turn::Turn;
use crate::event::Event;
use crate::ids::{RunId, WorkerId};
use crate::pipeline::StepName;

pub use refusal::TransitionRefused;
pub use wait::Wait;

/// Something that happens to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunChange {
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
    Recover {
        /// What the pipeline does with orphaned runs.
        recovery: RecoveryPolicy,
        /// Whether other runs of the worker were orphaned with it.
        orphaned: Orphaned,
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
    /// A person withdraws it while it waits in the queue.
    Withdraw,
    /// A person cancels it while a worker executes it.
    Cancel,
}

/// An accepted change: what to store, and under which condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The fence that the stored run must still have.
    pub from: Fence,
    /// The run after the change.
    pub run: Run,
    /// What to store with the run. Events keep this order.
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

    /// Names the steps that the worker itself interrupts, in order.
    pub fn interrupt(&mut self, running: &[RunningStep], worker: WorkerId, at: Timestamp) {
        let reason = self.effects.iter().find_map(|effect| match effect {
            Effect::InterruptSteps(reason) => Some(reason.clone()),
            _ => None,
        });
        if let Some(reason) = reason {
            let event = |step: &RunningStep| Event {
                worker: Some(worker),
                ..step_interrupted(self, *step, &reason, at)
            };
            let events = running.iter().map(event).collect();
            self.name_interrupted(events);
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

/// Creates a QUEUED run. The store sets its language and its schema, because it has the document.
pub fn create(new: &NewRun, at: Timestamp) -> (Run, Event) {
    let run = Run {
        id: new.id,
        pipeline: new.pipeline,
        subject: new.subject,
        priority: new.priority,
        correlation_id: new.correlation_id.clone(),
        requested_by: new.requested_by.clone(),
        extractor: new.extractor,
        language: None,
        schema: None,
        continues: new.continues,
        created_at: at,
        queued_at: at,
        failed_attempts: 0,
        shared_orphanings: 0,
        retry_count: 0,
        time_used: SignedDuration::ZERO,
        fence: Fence::default(),
        state: RunState::Queued { available_at: None, lane: None },
    };
    let event = run_created(&run);
    (run, event)
}

/// Applies a change to a run at a certain time.
pub fn apply(run: &Run, change: RunChange, at: Timestamp) -> Result<Transition, TransitionRefused> {
    match change {
        RunChange::Start { worker, limit } => start::start(run, worker, limit, at),
        RunChange::Complete => complete::complete(run, at),
        RunChange::Fail { step, failure, requeue } => fail::fail(run, step, &failure, requeue, at),
        RunChange::TimeOut { continued_by } => time_out::time_out(run, continued_by, at),
        RunChange::Recover { recovery, orphaned } => recover::recover(run, recovery, orphaned, at),
        RunChange::Wait(wait) => wait::wait(run, wait, at),
        RunChange::HandBack => hand_back::hand_back(run, at),
        RunChange::Retry { requeue } => retry::retry(run, requeue, at),
        RunChange::Withdraw => withdraw::withdraw(run, at),
        RunChange::Cancel => cancel::cancel(run, at),
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
mod tests;
