//! Fencing: only the owner of a run may write about it.

use quire_domain::{
    EventType, Fence, Orphaned, Pipeline, Priority, RecoveryPolicy, Run, RunChange, StepName, StepStatus,
    SubjectId,
};
use quire_ports::{EventFilter, PortError, RunWrite, RunWriteOutcome};

use super::writes::{raw_text, step_write, transition_write};
use crate::fixture::{StoreFixture, at, new_run};

/// Proves R134, R045: the step, its artifacts and the end of the run are stored together.
pub async fn a_write_by_the_owner_is_stored_completely(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(3));
    write.artifacts.push(raw_text());
    write.transition = transition_write(&run, RunChange::Complete, at(3)).transition;
    fixture.write(write.clone()).await;
    let stored = fixture.run(id).await;
    assert_eq!(stored, write.transition.unwrap().run);
    assert_eq!(stored.state.completed_at(), Some(at(3)));
    let artifacts = fixture.store.run_reader.artifacts(id).await.unwrap();
    assert_eq!(artifacts, write.artifacts);
    let steps = fixture.steps(id).await;
    assert_eq!((steps[0].step, steps[0].status), (StepName::Extraction, StepStatus::Succeeded));
    let attempts = fixture.attempts(id).await;
    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].outcome, attempts[0].started_at), (EventType::RunCompleted, Some(at(1))));
    assert_eq!(attempts[0].worker, Some(worker));
}

/// Proves R015: the old owner writes after its run was given to another worker.
pub async fn a_late_write_is_refused_and_only_the_refusal_is_recorded(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let old = fixture.worker(at(0)).await;
    let lost = fixture.claim_one(old, at(1)).await.run;
    let orphaned =
        RunChange::Recover { recovery: RecoveryPolicy::Requeue { max_claims: 3 }, orphaned: Orphaned::Alone };
    fixture.change_run(id, orphaned, at(2)).await;
    let new = fixture.worker(at(2)).await;
    let current = fixture.claim_one(new, at(3)).await.run;
    assert!(current.fence > lost.fence);

    let before = fixture.events().await;
    let mut late = step_write(&lost, &[EventType::StepSucceeded], StepName::Extraction, at(4));
    late.artifacts.push(raw_text());
    assert_eq!(fixture.store.queue.write(late).await.unwrap(), RunWriteOutcome::Refused);
    let completed = transition_write(&lost, RunChange::Complete, at(4));
    assert_eq!(fixture.store.queue.write(completed).await.unwrap(), RunWriteOutcome::Refused);

    assert_eq!(fixture.run(id).await, current);
    assert!(fixture.store.run_reader.artifacts(id).await.unwrap().is_empty());
    assert_eq!(fixture.steps(id).await[0].status, StepStatus::Running);
    let last_id = before.last().unwrap().id;
    let recorded = fixture.store.run_reader.events(last_id, EventFilter::default(), 100).await.unwrap();
    let kinds: Vec<_> = recorded.iter().map(|one| (one.event.event_type, one.event.fence)).collect();
    assert_eq!(kinds, [(EventType::LateWriteRefused, Some(lost.fence)); 2]);
}

/// The owner repeats a write after it got no answer. The write counts once and is not refused.
pub async fn a_repeated_write_is_stored_once(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let step = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    let end = transition_write(&run, RunChange::Complete, at(3));
    for write in [step, end] {
        fixture.write(write.clone()).await;
        let once = fixture.events().await;
        let again = RunWrite { repeated: true, ..write };
        fixture.write(again).await;
        let twice = fixture.events().await;
        assert_eq!(once, twice);
    }
    assert_eq!(fixture.state(id).await, "COMPLETED");
    // If the first try was never stored, the repetition is.
    let other = fixture.enqueue(SubjectId::new(), at(4)).await;
    let run = fixture.claim_one(worker, at(5)).await.run;
    let write = RunWrite { repeated: true, ..transition_write(&run, RunChange::Complete, at(6)) };
    fixture.write(write).await;
    assert_eq!(fixture.state(other).await, "COMPLETED");
}

/// Proves R133: a write that would end a run which is not running is refused, and a run that is not queued is not claimed.
pub async fn only_queued_runs_start_and_only_running_runs_end(fixture: &StoreFixture) {
    let failure = || quire_domain::Failure::permanent("BROKEN", "it is broken");
    let fail = || {
        let requeue = quire_domain::RequeuePolicy::Never;
        RunChange::Fail { step: StepName::Expand, failure: failure(), requeue }
    };
    let assert_refused = async |run: &Run| {
        let before = fixture.run(run.id).await;
        for change in [RunChange::Complete, fail(), RunChange::TimeOut { continued_by: None }] {
            let ended = fixture.store.queue.write(transition_write(run, change, at(9))).await.unwrap();
            assert_eq!(ended, RunWriteOutcome::Refused);
        }
        assert_eq!(fixture.run(run.id).await, before);
    };
    let worker = fixture.worker(at(0)).await;
    for (end, ended) in [(RunChange::Complete, "COMPLETED"), (fail(), "FAILED")] {
        let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
        fixture.store.queue.enqueue(&new, at(0)).await.unwrap();
        let first = fixture.claim_one(worker, at(1)).await.run;
        assert!(fixture.claim(worker, at(2), 10).await.is_empty(), "it is running");
        fixture.change_run(new.id, RunChange::HandBack, at(3)).await;
        assert_eq!(fixture.state(new.id).await, "QUEUED");
        assert_refused(&first).await;
        let second = fixture.claim_one(worker, at(4)).await.run;
        fixture.write(transition_write(&second, end, at(5))).await;
        assert_eq!(fixture.state(new.id).await, ended);
        assert_refused(&second).await;
        assert!(fixture.claim(worker, at(6), 10).await.is_empty(), "it has ended");
    }
}

/// Proves R014: for each terminal state, with direct SQL.
pub async fn an_ended_document_run_cannot_be_changed_even_with_sql(fixture: &StoreFixture) {
    let failure = quire_domain::Failure::permanent("BROKEN", "it is broken");
    let requeue = quire_domain::RequeuePolicy::Never;
    let ends = [
        RunChange::Complete,
        RunChange::TimeOut { continued_by: None },
        RunChange::Fail { step: StepName::Extraction, failure, requeue },
    ];
    let worker = fixture.worker(at(0)).await;
    for change in ends {
        let id = fixture.enqueue(SubjectId::new(), at(0)).await;
        fixture.claim_one(worker, at(1)).await;
        fixture.change_run(id, change, at(2)).await;
        let before = fixture.run(id).await;
        let literal = fixture.sql.id(id.0);
        for change in [
            "state = 'QUEUED', turn = 'READY', started_at = NULL, completed_at = NULL, failure_type = NULL",
            "state = 'RUNNING', turn = 'HELD', completed_at = NULL, failure_type = NULL",
            "completed_at = created_at",
        ] {
            let outcome =
                fixture.sql.execute(&format!("UPDATE runs SET {change} WHERE id = {literal}")).await;
            assert!(outcome.is_err(), "{change}: {outcome:?}");
        }
        assert_eq!(fixture.run(id).await, before);
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

/// A queued run can be withdrawn and a running one cannot. The next run of the subject takes its turn.
pub async fn a_withdrawn_run_passes_its_turn_to_the_next_run(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let second = fixture.enqueue(subject, at(1)).await;
    let third = fixture.enqueue(subject, at(2)).await;
    let withdrawn = fixture.store.queue.withdraw(first, "local", at(3)).await.unwrap();
    assert_eq!(withdrawn.run.state.reason().unwrap().failure_type.as_str(), "WITHDRAWN");
    // This works for a run that waits behind another, too.
    fixture.store.queue.withdraw(second, "local", at(3)).await.unwrap();
    let worker = fixture.worker(at(4)).await;
    assert_eq!(fixture.claim_one(worker, at(5)).await.run.id, third);
    assert!(matches!(fixture.store.queue.withdraw(third, "local", at(6)).await, Err(PortError::Conflict(_))));
    assert!(matches!(fixture.store.queue.withdraw(first, "local", at(6)).await, Err(PortError::Conflict(_))));
    let stored = fixture.run(first).await;
    assert_eq!((stored.state.as_str(), stored.fence), ("FAILED", Fence(1)));
}
