//! Shutdown of an engine.

use std::sync::Arc;

use quire_domain::{EventType, StepName, SubjectId};
use quire_ports::{Breakpoint, StepOutput};
use quire_testkit::{Fault, steps};
use tokio::sync::Semaphore;

use crate::fixture::{EngineFixture, document_pipeline, fail_policy, gated_step, requeue_policy};

crate::on_each_store! {
    a_shutdown_waits_for_running_runs_and_claims_nothing,
    runs_that_outlast_the_shutdown_are_handed_back,
    a_run_that_has_not_begun_is_handed_back_unchanged,
}

/// Proves R024.
async fn a_shutdown_waits_for_running_runs_and_claims_nothing(fixture: EngineFixture) {
    let gate = Arc::new(Semaphore::new(0));
    let running = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &gated_step(&gate))).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    let stopping = tokio::spawn(engine.stop());
    let late = fixture.enqueue(SubjectId::new()).await;
    gate.add_permits(2);
    stopping.await.unwrap();
    assert_eq!(fixture.state(running).await, "COMPLETED");
    assert_eq!(fixture.state(late).await, "QUEUED");
    assert_eq!(fixture.store.workers.list().await.unwrap()[0].lease, None, "the worker has resigned");
}

/// Proves R024, R037 for the end of the wait: it is bounded, and a planned shutdown costs no run an attempt, whatever the
/// recovery policy, even if the store fails at first.
async fn runs_that_outlast_the_shutdown_are_handed_back(fixture: EngineFixture) {
    for policy in [fail_policy(), requeue_policy()] {
        let run = fixture.enqueue(SubjectId::new()).await;
        // The first step succeeds, the second takes for ever.
        let work = steps::step(|context| async move {
            if context.step == StepName::Interpretation {
                std::future::pending::<()>().await;
            }
            Ok(StepOutput::default())
        });
        let before = fixture.breakpoints.count(Breakpoint::BeforeStep);
        let engine = fixture.start_engine(document_pipeline(policy, &work)).await;
        fixture.breakpoints.wait_for(Breakpoint::BeforeStep, before + 2).await;
        fixture.observer.fail_next_write(Fault::BeforeWrite);
        let stopping = tokio::spawn(engine.stop());
        fixture.wait_until_advancing(|| async { stopping.is_finished() }).await;
        let stored = fixture.run(run).await;
        assert_eq!((stored.state.as_str(), stored.failed_attempts, stored.retry_count), ("QUEUED", 0, 0));
        let events = fixture.events(run).await;
        let [.., step, end] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((step.event_type, step.step), (EventType::StepFailed, Some(StepName::Interpretation)));
        assert_eq!((step.error_code(), end.event_type), (Some("PROCESS_TERMINATED"), EventType::RunRequeued));
        // The next engine continues at the step that was interrupted.
        let engine = fixture.start_engine(document_pipeline(policy, &steps::no_op())).await;
        fixture.wait_for_state_advancing(run, "COMPLETED").await;
        let steps = fixture.event_types(run).await;
        assert_eq!(steps.iter().filter(|kind| **kind == EventType::StepSucceeded).count(), 2);
        engine.stop().await;
    }
}

/// A run that is claimed during the shutdown goes back to the queue, and no attempt is counted.
async fn a_run_that_has_not_begun_is_handed_back_unchanged(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    fixture.breakpoints.hold_once(Breakpoint::AfterClaim);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterClaim, 1).await;
    assert_eq!(fixture.state(run).await, "RUNNING");
    let mut stopping = std::pin::pin!(engine.stop());
    tokio::select! {
        biased;
        () = &mut stopping => panic!("the engine waits for the run that it has claimed"),
        () = std::future::ready(()) => fixture.breakpoints.release(),
    }
    stopping.await;
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.as_str(), "QUEUED");
    assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0));
    assert_eq!(fixture.event_types(run).await.last(), Some(&EventType::RunRequeued));
    let steps = fixture.store.run_reader.steps(run).await.unwrap();
    assert_eq!(steps[0].status, quire_domain::StepStatus::Pending);
}
