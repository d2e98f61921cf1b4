//! Who may write.

use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{
    ArtifactId, Change, Event, EventId, EventType, Fence, RecoveryPolicy, Run, RunId, StepName, StepStatus,
    SubjectId, Transition,
};
use quire_ports::{Advance, AdvanceOutcome, Artifact, EventFilter, PortError};

use crate::fixture::{StoreFixture, at};

/// A write about one step of a run.
pub(super) fn step_write(run: &Run, kinds: &[EventType], step: StepName, when: Timestamp) -> Advance {
    let events = kinds.iter().map(|kind| Event {
        step: Some(step),
        attempt: Some(1),
        started_at: (*kind != EventType::StepStarted).then_some(at(1)),
        ..Event::of_run(*kind, run, when)
    });
    Advance {
        run: run.clone(),
        at: when,
        events: events.collect(),
        artifacts: Vec::new(),
        interpretation: None,
        end: None,
        repeated: false,
    }
}

/// A write that ends a run, as its owner would make it.
pub(super) fn end_write(run: &Run, change: Change, when: Timestamp) -> Advance {
    let end: Transition = apply(run, change, when).unwrap();
    Advance {
        run: run.clone(),
        at: when,
        events: Vec::new(),
        artifacts: Vec::new(),
        interpretation: None,
        end: Some(end),
        repeated: false,
    }
}

/// Lets something happen to a running run, by whoever owns it now.
pub(super) async fn end(fixture: &StoreFixture, run: RunId, change: Change, when: Timestamp) {
    let run = fixture.store.history.run(run).await.unwrap();
    let written = fixture.store.queue.advance(end_write(&run, change, when)).await.unwrap();
    assert_eq!(written, AdvanceOutcome::Accepted);
}

pub(super) fn raw_text() -> Artifact {
    Artifact {
        id: ArtifactId::new(),
        artifact_type: "RAW_TEXT".to_owned(),
        payload: "{\"file\":\"raw-text.txt\"}".to_owned(),
        created_at: at(3),
    }
}

/// Proves R134, R045: the step, what it produced and the end of the run are there together.
pub async fn a_write_by_the_owner_is_stored_whole(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(3));
    write.artifacts.push(raw_text());
    write.end = end_write(&run, Change::Complete, at(3)).end;
    assert_eq!(fixture.store.queue.advance(write.clone()).await.unwrap(), AdvanceOutcome::Accepted);
    let stored = fixture.store.history.run(id).await.unwrap();
    assert_eq!(stored, write.end.unwrap().run);
    assert_eq!(stored.state.completed_at(), Some(at(3)));
    let artifacts = fixture.store.history.artifacts(id).await.unwrap();
    assert_eq!(artifacts, write.artifacts);
    let steps = fixture.store.history.steps(id).await.unwrap();
    assert_eq!((steps[0].step, steps[0].status), (StepName::Extraction, StepStatus::Succeeded));
    let attempts = fixture.store.history.attempts(id).await.unwrap();
    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].outcome, attempts[0].started_at), (EventType::RunCompleted, Some(at(1))));
    assert_eq!(attempts[0].worker, Some(worker));
}

/// Proves R015: the old owner wakes up after its run was given to another.
pub async fn a_late_write_is_refused_and_leaves_only_the_event_that_says_so(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let old = fixture.worker(at(0)).await;
    let lost = fixture.claim_one(old, at(1)).await.run;
    end(fixture, id, Change::Orphan { recovery: RecoveryPolicy::Requeue { max_claims: 3 } }, at(2)).await;
    let new = fixture.worker(at(2)).await;
    let current = fixture.claim_one(new, at(3)).await.run;
    assert!(current.fence > lost.fence);

    let before = fixture.store.history.events(EventId(0), EventFilter::default(), 100).await.unwrap();
    let mut late = step_write(&lost, &[EventType::StepSucceeded], StepName::Extraction, at(4));
    late.artifacts.push(raw_text());
    assert_eq!(fixture.store.queue.advance(late).await.unwrap(), AdvanceOutcome::Refused);
    let completed = end_write(&lost, Change::Complete, at(4));
    assert_eq!(fixture.store.queue.advance(completed).await.unwrap(), AdvanceOutcome::Refused);

    assert_eq!(fixture.store.history.run(id).await.unwrap(), current);
    assert!(fixture.store.history.artifacts(id).await.unwrap().is_empty());
    assert_eq!(fixture.store.history.steps(id).await.unwrap()[0].status, StepStatus::Running);
    let told_before = before.last().unwrap().id;
    let told = fixture.store.history.events(told_before, EventFilter::default(), 100).await.unwrap();
    let kinds: Vec<_> =
        told.iter().map(|recorded| (recorded.event.event_type, recorded.event.fence)).collect();
    assert_eq!(kinds, [(EventType::LateWriteRefused, Some(lost.fence)); 2]);
}

/// A write whose answer was lost is sent again: it counts once, and is not taken for somebody else's.
pub async fn a_write_that_is_repeated_is_stored_once(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let step = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    let end = end_write(&run, Change::Complete, at(3));
    for write in [step, end] {
        assert_eq!(fixture.store.queue.advance(write.clone()).await.unwrap(), AdvanceOutcome::Accepted);
        let once = fixture.store.history.events(EventId(0), EventFilter::default(), 100).await.unwrap();
        let again = Advance { repeated: true, ..write };
        assert_eq!(fixture.store.queue.advance(again).await.unwrap(), AdvanceOutcome::Accepted);
        let twice = fixture.store.history.events(EventId(0), EventFilter::default(), 100).await.unwrap();
        assert_eq!(once, twice);
    }
    assert_eq!(fixture.state(id).await, "COMPLETED");
    // A repetition of something that was never stored is a first time.
    let other = fixture.enqueue(SubjectId::new(), at(4)).await;
    let run = fixture.claim_one(worker, at(5)).await.run;
    let write = Advance { repeated: true, ..end_write(&run, Change::Complete, at(6)) };
    assert_eq!(fixture.store.queue.advance(write).await.unwrap(), AdvanceOutcome::Accepted);
    assert_eq!(fixture.state(other).await, "COMPLETED");
}

/// Proves R014: for each terminal state, past the ports.
pub async fn an_ended_document_run_cannot_be_changed_even_by_hand(fixture: &StoreFixture) {
    let failure = quire_domain::Failure::permanent("BROKEN", "it is broken");
    let requeue = quire_domain::RequeuePolicy::Never;
    let ends =
        [Change::Complete, Change::TimeOut, Change::Fail { step: StepName::Extraction, failure, requeue }];
    let worker = fixture.worker(at(0)).await;
    for change in ends {
        let id = fixture.enqueue(SubjectId::new(), at(0)).await;
        fixture.claim_one(worker, at(1)).await;
        end(fixture, id, change, at(2)).await;
        let before = fixture.store.history.run(id).await.unwrap();
        let literal = fixture.sql.id(id.0);
        for change in [
            "state = 'QUEUED', turn = 'READY', started_at = NULL, completed_at = NULL, failure_type = NULL",
            "state = 'RUNNING', turn = 'HELD', completed_at = NULL, failure_type = NULL",
            "completed_at = created_at",
        ] {
            let done = fixture.sql.execute(&format!("UPDATE runs SET {change} WHERE id = {literal}")).await;
            assert!(done.is_err(), "{change}: {done:?}");
        }
        assert_eq!(fixture.store.history.run(id).await.unwrap(), before);
        let retried = fixture
            .store
            .queue
            .retry(
                id,
                quire_domain::RequeuePolicy::Manual {
                    max_retries: 5,
                    base_delay: jiff::SignedDuration::ZERO,
                },
                "local",
                at(3),
            )
            .await;
        assert!(matches!(retried, Err(PortError::Conflict(_))));
    }
}

/// A queued run can be taken back, a running one cannot, and the line behind moves up.
pub async fn a_withdrawn_run_gives_its_turn_away(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let second = fixture.enqueue(subject, at(1)).await;
    let third = fixture.enqueue(subject, at(2)).await;
    let withdrawn = fixture.store.queue.withdraw(first, "local", at(3)).await.unwrap();
    assert_eq!(withdrawn.run.state.reason().unwrap().failure_type.as_str(), "WITHDRAWN");
    // From the middle of the line, too.
    fixture.store.queue.withdraw(second, "local", at(3)).await.unwrap();
    let worker = fixture.worker(at(4)).await;
    assert_eq!(fixture.claim_one(worker, at(5)).await.run.id, third);
    assert!(matches!(fixture.store.queue.withdraw(third, "local", at(6)).await, Err(PortError::Conflict(_))));
    assert!(matches!(fixture.store.queue.withdraw(first, "local", at(6)).await, Err(PortError::Conflict(_))));
    let stored = fixture.store.history.run(first).await.unwrap();
    assert_eq!((stored.state.as_str(), stored.fence), ("FAILED", Fence(1)));
}
