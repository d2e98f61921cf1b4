//! Shutdown of an engine.

use std::sync::Arc;

use quire_domain::{EventType, SubjectId};
use quire_ports::Breakpoint;
use quire_testkit::steps;
use tokio::sync::Semaphore;

use crate::fixture::{EngineFixture, document_pipeline, fail_policy, gated_step, requeue_policy};

crate::on_each_store! {
    a_shutdown_waits_for_running_runs_and_claims_nothing,
    runs_that_outlast_the_shutdown_are_ended_by_recovery_policy,
    a_run_that_has_not_begun_is_handed_back_unchanged,
}

/// Proves R024.
async fn a_shutdown_waits_for_running_runs_and_claims_nothing(fixture: EngineFixture) {
    let gate = Arc::new(Semaphore::new(0));
    let running = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &gated_step(&gate))).await;
    fixture.probe.wait_for(Breakpoint::BeforeStep, 1).await;
    let stopping = tokio::spawn(engine.stop());
    let late = fixture.enqueue(SubjectId::new()).await;
    gate.add_permits(2);
    stopping.await.unwrap();
    assert_eq!(fixture.state(running).await, "COMPLETED");
    assert_eq!(fixture.state(late).await, "QUEUED");
    assert_eq!(fixture.store.workers.list().await.unwrap()[0].lease, None, "the worker has resigned");
}

/// Proves R024 for the end of the wait: it is bounded, and no run stays RUNNING.
async fn runs_that_outlast_the_shutdown_are_ended_by_recovery_policy(fixture: EngineFixture) {
    for (policy, state, last) in [
        (fail_policy(), "FAILED", EventType::RunRecoveredAsFailed),
        (requeue_policy(), "QUEUED", EventType::RunRequeued),
    ] {
        let run = fixture.enqueue(SubjectId::new()).await;
        let before = fixture.probe.count(Breakpoint::BeforeStep);
        let engine =
            fixture.start_engine(document_pipeline(policy, &steps::step(|_| std::future::pending()))).await;
        fixture.probe.wait_for(Breakpoint::BeforeStep, before + 1).await;
        let stopping = tokio::spawn(engine.stop());
        fixture.wait_until_advancing(|| async { stopping.is_finished() }).await;
        assert_eq!(fixture.state(run).await, state);
        assert_eq!(fixture.event_types(run).await.last(), Some(&last));
    }
}

/// A run that is claimed during the shutdown goes back to the queue, and no attempt is counted.
async fn a_run_that_has_not_begun_is_handed_back_unchanged(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    fixture.probe.hold_once(Breakpoint::AfterClaim);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.probe.wait_for(Breakpoint::AfterClaim, 1).await;
    assert_eq!(fixture.state(run).await, "RUNNING");
    let mut stopping = std::pin::pin!(engine.stop());
    tokio::select! {
        biased;
        () = &mut stopping => panic!("the engine waits for the run that it has claimed"),
        () = std::future::ready(()) => fixture.probe.release(),
    }
    stopping.await;
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.as_str(), "QUEUED");
    assert_eq!((stored.attempts, stored.retry_count), (0, 0));
    assert_eq!(fixture.event_types(run).await.last(), Some(&EventType::RunRequeued));
    let steps = fixture.store.history.steps(run).await.unwrap();
    assert_eq!(steps[0].status, quire_domain::StepStatus::Pending);
}
