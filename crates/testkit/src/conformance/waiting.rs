//! Runs that wait for their next step attempt or for a time.

use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    Event, EventType, Failure, FailureKind, FailureRecord, RequeuePolicy, Run, RunChange, RunState,
    StepAttempt, StepName, StepStatus, SubjectId, Wait,
};
use quire_ports::RunWrite;

use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, at};

const STEP: StepName = StepName::Extraction;

/// The wait for the second attempt, after the worker held the run for `time_used` seconds.
pub(super) fn wait(until: Timestamp, time_used: i64) -> Wait {
    let next = StepAttempt { step: STEP, number: 2 };
    Wait { until, next, lane: None, failure: None, time_used: SignedDuration::from_secs(time_used) }
}

/// The wait for the same attempt, because the provider refused the call.
fn postponed(until: Timestamp) -> Wait {
    let next = StepAttempt { step: STEP, number: 1 };
    Wait { next, failure: Some(rate_limited(until)), ..wait(until, 1) }
}

fn rate_limited(until: Timestamp) -> FailureRecord {
    let failure = Failure::new(FailureKind::RateLimited { until }, "MODEL_RATE_LIMITED", "slow down");
    failure.record(Some(STEP), None)
}

/// The write of a worker whose attempt has failed and that sends the run to wait.
fn failed_and_waits(run: &Run, until: Timestamp, time_used: i64, when: Timestamp) -> RunWrite {
    let end = transition_write(run, RunChange::Wait(wait(until, time_used)), when).transition;
    RunWrite {
        transition: end,
        ..step_write(run, &[EventType::StepFailed, EventType::StepRetried], STEP, when)
    }
}

/// Makes a run wait. Returns it as it was claimed.
async fn claim_and_wait(fixture: &StoreFixture, until: Timestamp) -> Run {
    let worker = fixture.worker(at(2)).await;
    let claimed = fixture.claim_one(worker, at(2)).await;
    fixture.write(failed_and_waits(&claimed.run, until, 3, at(5))).await;
    claimed.run
}

/// Proves R011, R037: the step attempts go on counting, and nothing else does.
pub async fn a_waiting_run_keeps_its_counters_and_goes_on_with_its_next_attempt(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let claimed = claim_and_wait(fixture, at(60)).await;
    let waiting = fixture.run(id).await;
    assert_eq!(waiting.state, RunState::Queued { available_at: Some(at(60)), lane: None });
    assert_eq!((waiting.failed_attempts, waiting.retry_count, waiting.queued_at), (0, 0, at(0)));
    let steps = fixture.steps(id).await;
    assert_eq!((steps[0].status, steps[0].attempt), (StepStatus::Failed, 1), "it shows what happened");

    assert_eq!(fixture.store.queue.release_due(at(59), 10).await.unwrap(), 0);
    let worker = fixture.worker(at(59)).await;
    assert!(fixture.claim(worker, at(59), 10).await.is_empty());
    assert_eq!(fixture.store.queue.release_due(at(60), 10).await.unwrap(), 1);
    let again = fixture.claim_one(worker, at(61)).await;
    assert_eq!(again.started_steps, [StepAttempt { step: STEP, number: 2 }]);
    let RunState::Running { deadline_at, .. } = again.run.state else { panic!("{:?}", again.run.state) };
    assert_eq!(
        deadline_at,
        Some(at(61 + 120 - 3)),
        "the time in which it was held counts, the wait does not"
    );
    let events = fixture.events_of(quire_ports::EventFilter { run: Some(id), subject: None }).await;
    let events: Vec<&Event> = events.iter().map(|recorded| &recorded.event).collect();
    let wait = events.iter().find(|event| event.event_type == EventType::RunRequeued).unwrap();
    assert!(wait.is_wait() && wait.fence == Some(claimed.fence), "{wait:?}");
    assert_eq!((wait.step, wait.attempt, wait.delay_ms), (Some(STEP), Some(2), Some(55_000)));
    assert_eq!(events.last().unwrap().attempt, Some(2));
}

/// Proves R017: for its subject a waiting run is still the first.
pub async fn a_waiting_run_blocks_its_subject_and_no_other(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let second = fixture.enqueue(subject, at(1)).await;
    claim_and_wait(fixture, at(60)).await;
    let other = fixture.enqueue(SubjectId::new(), at(6)).await;
    let worker = fixture.worker(at(7)).await;
    let claimed = fixture.claim(worker, at(7), 10).await;
    assert_eq!(claimed.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [other]);
    fixture.store.queue.release_due(at(60), 10).await.unwrap();
    let worker = fixture.worker(at(60)).await;
    assert_eq!(fixture.claim_one(worker, at(60)).await.run.id, first);
    assert_eq!(fixture.state(second).await, "QUEUED");
}

/// A rate limit counts nothing, however often it comes, and is in the error log.
pub async fn a_postponed_attempt_keeps_its_number_and_its_failure_is_logged(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let id = fixture.enqueue(subject, at(0)).await;
    for round in 0..3 {
        let now = at(100 * round);
        fixture.store.queue.release_due(now, 10).await.unwrap();
        let worker = fixture.worker(now).await;
        let claimed = fixture.claim_one(worker, now).await;
        assert_eq!(claimed.started_steps, [StepAttempt::first(STEP)]);
        let wait = RunChange::Wait(postponed(at(100 * round + 50)));
        let end = transition_write(&claimed.run, wait, now).transition;
        let write = step_write(&claimed.run, &[EventType::StepPostponed], STEP, now);
        fixture.write(RunWrite { transition: end, ..write }).await;
        let steps = fixture.steps(id).await;
        assert_eq!((steps[0].status, steps[0].attempt), (StepStatus::Pending, 1));
    }
    let job = fixture.store.run_reader.jobs(subject).await.unwrap().remove(0);
    assert_eq!((job.status.as_str(), job.attempts), ("PENDING", 0));
    let log: serde_json::Value = serde_json::from_str(&job.error_log).unwrap();
    let entries: Vec<_> =
        log.as_array().unwrap().iter().map(|one| (&one["error_code"], &one["attempt"])).collect();
    assert_eq!(entries, [(&"MODEL_RATE_LIMITED".into(), &1.into()); 3]);
    assert!(fixture.attempts(id).await.is_empty(), "no attempt has ended");
}

/// A requeue after a failed attempt starts again: with the first step attempt and with the whole limit.
pub async fn a_requeue_forgets_the_waits_before_it(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    claim_and_wait(fixture, at(10)).await;
    fixture.store.queue.release_due(at(10), 10).await.unwrap();
    let worker = fixture.worker(at(10)).await;
    let again = fixture.claim_one(worker, at(10)).await;
    let failure = Failure::transient("PROVIDER_DOWN", "the provider does not answer");
    let requeue = RequeuePolicy::Auto { max_claims: 3, base_delay: SignedDuration::from_secs(30) };
    let failed = RunWrite {
        transition: transition_write(&again.run, RunChange::Fail { step: STEP, failure, requeue }, at(11))
            .transition,
        ..step_write(&again.run, &[EventType::StepFailed], STEP, at(11))
    };
    fixture.write(failed).await;
    fixture.store.queue.release_due(at(1000), 10).await.unwrap();
    let worker = fixture.worker(at(1000)).await;
    let third = fixture.claim_one(worker, at(1000)).await;
    assert_eq!(third.started_steps, [StepAttempt::first(STEP)]);
    let RunState::Running { deadline_at, .. } = third.run.state else { panic!("{:?}", third.run.state) };
    assert_eq!(deadline_at, Some(at(1120)));
    assert_eq!(fixture.attempts(id).await.len(), 1);
}
