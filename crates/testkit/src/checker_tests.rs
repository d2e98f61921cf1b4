//! One planted violation of each kind, each caught.

use quire_domain::run::{apply, create};
use quire_domain::{Change, Effect, Transition, WorkerId};

use super::*;
use crate::fixture::{at, document_run};

/// A history without fault: one run, one step, completed.
fn sound() -> StoredHistory {
    let mut evidence = StoredHistory {
        plan: HashMap::from([(Pipeline::Document, vec![StepName::Extraction])]),
        ..StoredHistory::default()
    };
    add_run(&mut evidence, SubjectId::new());
    evidence
}

fn add_run(evidence: &mut StoredHistory, subject: SubjectId) -> Run {
    let (run, created) = create(&document_run(subject), at(0));
    push(evidence, created);
    let run = transition(evidence, &run, start());
    for kind in [EventType::StepStarted, EventType::StepSucceeded] {
        push(evidence, step_event(kind, &run));
    }
    let run = transition(evidence, &run, Change::Complete);
    evidence.accepted.push(run.id);
    evidence.steps.insert(run.id, vec![progress(StepStatus::Succeeded)]);
    evidence.runs.push(run.clone());
    run
}

fn start() -> Change {
    Change::Start { worker: WorkerId::new(), limit: jiff::SignedDuration::from_secs(120) }
}

fn push(evidence: &mut StoredHistory, event: Event) {
    let id = EventId(i64::try_from(evidence.events.len()).unwrap() + 1);
    evidence.events.push(RecordedEvent { id, event });
}

fn transition(evidence: &mut StoredHistory, run: &Run, change: Change) -> Run {
    let Transition { run, effects, .. } = apply(run, change, at(1)).unwrap();
    for effect in effects {
        if let Effect::Record(event) = effect {
            push(evidence, event);
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

fn event_of(evidence: &StoredHistory, kind: EventType) -> usize {
    evidence.events.iter().position(|recorded| recorded.event.event_type == kind).unwrap()
}

#[test]
fn a_sound_history_passes() {
    let checked = sound().check();
    assert_eq!(checked.violations, []);
    assert_eq!((checked.runs, checked.attempts, checked.states["COMPLETED"]), (1, 1, 1));
}

#[test]
fn an_accepted_run_that_is_gone_is_caught() {
    let mut evidence = sound();
    let lost = RunId::new();
    evidence.accepted.push(lost);
    assert_eq!(evidence.check().violations, [Violation::RunLost(lost)]);
}

#[test]
fn a_run_that_never_ended_is_caught() {
    let mut evidence = sound();
    let (run, created) = create(&document_run(SubjectId::new()), at(0));
    push(&mut evidence, created);
    evidence.runs.push(run.clone());
    assert_eq!(evidence.check().violations, [Violation::NotEnded(run.id, "QUEUED")]);
}

#[test]
fn a_run_that_ended_twice_or_without_a_word_is_caught() {
    let mut evidence = sound();
    let end = event_of(&evidence, EventType::RunCompleted);
    let again = evidence.events[end].event.clone();
    push(&mut evidence, again);
    let run = evidence.runs[0].id;
    let violations = evidence.check().violations;
    assert!(violations.contains(&Violation::EndedTimes(run, 2)), "{violations:?}");

    let mut evidence = sound();
    evidence.events.remove(end);
    let run = evidence.runs[0].id;
    assert_eq!(evidence.check().violations, [Violation::EndedTimes(run, 0)]);
}

#[test]
fn a_row_that_contradicts_its_history_is_caught() {
    let mut evidence = sound();
    let end = event_of(&evidence, EventType::RunCompleted);
    evidence.events[end].event.event_type = EventType::RunFailed;
    let run = evidence.runs[0].id;
    assert_eq!(evidence.check().violations, [Violation::EndDiffers(run, "COMPLETED")]);
}

#[test]
fn two_running_runs_of_a_subject_are_caught() {
    let mut evidence = sound();
    let subject = evidence.runs[0].subject;
    let second = add_run(&mut evidence, subject);
    assert_eq!(evidence.check().violations, []);
    // The second starts before the first has ended.
    let start = evidence
        .events
        .iter()
        .position(|r| r.event.run == Some(second.id) && r.event.event_type == EventType::RunStarted)
        .unwrap();
    let started = evidence.events.remove(start);
    let end = event_of(&evidence, EventType::RunCompleted);
    evidence.events.insert(end, started);
    let first = evidence.runs[0].id;
    assert_eq!(evidence.check().violations, [Violation::TwoRunning(subject, first, second.id)]);
}

#[test]
fn an_attempt_that_starts_within_another_is_caught() {
    let mut evidence = sound();
    let start = event_of(&evidence, EventType::RunStarted);
    let again = evidence.events[start].clone();
    evidence.events.insert(start + 1, again);
    let run = evidence.runs[0].id;
    assert_eq!(evidence.check().violations, [Violation::StartedTwice(run)]);
}

#[test]
fn a_success_under_a_stale_token_is_caught() {
    for kind in [EventType::StepSucceeded, EventType::RunCompleted] {
        let mut evidence = sound();
        let index = event_of(&evidence, kind);
        evidence.events[index].event.fence = Some(Fence(99));
        let run = evidence.runs[0].id;
        assert_eq!(evidence.check().violations, [Violation::StaleFence(run, kind)]);
    }
}

#[test]
fn a_step_done_twice_or_not_at_all_is_caught() {
    let mut evidence = sound();
    let succeeded = event_of(&evidence, EventType::StepSucceeded);
    for offset in [0, 1] {
        let again = evidence.events[succeeded - 1 + offset].clone();
        evidence.events.insert(succeeded + 1 + offset, again);
    }
    let run = evidence.runs[0].id;
    assert_eq!(evidence.check().violations, [Violation::StepRepeated(run, StepName::Extraction)]);

    let mut evidence = sound();
    evidence.plan.insert(Pipeline::Document, vec![StepName::Extraction, StepName::Interpretation]);
    let run = evidence.runs[0].id;
    assert_eq!(evidence.check().violations, [Violation::StepsMissing(run)]);
}

#[test]
fn a_projection_that_strayed_from_its_events_is_caught() {
    let mut evidence = sound();
    let run = evidence.runs[0].id;
    evidence.steps.insert(run, vec![progress(StepStatus::Running)]);
    assert_eq!(evidence.check().violations, [Violation::ProjectionDiffers(run, StepName::Extraction)]);
}
