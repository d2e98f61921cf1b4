//! Recovery of orphaned runs, and timeouts of runs whose owner hangs.

use jiff::SignedDuration;
use quire_domain::{
    Change, Effect, Event, EventType, FailureRecord, Pipeline, RecoveryPolicy, RunId, StepName, StepStatus,
    SubjectId, Transition,
};
use quire_ports::{AdvanceOutcome, EventFilter, Lease, RecoveryRules};

use super::writes::{end_write, step_write};
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
pub async fn recovery_fails_orphaned_runs_and_no_others(fixture: &StoreFixture) {
    let subjects: Vec<_> = (0..4).map(|_| SubjectId::new()).collect();
    let orphan = fixture.enqueue(subjects[0], at(0)).await;
    let dead = fixture.worker(at(0)).await;
    fixture.claim_one(dead, at(1)).await;
    let ended = fixture.enqueue(subjects[1], at(1)).await;
    fixture.claim_one(dead, at(2)).await;
    fixture.end_run(ended, Change::Complete, at(3)).await;
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
    let stored = fixture.run(orphan).await;
    assert_eq!(stored.state.as_str(), "FAILED");
    assert_eq!(stored.state.completed_at(), Some(at(16)));
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    for (run, state) in [(ended, "COMPLETED"), (live, "RUNNING"), (queued, "QUEUED"), (behind, "QUEUED")] {
        assert_eq!(fixture.state(run).await, state);
    }
    let filter = EventFilter { run: Some(orphan), subject: None };
    let events = fixture.events_of(filter).await;
    let last = &events.last().unwrap().event;
    assert_eq!(last.event_type, EventType::RunRecoveredAsFailed);
    assert_eq!((last.subject, last.run), (Some(subjects[0]), Some(orphan)));
    // The interrupted step has failed, and the next run of the subject can start.
    assert_eq!(fixture.steps(orphan).await[0].status, StepStatus::Failed);
    let next = fixture.claim(present, at(17), 10).await;
    assert_eq!(next.iter().map(|c| c.run.id).collect::<Vec<_>>(), [queued, behind]);
}

/// Proves R195, R169: succeeded steps are not repeated, and the interrupted attempt is recorded.
pub async fn a_requeued_run_resumes_at_its_first_unfinished_step(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let dead = fixture.worker(at(0)).await;
    let run = fixture.claim_one(dead, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Extraction, at(2));
    write.events.extend(step_write(&run, &[EventType::StepStarted], StepName::Interpretation, at(2)).events);
    fixture.advance(write).await;

    let requeue = rules(RecoveryPolicy::Requeue { max_claims: 3 });
    let recovered = fixture.store.recovery.recover_orphaned_runs(&requeue, at(20), 10).await.unwrap();
    assert_eq!(recorded(&recovered[0]), [EventType::RunRequeued]);
    let stored = fixture.run(id).await;
    assert_eq!((stored.state.as_str(), stored.attempts, stored.retry_count), ("QUEUED", 1, 1));
    assert_eq!((stored.queued_at, stored.state.started_at()), (at(20), None));
    let steps = fixture.steps(id).await;
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

/// The step that was under way when its run ended is recorded as failed, under the fence of the attempt and for the reason
/// of the run's end.
pub async fn an_interrupted_step_is_recorded_as_failed(fixture: &StoreFixture) {
    let requeue = RecoveryPolicy::Requeue { max_claims: 3 };
    let changes = [
        Change::TimeOut,
        Change::Orphan { recovery: RecoveryPolicy::Fail },
        Change::Orphan { recovery: requeue },
    ];
    let worker = fixture.worker(at(0)).await;
    for change in changes {
        let id = fixture.enqueue(SubjectId::new(), at(0)).await;
        let run = fixture.claim_one(worker, at(1)).await.run;
        fixture.end_run(id, change, at(5)).await;
        let events = fixture.events_of(EventFilter { run: Some(id), subject: None }).await;
        let [.., step, end] = &events[..] else { panic!("{events:?}") };
        let reason = end.event.failure.clone().unwrap();
        let expected = Event {
            step: Some(StepName::Extraction),
            attempt: Some(1),
            started_at: Some(at(1)),
            failure: Some(FailureRecord { stage: Some(StepName::Extraction), ..reason }),
            ..Event::of_run(EventType::StepFailed, &run, at(5))
        };
        assert_eq!(step.event, expected);
    }
}

/// Proves R169 for the limit of claims.
pub async fn an_orphaned_run_fails_when_its_claims_are_used_up(fixture: &StoreFixture) {
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
    let jobs = fixture.store.history.jobs(fixture.run(id).await.subject).await.unwrap();
    assert_eq!((jobs[0].status.as_str(), jobs[0].attempts), ("FAILED", 2));
    assert_eq!(jobs[0].error_log.matches("PROCESS_TERMINATED").count(), 2, "{}", jobs[0].error_log);
}

/// Proves R169, R170: the two-hour threshold applies to runs without an owner.
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
    let stored = fixture.run(id).await;
    assert_eq!((stored.state.as_str(), stored.attempts), ("QUEUED", 1));
}

/// Proves R013: after the deadline and the grace period, a hanging owner loses its run. Recovery takes the runs of
/// a dead owner.
pub async fn an_overdue_run_is_timed_out_only_if_its_owner_is_alive(fixture: &StoreFixture) {
    let overdue = fixture.enqueue(SubjectId::new(), at(0)).await;
    let hanging = fixture.worker(at(0)).await;
    let run = fixture.claim_one(hanging, at(1)).await.run;
    let orphan = fixture.enqueue(SubjectId::new(), at(1)).await;
    let dead = fixture.worker(at(1)).await;
    fixture.claim_one(dead, at(1)).await;
    let rules = rules(RecoveryPolicy::Fail);
    for second in (10..=130).step_by(10) {
        let lease = Lease::Until(at(second + 15));
        assert!(fixture.store.workers.renew(hanging, at(second), lease).await.unwrap());
    }
    assert_eq!(fixture.store.recovery.time_out_overdue(&rules, at(126), 10).await.unwrap(), []);
    let ended = fixture.store.recovery.time_out_overdue(&rules, at(127), 10).await.unwrap();
    assert_eq!(ids(&ended), [overdue]);
    assert_eq!(recorded(&ended[0]), [EventType::RunTimedOut]);
    assert_eq!(fixture.state(overdue).await, "TIMED_OUT");
    assert_eq!(fixture.state(orphan).await, "RUNNING");
    // A later write of the hanging owner is refused.
    let late = fixture.store.queue.advance(end_write(&run, Change::Complete, at(128))).await.unwrap();
    assert_eq!(late, AdvanceOutcome::Refused);
    assert_eq!(fixture.state(overdue).await, "TIMED_OUT");
}

/// A claim without an answer may assign runs to a worker that does not know them. The worker hands back these runs and
/// no others.
pub async fn runs_that_their_owner_does_not_know_are_handed_back(fixture: &StoreFixture) {
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
    let stored = fixture.run(runs[1]).await;
    assert_eq!((stored.attempts, stored.retry_count, stored.queued_at), (0, 0, at(1)));
    assert_eq!(fixture.claim_one(other, at(4)).await.run.id, runs[1]);
}
