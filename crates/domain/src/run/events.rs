//! Constructors of the events of runs and steps that more than one place records or reports.

use jiff::Timestamp;

use super::failure::{Failure, FailureRecord};
use super::state::{Run, RunState};
use super::transition::{Effect, Transition};
use crate::event::{Event, EventType};
use crate::ids::WorkerId;
use crate::pipeline::StepName;
use crate::plan::StepAttempt;

/// A step that was being worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningStep {
    /// The step.
    pub step: StepName,
    /// Its attempt, from 1.
    pub attempt: u32,
    /// When the attempt started.
    pub started_at: Option<Timestamp>,
}

/// The event of a run that was accepted.
pub fn run_created(run: &Run) -> Event {
    Event::of_run(EventType::RunCreated, run, run.created_at)
}

/// The event of an attempt at a step that begins.
pub fn step_started(run: &Run, attempt: StepAttempt, worker: WorkerId, at: Timestamp) -> Event {
    Event {
        worker: Some(worker),
        step: Some(attempt.step),
        attempt: Some(attempt.number),
        ..Event::of_run(EventType::StepStarted, run, at)
    }
}

/// The event of a step that a transition of its run interrupted, as [`Effect::InterruptSteps`] asks for.
pub fn step_interrupted(
    transition: &Transition,
    interrupted: RunningStep,
    reason: &FailureRecord,
    at: Timestamp,
) -> Event {
    Event {
        fence: Some(transition.from),
        step: Some(interrupted.step),
        attempt: Some(interrupted.attempt),
        started_at: interrupted.started_at,
        failure: Some(FailureRecord { stage: Some(interrupted.step), ..reason.clone() }),
        ..Event::of_run(EventType::StepFailed, &transition.run, at)
    }
}

/// The last event of a write about a run: these events, and then those of the transition that ends the run. If that
/// event is in the history, so is all the rest of the write.
pub fn last_event<'e>(events: &'e [Event], end: Option<&'e Transition>) -> Option<&'e Event> {
    let of_end = end.into_iter().flat_map(|end| &end.effects).filter_map(|effect| match effect {
        Effect::Record(event) => Some(event),
        _ => None,
    });
    events.iter().chain(of_end).next_back()
}

/// The event of a write that was refused because its author no longer holds the run. `last` is the
/// [`last_event`] of that write.
pub fn late_write_refused(run: &Run, last: Option<&Event>, at: Timestamp) -> Event {
    let attempted = last.map_or("an artifact", |event| event.event_type.as_str());
    let worker = match run.state {
        RunState::Running { worker, .. } => worker,
        _ => None,
    };
    let failure = Failure::permanent(
        "LATE_WRITE_REFUSED",
        format!("{attempted} came from an owner that no longer holds the run"),
    );
    Event {
        worker,
        failure: Some(failure.record(None, run.correlation_id.as_deref())),
        ..Event::of_run(EventType::LateWriteRefused, run, at)
    }
}
