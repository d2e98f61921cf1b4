//! Recovery of orphaned runs, and timeouts of runs whose owner hangs.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    Continuation, Effect, EventType, Pipeline, RecoveryPolicy, RunChange, RunId, StepAttempt, StepName,
    StepStatus, SubjectId, Transition,
};
use quire_ports::{ClaimRequest, ExpiredLeaseAction, Lease, RecoveryRules, RunWriteOutcome};

use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, all_plans, at};

pub(super) fn rules(recovery: RecoveryPolicy) -> RecoveryRules {
    RecoveryRules {
        recovery: Pipeline::ALL.iter().map(|pipeline| (*pipeline, recovery)).collect(),
        unowned_after: SignedDuration::from_hours(2),
        grace: SignedDuration::from_secs(5),
    }
}

/// Ends the leases that have expired and recovers their runs.
pub(super) async fn recover(
    fixture: &StoreFixture,
    recovery: RecoveryPolicy,
    at: Timestamp,
) -> Vec<Transition> {
    let recovery_port = &fixture.store.recovery;
    recovery_port.recover_orphaned_runs(&rules(recovery), ExpiredLeaseAction::End, at, 10).await.unwrap()
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
    fixture.change_run(ended, RunChange::Complete, at(3)).await;
    let live = fixture.enqueue(subjects[2], at(2)).await;
    let present = fixture.worker(at(10)).await;
    fixture.claim_one(present, at(11)).await;
    let queued = fixture.enqueue(subjects[3], at(12)).await;
    let behind = fixture.enqueue(subjects[0], at(13)).await;

    assert_eq!(recover(fixture, RecoveryPolicy::Fail, at(14)).await, []);
    let recovered = recover(fixture, RecoveryPolicy::Fail, at(16)).await;
    assert_eq!(ids(&recovered), [orphan]);
    assert_eq!(recorded(&recovered[0]), [EventType::StepFailed, EventType::RunRecoveredAsFailed]);
    let stored = fixture.run(orphan).await;
    assert_eq!(stored.state.as_str(), "FAILED");
    assert_eq!(stored.state.completed_at(), Some(at(16)));
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    for (run, state) in [(ended, "COMPLETED"), (live, "RUNNING"), (queued, "QUEUED"), (behind, "QUEUED")] {
        assert_eq!(fixture.state(run).await, state);
    }
    let filter = quire_ports::EventFilter { run: Some(orphan), subject: None };
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
    fixture.write(write).await;

    let requeue = RecoveryPolicy::Requeue { max_claims: 3 };
    let recovered = recover(fixture, requeue, at(20)).await;
    assert_eq!(recorded(&recovered[0]), [EventType::StepFailed, EventType::RunRequeued]);
    let stored = fixture.run(id).await;
    assert_eq!((stored.state.as_str(), stored.failed_attempts, stored.retry_count), ("QUEUED", 1, 1));
    assert_eq!((stored.queued_at, stored.state.started_at()), (at(20), None));
    let steps = fixture.steps(id).await;
    let statuses: Vec<_> = steps.iter().map(|step| (step.step, step.status)).collect();
    assert_eq!(
        statuses,
        [(StepName::Extraction, StepStatus::Succeeded), (StepName::Interpretation, StepStatus::Pending)]
    );
    let attempts = fixture.attempts(id).await;
    assert_eq!((attempts[0].started_at, attempts[0].ended_at), (Some(at(1)), at(20)));

    let worker = fixture.worker(at(20)).await;
    let again = fixture.claim_one(worker, at(21)).await;
    let first_unfinished = StepAttempt { step: StepName::Interpretation, number: 1 };
    assert_eq!((again.run.id, again.started_steps), (id, vec![first_unfinished]));
}

/// Proves R169 for the limit of claims.
pub async fn an_orphaned_run_fails_when_its_claims_are_used_up(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let requeue = RecoveryPolicy::Requeue { max_claims: 2 };
    for (second, state) in [(0, "QUEUED"), (100, "FAILED")] {
        let worker = fixture.worker(at(second)).await;
        fixture.claim_one(worker, at(second + 1)).await;
        let recovered = recover(fixture, requeue, at(second + 30)).await;
        assert_eq!(ids(&recovered), [id]);
        assert_eq!(fixture.state(id).await, state);
    }
    let jobs = fixture.store.run_reader.jobs(fixture.run(id).await.subject).await.unwrap();
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
    let requeue = RecoveryPolicy::Requeue { max_claims: 3 };
    let two_hours = 2 * 60 * 60;
    let young = recover(fixture, requeue, at(two_hours - 1)).await;
    assert_eq!(young, []);
    let old = recover(fixture, requeue, at(two_hours + 1)).await;
    assert_eq!(ids(&old), [id]);
    let stored = fixture.run(id).await;
    assert_eq!((stored.state.as_str(), stored.failed_attempts), ("QUEUED", 1));
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
    let recovery = &fixture.store.recovery;
    assert_eq!(recovery.time_out_overdue(&rules, &[], at(126), 10).await.unwrap(), []);
    // An engine leaves its own runs to itself.
    assert_eq!(recovery.time_out_overdue(&rules, &[overdue], at(127), 10).await.unwrap(), []);
    let ended = recovery.time_out_overdue(&rules, &[], at(127), 10).await.unwrap();
    assert_eq!(ids(&ended), [overdue]);
    assert_eq!(recorded(&ended[0]), [EventType::StepFailed, EventType::RunTimedOut]);
    assert_eq!(fixture.state(overdue).await, "TIMED_OUT");
    assert_eq!(fixture.state(orphan).await, "RUNNING");
    // A later write of the hanging owner is refused.
    let late = fixture.store.queue.write(transition_write(&run, RunChange::Complete, at(128))).await.unwrap();
    assert_eq!(late, RunWriteOutcome::Refused);
    assert_eq!(fixture.state(overdue).await, "TIMED_OUT");
}

/// Proves R013: time in which the owner slept does not count, so other engines leave the run to it.
pub async fn deadlines_move_by_the_time_in_which_their_owner_slept(fixture: &StoreFixture) {
    let (owner, other) = (fixture.worker(at(0)).await, fixture.worker(at(0)).await);
    let mut runs = Vec::new();
    for worker in [owner, other] {
        runs.push(fixture.enqueue(SubjectId::new(), at(0)).await);
        fixture.claim_one(worker, at(1)).await;
        assert!(fixture.store.workers.renew(worker, at(1), Lease::Until(at(1000))).await.unwrap());
    }
    fixture.store.workers.postpone_deadlines(owner, Duration::from_secs(150)).await.unwrap();
    let rules = rules(RecoveryPolicy::Fail);
    let ended = fixture.store.recovery.time_out_overdue(&rules, &[], at(200), 10).await.unwrap();
    assert_eq!(ids(&ended), [runs[1]]);
    assert_eq!(fixture.state(runs[0]).await, "RUNNING");
    let ended = fixture.store.recovery.time_out_overdue(&rules, &[], at(277), 10).await.unwrap();
    assert_eq!(ids(&ended), [runs[0]]);
}

/// Proves R216 with an engine's rules under an exclusive lease: no other engine can have started the run.
pub async fn a_run_without_an_owner_is_recovered_at_once_without_a_threshold(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let literal = fixture.sql.id(id.0);
    fixture.sql.execute(&format!("UPDATE runs SET worker_id = NULL WHERE id = {literal}")).await.unwrap();
    let rules = RecoveryRules { unowned_after: SignedDuration::ZERO, ..rules(RecoveryPolicy::Fail) };
    let recovery = &fixture.store.recovery;
    let recovered = recovery.recover_orphaned_runs(&rules, ExpiredLeaseAction::End, at(1), 10).await.unwrap();
    assert_eq!(ids(&recovered), [id]);
    assert_eq!(fixture.state(id).await, "FAILED");
}

/// A run that ends its process is failed, and the runs beside it are not blamed.
pub async fn runs_orphaned_together_are_not_blamed_and_are_claimed_alone(fixture: &StoreFixture) {
    let requeue = RecoveryPolicy::Requeue { max_claims: 2 };
    let mut runs = Vec::new();
    for second in 0..3 {
        runs.push(fixture.enqueue(SubjectId::new(), at(second)).await);
    }
    // Three times a process dies with all three runs.
    for round in 1..=3_u32 {
        let start = 100 * i64::from(round);
        let worker = fixture.worker(at(start)).await;
        let plans = all_plans();
        for _ in 0..3 {
            // Only tests claim a run that must run alone beside others.
            let claim =
                ClaimRequest { worker, at: at(start), limit: 3, is_idle: true, plans: &plans, lanes: None };
            let claimed = fixture.store.queue.claim(claim).await.unwrap();
            assert_eq!(
                claimed.len(),
                if round == 1 { 3 } else { 1 },
                "each is claimed alone after the first time"
            );
            if round == 1 {
                break;
            }
        }
        assert_eq!(recover(fixture, requeue, at(start + 20)).await.len(), 3);
        for run in &runs {
            let stored = fixture.run(*run).await;
            assert_eq!(
                (stored.state.as_str(), stored.failed_attempts, stored.counted_attempts()),
                ("QUEUED", round, 0)
            );
            assert!(stored.must_run_alone());
        }
        // They come back within five seconds.
        assert!(fixture.store.queue.release_due(at(start + 26), 10).await.unwrap() <= 3);
    }
    // A worker that has another run claims none of them, and nothing overtakes them.
    let worker = fixture.worker(at(400)).await;
    let plans = all_plans();
    let behind = fixture.enqueue(SubjectId::new(), at(400)).await;
    let busy = ClaimRequest { worker, at: at(400), limit: 10, is_idle: false, plans: &plans, lanes: None };
    assert_eq!(fixture.store.queue.claim(busy).await.unwrap(), []);
    // The one that ends its process alone is blamed, and fails at the limit.
    let poison = fixture.claim_one(worker, at(400)).await.run.id;
    assert_eq!(ids(&recover(fixture, requeue, at(420)).await), [poison]);
    assert_eq!((fixture.state(poison).await, fixture.run(poison).await.counted_attempts()), ("QUEUED", 1));
    for run in runs.iter().filter(|run| **run != poison) {
        let worker = fixture.worker(at(430)).await;
        assert_eq!(fixture.claim_one(worker, at(430)).await.run.id, *run);
        fixture.complete_run(*run).await;
    }
    let worker = fixture.worker(at(440)).await;
    assert_eq!(fixture.claim_one(worker, at(440)).await.run.id, behind);
    fixture.complete_run(behind).await;
    assert_eq!(fixture.claim_one(worker, at(440)).await.run.id, poison);
    recover(fixture, requeue, at(460)).await;
    let failed = fixture.run(poison).await;
    assert_eq!((failed.state.as_str(), failed.failed_attempts), ("FAILED", 5));
    assert_eq!(failed.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
}

/// Proves E66: a run that timed out stays so, and a new run that is linked to it continues its work.
pub async fn a_timed_out_run_is_continued_by_a_linked_run(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let second = RunId::new();
    let added = fixture.change_run(first, RunChange::TimeOut { continued_by: Some(second) }, at(10)).await;
    let added: Vec<_> = added.iter().map(|event| (event.event_type, event.run)).collect();
    assert_eq!(added, [(EventType::RunCreated, Some(second))], "its owner learns of the new run");
    assert_eq!(fixture.state(first).await, "TIMED_OUT");
    let continued = fixture.run(second).await;
    assert_eq!(
        (continued.subject, continued.state.as_str(), continued.created_at),
        (subject, "QUEUED", at(10))
    );
    assert_eq!(continued.continues, Some(Continuation { run: first, number: 1 }));
    assert_eq!(fixture.claim_one(worker, at(11)).await.run.id, second);
    // Another run of the subject waits already, and it continues the work too.
    let waiting = fixture.enqueue(subject, at(12)).await;
    let third = RunId::new();
    let added = fixture.change_run(second, RunChange::TimeOut { continued_by: Some(third) }, at(13)).await;
    assert_eq!(added, []);
    assert_eq!(fixture.claim_one(worker, at(14)).await.run.id, waiting);
    assert!(fixture.store.run_reader.run(third).await.is_err());
    let created = fixture.events().await;
    let created = created.iter().filter(|event| event.event.event_type == EventType::RunCreated).count();
    assert_eq!(created, 3);
}

/// Subjects whose runs all wait are found page by page, and their oldest run becomes ready. Others stay as they are.
pub async fn runs_that_wait_behind_no_front_get_one(fixture: &StoreFixture) {
    let broken: Vec<_> = (0..3).map(|_| SubjectId::new()).collect();
    let mut oldest = Vec::new();
    for subject in &broken {
        oldest.push(fixture.enqueue(*subject, at(0)).await);
        fixture.enqueue(*subject, at(1)).await;
    }
    let healthy = SubjectId::new();
    let front = fixture.enqueue(healthy, at(2)).await;
    fixture.enqueue(healthy, at(3)).await;
    let worker = fixture.worker(at(4)).await;
    for run in &oldest {
        let planted = format!("UPDATE runs SET turn = 'BEHIND' WHERE id = {}", fixture.sql.id(run.0));
        fixture.sql.execute(&planted).await.unwrap();
    }
    assert_eq!(fixture.claim_one(worker, at(5)).await.run.id, front);
    assert!(fixture.claim(worker, at(5), 10).await.is_empty(), "nothing else would ever start");

    let (mut restored, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let checked = fixture.store.recovery.restore_fronts(after, at(6), 2).await.unwrap();
        restored.extend(checked.restored);
        after = checked.next;
        pages += 1;
        if after.is_none() {
            break;
        }
    }
    assert!(pages > 2, "a page is bounded");
    restored.sort_unstable();
    let mut expected: Vec<_> = broken.iter().map(|subject| (*subject, Pipeline::Document)).collect();
    expected.sort_unstable();
    assert_eq!(restored, expected);
    let mut claimed: Vec<_> = fixture.claim(worker, at(7), 10).await.iter().map(|one| one.run.id).collect();
    claimed.sort_unstable();
    oldest.sort_unstable();
    assert_eq!(claimed, oldest);
    let again = fixture.store.recovery.restore_fronts(None, at(8), 100).await.unwrap();
    assert_eq!(again.restored, [], "waiting behind a front is no fault");
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
    assert_eq!((stored.failed_attempts, stored.retry_count, stored.queued_at), (0, 0, at(1)));
    assert_eq!(fixture.claim_one(other, at(4)).await.run.id, runs[1]);
}
