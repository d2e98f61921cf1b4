//! Claims: which runs start, and in which order.

use std::collections::HashSet;

use quire_domain::{EventType, Pipeline, Priority, RunState, StepAttempt, StepName, SubjectId};
use quire_ports::{ClaimRequest, PortError};

use crate::fixture::{StoreFixture, all_plans, at, document_plan, document_run, new_run};

/// Proves R132, and R036 for the creation: `RUN_CREATED` is recorded once.
pub async fn enqueueing_the_same_run_again_changes_nothing(fixture: &StoreFixture) {
    let new = document_run(SubjectId::new());
    let first = fixture.store.queue.enqueue(&new, at(0)).await.unwrap();
    assert_eq!(first.state, RunState::Queued { available_at: None, lane: None });
    assert_eq!((first.queued_at, first.retry_count), (at(0), 0));
    let again = fixture.store.queue.enqueue(&new, at(9)).await.unwrap();
    assert_eq!(again, first);
    let events = fixture.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].event.event_type, EventType::RunCreated);

    let mut other = document_run(SubjectId::new());
    other.id = new.id;
    assert!(matches!(fixture.store.queue.enqueue(&other, at(9)).await, Err(PortError::Conflict(_))));
}

/// Proves R004, R005, R025: a new run is always accepted and never disturbs the running one.
pub async fn a_run_of_a_busy_subject_is_queued(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let mut later = Vec::new();
    for second in 2..5 {
        later.push(fixture.enqueue(subject, at(second)).await);
    }
    assert_eq!(fixture.state(first).await, "RUNNING");
    for run in later {
        assert_eq!(fixture.state(run).await, "QUEUED");
    }
    assert!(fixture.claim(worker, at(6), 10).await.is_empty());
}

/// Proves R017, R018, R165.
pub async fn runs_of_a_subject_start_oldest_first_and_one_at_a_time(fixture: &StoreFixture) {
    let (a, b) = (SubjectId::new(), SubjectId::new());
    let a1 = fixture.enqueue(a, at(0)).await;
    let a2 = fixture.enqueue(a, at(1)).await;
    let b1 = fixture.enqueue(b, at(2)).await;
    let a3 = fixture.enqueue(a, at(3)).await;
    let worker = fixture.worker(at(4)).await;
    let first: Vec<_> = fixture.claim(worker, at(5), 10).await;
    assert_eq!(first.iter().map(|c| c.run.id).collect::<Vec<_>>(), [a1, b1]);
    assert_eq!(first[0].run.state.started_at(), Some(at(5)));
    assert_eq!(first[0].started_steps, [StepAttempt::first(StepName::Extraction)]);
    assert!(fixture.claim(worker, at(5), 10).await.is_empty());
    for expected in [a2, a3] {
        let current = if expected == a2 { a1 } else { a2 };
        fixture.complete_run(current).await;
        let next = fixture.claim_one(worker, at(7)).await;
        assert_eq!(next.run.id, expected);
    }
}

/// Proves R017: a delay of the first run of a subject delays the whole subject, and no other.
pub async fn a_delayed_run_blocks_its_subject_and_no_other(fixture: &StoreFixture) {
    let (a, b) = (SubjectId::new(), SubjectId::new());
    let a1 = fixture.enqueue(a, at(0)).await;
    let a2 = fixture.enqueue(a, at(1)).await;
    let worker = fixture.worker(at(1)).await;
    fixture.claim_one(worker, at(2)).await;
    super::retries::requeue_later(fixture, a1, at(3)).await;
    let b1 = fixture.enqueue(b, at(4)).await;
    let claimed = fixture.claim(worker, at(5), 10).await;
    assert_eq!(claimed.iter().map(|c| c.run.id).collect::<Vec<_>>(), [b1]);
    // Before its delay has passed, nothing is due. Afterwards it starts before the newer run.
    assert_eq!(fixture.store.queue.release_due(at(10), 10).await.unwrap(), 0);
    assert_eq!(fixture.store.queue.release_due(at(100), 10).await.unwrap(), 1);
    let worker = fixture.worker(at(100)).await;
    let claimed = fixture.claim(worker, at(101), 10).await;
    assert_eq!(claimed.iter().map(|c| c.run.id).collect::<Vec<_>>(), [a1]);
    assert_eq!(fixture.state(a2).await, "QUEUED");
}

/// Proves R137, R199, R018: by the rank of the priority, then by `queued_at`, across pipelines.
pub async fn runs_start_by_priority_then_by_time_in_the_queue(fixture: &StoreFixture) {
    let mut expected = Vec::new();
    let order = [
        (Priority::Normal, Pipeline::Document, 3),
        (Priority::High, Pipeline::Proposal, 5),
        (Priority::Normal, Pipeline::Link, 1),
        (Priority::High, Pipeline::Document, 4),
        (Priority::Normal, Pipeline::Proposal, 2),
    ];
    for (priority, pipeline, second) in order {
        let new = new_run(pipeline, SubjectId::new(), priority);
        fixture.store.queue.enqueue(&new, at(second)).await.unwrap();
        expected.push((std::cmp::Reverse(priority), second, new.id));
    }
    expected.sort();
    let worker = fixture.worker(at(6)).await;
    let mut started = Vec::new();
    // Two claims, so that the order is checked within a claim and across claims.
    for limit in [2, 10] {
        started.extend(fixture.claim(worker, at(6), limit).await.into_iter().map(|claimed| claimed.run.id));
    }
    assert_eq!(started, expected.into_iter().map(|(_, _, id)| id).collect::<Vec<_>>());
}

/// Proves R002, R006, R007, R164: with concurrent claims each run starts once, and a subject never has two running runs.
pub async fn concurrent_claims_never_share_a_run_or_a_subject(fixture: &StoreFixture) {
    let subjects: Vec<_> = (0..10).map(|_| SubjectId::new()).collect();
    let mut all = HashSet::new();
    for round in 0..4 {
        for subject in &subjects {
            all.insert(fixture.enqueue(*subject, at(round)).await);
        }
    }
    let worker = fixture.worker(at(5)).await;
    let mut seen = HashSet::new();
    while seen.len() < all.len() {
        let claims = (0..8).map(|_| {
            let queue = fixture.store.queue.clone();
            tokio::spawn(async move {
                let plans = all_plans();
                queue
                    .claim(ClaimRequest {
                        worker,
                        at: at(6),
                        limit: 3,
                        is_idle: true,
                        plans: &plans,
                        lanes: None,
                    })
                    .await
                    .unwrap()
            })
        });
        let mut claimed = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            claimed.extend(claim.await.unwrap());
        }
        assert!(!claimed.is_empty(), "a run can always be claimed");
        let subjects: HashSet<_> = claimed.iter().map(|c| c.run.subject).collect();
        assert_eq!(subjects.len(), claimed.len(), "no subject is claimed twice");
        for one in claimed {
            assert!(seen.insert(one.run.id), "no run is claimed twice");
            fixture.complete_run(one.run.id).await;
        }
    }
    assert_eq!(seen, all);
}

/// Proves R003, R007: not even direct SQL can make a second run of a subject RUNNING.
pub async fn the_database_refuses_a_second_running_run_of_a_subject(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject, at(0)).await;
    let second = fixture.enqueue(subject, at(1)).await;
    let worker = fixture.worker(at(1)).await;
    fixture.claim_one(worker, at(2)).await;
    let id = fixture.sql.id(second.0);
    for change in [
        "state = 'RUNNING', started_at = queued_at",
        "state = 'RUNNING', turn = 'HELD', started_at = queued_at",
    ] {
        let done = fixture.sql.execute(&format!("UPDATE runs SET {change} WHERE id = {id}")).await;
        assert!(matches!(done, Err(_) | Ok(0)), "{change}: {done:?}");
    }
    assert_eq!(fixture.state(first).await, "RUNNING");
    assert_eq!(fixture.state(second).await, "QUEUED");
}

/// A worker without a pipeline leaves the runs of that pipeline to other workers.
pub async fn a_claim_takes_only_the_pipelines_it_names(fixture: &StoreFixture) {
    let link = new_run(Pipeline::Link, SubjectId::new(), Priority::High);
    fixture.store.queue.enqueue(&link, at(0)).await.unwrap();
    let document = fixture.enqueue(SubjectId::new(), at(1)).await;
    let worker = fixture.worker(at(1)).await;
    let plans = [document_plan()];
    let claim = ClaimRequest { worker, at: at(2), limit: 10, is_idle: true, plans: &plans, lanes: None };
    let claimed = fixture.store.queue.claim(claim).await.unwrap();
    assert_eq!(claimed.iter().map(|c| c.run.id).collect::<Vec<_>>(), [document]);
    assert_eq!(fixture.state(link.id).await, "QUEUED");
}

/// Proves R005 for concurrent requests on one subject: one run is ready at a time and none is lost.
pub async fn runs_enqueued_concurrently_for_a_subject_run_one_at_a_time(fixture: &StoreFixture) {
    let subject = SubjectId::new();
    let tasks: Vec<_> = (0..40)
        .map(|second| {
            let queue = fixture.store.queue.clone();
            tokio::spawn(async move { queue.enqueue(&document_run(subject), at(second)).await.unwrap().id })
        })
        .collect();
    let mut waiting = HashSet::new();
    for task in tasks {
        waiting.insert(task.await.unwrap());
    }
    let worker = fixture.worker(at(50)).await;
    while !waiting.is_empty() {
        let claimed = fixture.claim(worker, at(51), 40).await;
        assert_eq!(claimed.len(), 1);
        assert!(waiting.remove(&claimed[0].run.id));
        fixture.complete_run(claimed[0].run.id).await;
    }
}
