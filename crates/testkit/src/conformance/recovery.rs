//! What becomes of runs whose owner is gone, or hangs.

use jiff::SignedDuration;
use quire_domain::{
    Change, Effect, EventType, Pipeline, RecoveryPolicy, RunId, StepName, StepStatus, SubjectId, Transition,
};
use quire_ports::{AdvanceOutcome, Lease, RecoveryRules};

use super::fencing::{end, end_write, step_write};
use crate::fixture::{StoreFixture, at};

pub(super) fn rules(recovery: RecoveryPolicy) -> RecoveryRules {
    RecoveryRules {
        recovery: Pipeline::ALL.iter().map(|pipeline| (*pipeline, recovery)).collect(),
        ownerless_after: SignedDuration::from_hours(2),
        grace: SignedDuration::from_secs(5),
    }
}

fn ids(transitions: &[Transition]) -> Vec<RunId> {
    transitions.iter().map(|transition| transition.run.id).collect()
}

fn recorded(transition: &Transition) -> Vec<EventType> {
    let events = transition.effects.iter().filter_map(|effect| match effect {
        Effect::Record(event) => Some(event.event_type),
        _ => None,
    });
    events.collect()
}

/// Proves R008, R009, R010, R170.
pub async fn recovery_as_failure_touches_orphans_and_nothing_else(fixture: &StoreFixture) {
    let subjects: Vec<_> = (0..4).map(|_| SubjectId::new()).collect();
    let orphan = fixture.enqueue(subjects[0], at(0)).await;
    let gone = fixture.worker(at(0)).await;
    fixture.claim_one(gone, at(1)).await;
    let ended = fixture.enqueue(subjects[1], at(1)).await;
    fixture.claim_one(gone, at(2)).await;
    end(fixture, ended, Change::Complete, at(3)).await;
    let live = fixture.enqueue(subjects[2], at(2)).await;
    let present = fixture.worker(at(10)).await;
    fixture.claim_one(present, at(11)).await;
    let queued = fixture.enqueue(subjects[3], at(12)).await;
    let behind = fixture.enqueue(subjects[0], at(13)).await;

    assert_eq!(
        fixture.store.recovery.recover_orphaned_runs(&rules(RecoveryPolicy::Fail), at(14), 10).await.unwrap(),
        []
    );
    let recovered =
        fixture.store.recovery.recover_orphaned_runs(&rules(RecoveryPolicy::Fail), at(16), 10).await.unwrap();
    assert_eq!(ids(&recovered), [orphan]);
    assert_eq!(recorded(&recovered[0]), [EventType::RunRecoveredAsFailed]);
    let stored = fixture.store.history.run(orphan).await.unwrap();
    assert_eq!(stored.state.as_str(), "FAILED");
    assert_eq!(stored.state.completed_at(), Some(at(16)));
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    for (run, state) in [(ended, "COMPLETED"), (live, "RUNNING"), (queued, "QUEUED"), (behind, "QUEUED")] {
        assert_eq!(fixture.state(run).await, state);
    }
    let filter = quire_ports::EventFilter { run: Some(orphan), subject: None };
    let events = fixture.store.history.events(quire_domain::EventId(0), filter, 100).await.unwrap();
    let last = &events.last().unwrap().event;
    assert_eq!(last.event_type, EventType::RunRecoveredAsFailed);
    assert_eq!((last.subject, last.run), (Some(subjects[0]), Some(orphan)));
    // The interrupted step is closed, and the subject goes on.
    assert_eq!(fixture.store.history.steps(orphan).await.unwrap()[0].status, StepStatus::Failed);
    let next = fixture.claim(present, at(17), 10).await;
    assert_eq!(next.iter().map(|c| c.run.id).collect::<Vec<_>>(), [queued, behind]);
}

/// Proves R195, R169: what has succeeded is not repeated, and the interrupted attempt leaves its record.
pub async fn recovery_by_requeue_resumes_at_the_first_unfinished_step(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let gone = fixture.worker(at(0)).await;
    let run = fixture.claim_one(gone, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    write.events.extend(step_write(&run, &[EventType::StepStarted], StepName::Interpretation, at(2)).events);
    assert_eq!(fixture.store.queue.advance(write).await.unwrap(), AdvanceOutcome::Accepted);

    let requeue = rules(RecoveryPolicy::Requeue { max_claims: 3 });
    let recovered = fixture.store.recovery.recover_orphaned_runs(&requeue, at(20), 10).await.unwrap();
    assert_eq!(recorded(&recovered[0]), [EventType::RunRequeued]);
    let stored = fixture.store.history.run(id).await.unwrap();
    assert_eq!((stored.state.as_str(), stored.attempts, stored.retry_count), ("QUEUED", 1, 1));
    assert_eq!((stored.queued_at, stored.state.started_at()), (at(20), None));
    let steps = fixture.store.history.steps(id).await.unwrap();
    let statuses: Vec<_> = steps.iter().map(|step| (step.step, step.status)).collect();
    assert_eq!(
        statuses,
        [(StepName::Extraction, StepStatus::Succeeded), (StepName::Interpretation, StepStatus::Pending)]
    );
    let attempts = fixture.store.history.attempts(id).await.unwrap();
    assert_eq!((attempts[0].started_at, attempts[0].ended_at), (Some(at(1)), at(20)));

    let worker = fixture.worker(at(20)).await;
    let again = fixture.claim_one(worker, at(21)).await;
    assert_eq!((again.run.id, again.step), (id, Some(StepName::Interpretation)));
}

/// Proves R169 at the limit.
pub async fn an_orphan_is_failed_when_its_claims_are_spent(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let requeue = rules(RecoveryPolicy::Requeue { max_claims: 2 });
    for (second, state) in [(0, "QUEUED"), (100, "FAILED")] {
        let worker = fixture.worker(at(second)).await;
        fixture.claim_one(worker, at(second + 1)).await;
        let recovered =
            fixture.store.recovery.recover_orphaned_runs(&requeue, at(second + 30), 10).await.unwrap();
        assert_eq!(ids(&recovered), [id]);
        assert_eq!(fixture.state(id).await, state);
    }
    let jobs =
        fixture.store.history.jobs(fixture.store.history.run(id).await.unwrap().subject).await.unwrap();
    assert_eq!((jobs[0].status.as_str(), jobs[0].attempts), ("FAILED", 2));
    assert_eq!(jobs[0].error_log.matches("PROCESS_TERMINATED").count(), 2, "{}", jobs[0].error_log);
}

/// Proves R169, R170: the two-hour backstop is for runs that carry no lease at all.
pub async fn a_run_without_an_owner_is_recovered_only_past_the_threshold(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(0)).await;
    let literal = fixture.sql.id(id.0);
    fixture.sql.execute(&format!("UPDATE runs SET worker_id = NULL WHERE id = {literal}")).await.unwrap();
    let requeue = rules(RecoveryPolicy::Requeue { max_claims: 3 });
    let two_hours = 2 * 60 * 60;
    let young = fixture.store.recovery.recover_orphaned_runs(&requeue, at(two_hours - 1), 10).await.unwrap();
    assert_eq!(young, []);
    let old = fixture.store.recovery.recover_orphaned_runs(&requeue, at(two_hours + 1), 10).await.unwrap();
    assert_eq!(ids(&old), [id]);
    let stored = fixture.store.history.run(id).await.unwrap();
    assert_eq!((stored.state.as_str(), stored.attempts), ("QUEUED", 1));
}

/// Proves R013: past the deadline and the grace, a hanging owner loses its run; a gone one is recovery's.
pub async fn a_living_owner_is_timed_out_and_a_gone_one_is_not(fixture: &StoreFixture) {
    let hung = fixture.enqueue(SubjectId::new(), at(0)).await;
    let hanging = fixture.worker(at(0)).await;
    let run = fixture.claim_one(hanging, at(1)).await.run;
    let orphan = fixture.enqueue(SubjectId::new(), at(1)).await;
    let gone = fixture.worker(at(1)).await;
    fixture.claim_one(gone, at(1)).await;
    let rules = rules(RecoveryPolicy::Fail);
    for second in (10..=130).step_by(10) {
        let lease = Lease::Until(at(second + 15));
        assert!(fixture.store.workers.renew(hanging, at(second), lease).await.unwrap());
    }
    assert_eq!(fixture.store.recovery.time_out_overdue(&rules, at(126), 10).await.unwrap(), []);
    let ended = fixture.store.recovery.time_out_overdue(&rules, at(127), 10).await.unwrap();
    assert_eq!(ids(&ended), [hung]);
    assert_eq!(recorded(&ended[0]), [EventType::RunTimedOut]);
    assert_eq!(fixture.state(hung).await, "TIMED_OUT");
    assert_eq!(fixture.state(orphan).await, "RUNNING");
    // And what the hung owner still brings is too late.
    let late = fixture.store.queue.advance(end_write(&run, Change::Complete, at(128))).await.unwrap();
    assert_eq!(late, AdvanceOutcome::Refused);
    assert_eq!(fixture.state(hung).await, "TIMED_OUT");
}

/// A claim whose answer was lost made runs the worker's own: it gives back those it knows nothing of, and no others.
pub async fn runs_that_their_owner_knows_nothing_of_are_given_back(fixture: &StoreFixture) {
    let worker = fixture.worker(at(0)).await;
    let other = fixture.worker(at(0)).await;
    let mut runs = Vec::new();
    for (second, owner) in [(0, worker), (1, worker), (2, other)] {
        runs.push(fixture.enqueue(SubjectId::new(), at(second)).await);
        fixture.claim_one(owner, at(second)).await;
    }
    let back = fixture.store.recovery.hand_back_unknown(worker, &runs[..1], at(3)).await.unwrap();
    assert_eq!(ids(&back), [runs[1]]);
    for (run, state) in runs.iter().zip(["RUNNING", "QUEUED", "RUNNING"]) {
        assert_eq!(fixture.state(*run).await, state);
    }
    let stored = fixture.store.history.run(runs[1]).await.unwrap();
    assert_eq!((stored.attempts, stored.retry_count, stored.queued_at), (0, 0, at(1)));
    assert_eq!(fixture.claim_one(other, at(4)).await.run.id, runs[1]);
}
