//! Retries by hand and automatic requeues.

use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    EventType, Failure, Pipeline, Priority, RequeuePolicy, RunChange, RunId, RunState, StepName, SubjectId,
};
use quire_ports::PortError;

use crate::fixture::{StoreFixture, at, new_run};

const MANUAL: RequeuePolicy =
    RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::from_mins(1) };
const AUTO: RequeuePolicy = RequeuePolicy::Auto { max_claims: 3, base_delay: SignedDuration::from_secs(30) };

/// Requeues a running document run with a delay of a minute.
pub(super) async fn requeue_later(fixture: &StoreFixture, run: RunId, when: Timestamp) {
    fail(fixture, run, StepName::Extraction, AUTO, when).await;
}

async fn fail(fixture: &StoreFixture, run: RunId, step: StepName, requeue: RequeuePolicy, when: Timestamp) {
    let failure = Failure::transient("PROVIDER_DOWN", "the provider does not answer");
    fixture.change_run(run, RunChange::Fail { step, failure, requeue }, when).await;
}

/// Proves R135, R136.
pub async fn a_retried_proposal_waits_for_its_delay(fixture: &StoreFixture) {
    let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&new, at(0)).await.unwrap();
    let mut now = 0;
    for n in 1..=5u32 {
        let worker = fixture.worker(at(now)).await;
        fixture.claim_one(worker, at(now)).await;
        fail(fixture, new.id, StepName::Expand, MANUAL, at(now + 1)).await;
        let retried = fixture.store.queue.retry(new.id, MANUAL, "local", at(now + 2)).await.unwrap();
        assert_eq!((retried.run.retry_count, retried.run.queued_at), (n, at(now + 2)));
        let due = now + 2 + 60 * (1 << n);
        assert_eq!(
            fixture.run(new.id).await.state,
            RunState::Queued { available_at: Some(at(due)), lane: None }
        );
        assert_eq!(fixture.store.queue.release_due(at(due - 1), 10).await.unwrap(), 0);
        let worker = fixture.worker(at(due - 1)).await;
        assert!(fixture.claim(worker, at(due - 1), 10).await.is_empty());
        assert_eq!(fixture.store.queue.release_due(at(due), 10).await.unwrap(), 1);
        now = due;
    }
    let worker = fixture.worker(at(now)).await;
    fixture.claim_one(worker, at(now)).await;
    fail(fixture, new.id, StepName::Expand, MANUAL, at(now)).await;
    let spent = fixture.store.queue.retry(new.id, MANUAL, "local", at(now)).await.unwrap_err();
    assert!(spent.to_string().contains("5 times"), "{spent}");
}

/// The oldest run of a subject starts first, also when it is retried after newer runs were enqueued.
pub async fn a_retried_run_keeps_its_place_among_the_runs_of_its_subject(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let runs = [0, 1].map(|_| new_run(Pipeline::Link, subject, Priority::Normal));
    for (second, new) in (0..).zip(&runs) {
        fixture.store.queue.enqueue(new, at(second)).await.unwrap();
    }
    let worker = fixture.worker(at(2)).await;
    fixture.claim_one(worker, at(3)).await;
    fail(fixture, runs[0].id, StepName::LinkExtraction, MANUAL, at(4)).await;
    let without_delay = RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::ZERO };
    fixture.store.queue.retry(runs[0].id, without_delay, "local", at(5)).await.unwrap();
    assert_eq!(fixture.claim_one(worker, at(6)).await.run.id, runs[0].id);
    assert!(fixture.claim(worker, at(6), 10).await.is_empty());
    fixture.complete_run(runs[0].id).await;
    assert_eq!(fixture.claim_one(worker, at(7)).await.run.id, runs[1].id);
}

/// Proves R135: a retry is refused in other states and for pipelines without manual retry.
pub async fn only_failed_runs_of_pipelines_with_manual_retry_are_retried(fixture: &StoreFixture) {
    let queue = &fixture.store.queue;
    let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    queue.enqueue(&new, at(0)).await.unwrap();
    let refused = |answer: Result<_, PortError>| matches!(answer, Err(PortError::Conflict(_)));
    assert!(refused(queue.retry(new.id, MANUAL, "local", at(1)).await));
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    assert!(refused(queue.retry(new.id, MANUAL, "local", at(1)).await));
    fixture.complete_run(new.id).await;
    assert!(refused(queue.retry(new.id, MANUAL, "local", at(7)).await));
    let document = fixture.enqueue(SubjectId::new(), at(7)).await;
    fixture.claim_one(worker, at(8)).await;
    fail(fixture, document, StepName::Extraction, RequeuePolicy::Never, at(9)).await;
    assert!(refused(queue.retry(document, RequeuePolicy::Never, "local", at(9)).await));
    assert!(matches!(queue.retry(RunId::new(), MANUAL, "local", at(9)).await, Err(PortError::NotFound(_))));
}

/// Proves R167, R171: attempts and the error log grow, and PENDING becomes FAILED at the limit.
pub async fn an_automatic_requeue_shows_in_the_job_view(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let id = fixture.enqueue(subject, at(0)).await;
    for (n, status, now) in [(1, "PENDING", 0), (2, "PENDING", 1000), (3, "FAILED", 2000)] {
        let worker = fixture.worker(at(now)).await;
        fixture.store.queue.release_due(at(now), 10).await.unwrap();
        fixture.claim_one(worker, at(now)).await;
        let processing = fixture.store.run_reader.jobs(subject).await.unwrap().remove(0);
        assert_eq!((processing.status.as_str(), processing.started_at), ("PROCESSING", Some(at(now))));
        fail(fixture, id, StepName::Extraction, AUTO, at(now + 1)).await;
        let job = fixture.store.run_reader.jobs(subject).await.unwrap().remove(0);
        assert_eq!((job.status.as_str(), job.attempts), (status, n));
        let log: serde_json::Value = serde_json::from_str(&job.error_log).unwrap();
        let log = log.as_array().unwrap();
        assert_eq!(log.len(), usize::try_from(n).unwrap());
        let last = log.last().unwrap();
        assert_eq!(last["error_code"], "PROVIDER_DOWN");
        assert_eq!((&last["stage"], &last["attempt"]), (&"EXTRACTION".into(), &n.into()));
        assert_eq!(last["at"].as_str().unwrap().parse::<Timestamp>().unwrap(), at(now + 1));
    }
    let events = fixture.attempts(id).await;
    let outcomes: Vec<_> = events.iter().map(|attempt| attempt.outcome).collect();
    assert_eq!(outcomes, [EventType::RunRequeued, EventType::RunRequeued, EventType::RunFailed]);
}
