//! Plants one violation of each kind and checks that it is found.

use quire_domain::run::{apply, create};
use quire_domain::{Effect, RunChange, Transition, WorkerId};

use super::*;
use crate::fixture::{at, document_run};

/// A history without violations: one completed run of one step.
fn valid_history() -> StoredHistory {
    let mut history = StoredHistory {
        plan: HashMap::from([(Pipeline::Document, vec![StepName::Extraction])]),
        ..StoredHistory::default()
    };
    add_run(&mut history, SubjectId::new());
    history
}

fn add_run(history: &mut StoredHistory, subject: SubjectId) -> Run {
    let (run, created) = create(&document_run(subject), at(0));
    push(history, created);
    let run = transition(history, &run, start());
    for kind in [EventType::StepStarted, EventType::StepSucceeded] {
        push(history, step_event(kind, &run));
    }
    let run = transition(history, &run, RunChange::Complete);
    history.accepted.push(run.id);
    history.steps.insert(run.id, vec![progress(StepStatus::Succeeded)]);
    history.runs.push(run.clone());
    run
}

fn start() -> RunChange {
    RunChange::Start { worker: WorkerId::new(), limit: jiff::SignedDuration::from_secs(120) }
}

fn push(history: &mut StoredHistory, event: Event) {
    let id = EventId(i64::try_from(history.events.len()).unwrap() + 1);
    history.events.push(RecordedEvent { id, event });
}

fn transition(history: &mut StoredHistory, run: &Run, change: RunChange) -> Run {
    let Transition { run, effects, .. } = apply(run, change, at(1)).unwrap();
    for effect in effects {
        if let Effect::Record(event) = effect {
            push(history, event);
        }
    }
    run
}

fn step_event(kind: EventType, run: &Run) -> Event {
    Event { step: Some(StepName::Extraction), attempt: Some(1), ..Event::of_run(kind, run, at(1)) }
}

fn progress(status: StepStatus) -> StepProgress {
    StepProgress {
        step: StepName::Extraction,
        status,
        attempt: 1,
        started_at: None,
        completed_at: None,
        error_code: None,
        error_message: None,
    }
}

fn event_of(history: &StoredHistory, kind: EventType) -> usize {
    history.events.iter().position(|recorded| recorded.event.event_type == kind).unwrap()
}

#[test]
fn a_valid_history_has_no_violations() {
    let report = valid_history().check();
    assert_eq!(report.violations, []);
    assert_eq!((report.runs, report.claims, report.states["COMPLETED"]), (1, 1, 1));
}

#[test]
fn a_missing_accepted_run_is_found() {
    let mut history = valid_history();
    let lost = RunId::new();
    history.accepted.push(lost);
    assert_eq!(history.check().violations, [Violation::RunLost(lost)]);
}

#[test]
fn a_run_that_has_not_ended_is_found() {
    let mut history = valid_history();
    let (run, created) = create(&document_run(SubjectId::new()), at(0));
    push(&mut history, created);
    history.runs.push(run.clone());
    assert_eq!(history.check().violations, [Violation::NotEnded(run.id, "QUEUED")]);
}

#[test]
fn a_run_that_ended_twice_or_without_an_event_is_found() {
    let mut history = valid_history();
    let end = event_of(&history, EventType::RunCompleted);
    let again = history.events[end].event.clone();
    push(&mut history, again);
    let run = history.runs[0].id;
    let violations = history.check().violations;
    assert!(violations.contains(&Violation::EndedTimes(run, 2)), "{violations:?}");

    let mut history = valid_history();
    history.events.remove(end);
    let run = history.runs[0].id;
    assert_eq!(history.check().violations, [Violation::EndedTimes(run, 0)]);
}

#[test]
fn a_row_that_contradicts_its_history_is_found() {
    let mut history = valid_history();
    let end = event_of(&history, EventType::RunCompleted);
    history.events[end].event.event_type = EventType::RunFailed;
    let run = history.runs[0].id;
    assert_eq!(history.check().violations, [Violation::EndDiffers(run, "COMPLETED")]);
}

#[test]
fn two_running_runs_of_a_subject_are_found() {
    let mut history = valid_history();
    let subject = history.runs[0].subject;
    let second = add_run(&mut history, subject);
    assert_eq!(history.check().violations, []);
    // The second starts before the first has ended.
    let start = history
        .events
        .iter()
        .position(|r| r.event.run == Some(second.id) && r.event.event_type == EventType::RunStarted)
        .unwrap();
    let started = history.events.remove(start);
    let end = event_of(&history, EventType::RunCompleted);
    history.events.insert(end, started);
    let first = history.runs[0].id;
    assert_eq!(history.check().violations, [Violation::TwoRunning(subject, first, second.id)]);
}

#[test]
fn an_attempt_that_starts_during_another_is_found() {
    let mut history = valid_history();
    let start = event_of(&history, EventType::RunStarted);
    let again = history.events[start].clone();
    history.events.insert(start + 1, again);
    let run = history.runs[0].id;
    assert_eq!(history.check().violations, [Violation::StartedTwice(run)]);
}

#[test]
fn a_success_under_a_stale_fence_is_found() {
    for kind in [EventType::StepSucceeded, EventType::RunCompleted] {
        let mut history = valid_history();
        let index = event_of(&history, kind);
        history.events[index].event.fence = Some(Fence(99));
        let run = history.runs[0].id;
        assert_eq!(history.check().violations, [Violation::StaleFence(run, kind)]);
    }
}

#[test]
fn a_repeated_or_missing_step_is_found() {
    let mut history = valid_history();
    let succeeded = event_of(&history, EventType::StepSucceeded);
    for offset in [0, 1] {
        let again = history.events[succeeded - 1 + offset].clone();
        history.events.insert(succeeded + 1 + offset, again);
    }
    let run = history.runs[0].id;
    assert_eq!(history.check().violations, [Violation::StepRepeated(run, StepName::Extraction)]);

    let mut history = valid_history();
    history.plan.insert(Pipeline::Document, vec![StepName::Extraction, StepName::Interpretation]);
    let run = history.runs[0].id;
    assert_eq!(history.check().violations, [Violation::StepsMissing(run)]);
}

#[test]
fn step_progress_that_differs_from_its_events_is_found() {
    let mut history = valid_history();
    let run = history.runs[0].id;
    history.steps.insert(run, vec![progress(StepStatus::Running)]);
    assert_eq!(history.check().violations, [Violation::ProgressDiffers(run, StepName::Extraction)]);
}
