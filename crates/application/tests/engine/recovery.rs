//! Recovery of orphaned runs.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings};
use quire_domain::{EventType, Pipeline, RecoveryPolicy, StepName, SubjectId};
use quire_ports::{Breakpoint, StepOutput};
use quire_testkit::steps;
use tokio::sync::Semaphore;

use crate::fixture::{EngineFixture, document_pipeline, fail_policy, gated_step, requeue_policy};

crate::on_each_store! {
    orphaned_runs_fail_at_the_start_of_an_engine,
    requeued_runs_resume_at_their_first_unfinished_step,
    the_watchdog_recovers_orphaned_runs_of_other_workers,
    an_engine_recovers_runs_of_pipelines_that_it_cannot_execute,
    an_engine_that_lost_its_lease_abandons_its_runs_and_registers_again,
}

/// Claims a run in the name of a worker that dies, and lets the lease of that worker expire.
async fn orphaned_run(fixture: &EngineFixture) -> quire_domain::RunId {
    let run = fixture.enqueue(SubjectId::new()).await;
    let now = fixture.store.clock.now();
    let dead = fixture.store_fixture.worker(now).await;
    fixture.store_fixture.claim_one(dead, now).await;
    fixture.clock.advance(SignedDuration::from_secs(16));
    run
}

/// Proves R008, R009, R195.
async fn orphaned_runs_fail_at_the_start_of_an_engine(fixture: EngineFixture) {
    let run = orphaned_run(&fixture).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    assert_eq!(fixture.state(run).await, "FAILED");
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    assert_eq!(fixture.event_types(run).await.last(), Some(&EventType::RunRecoveredAsFailed));
    engine.stop().await;
}

/// Proves R195: the same crash with the other policy. The succeeded step is not repeated.
async fn requeued_runs_resume_at_their_first_unfinished_step(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    fixture.probe.hold_once(Breakpoint::AfterAdvance);
    let done = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = done.clone();
    let work = steps::step(move |context| {
        log.lock().unwrap().push(context.step);
        async { Ok(StepOutput::default()) }
    });
    let first = fixture.start_engine(document_pipeline(requeue_policy(), &work)).await;
    fixture.probe.wait_for(Breakpoint::AfterAdvance, 1).await;
    // The engine dies between the two steps, and its lease expires.
    drop(first);
    fixture.clock.advance(SignedDuration::from_hours(1001));
    let second = fixture.start_engine(document_pipeline(requeue_policy(), &work)).await;
    fixture.wait_for_state(run, "COMPLETED").await;
    assert_eq!(*done.lock().unwrap(), [StepName::Extraction, StepName::Interpretation]);
    // At least two: the first engine may have claimed again while it was dropped. That claim is handed back and does not
    // count.
    let events = fixture.event_types(run).await;
    assert!(events.iter().filter(|kind| **kind == EventType::RunStarted).count() >= 2);
    assert!(events.contains(&EventType::RunRequeued));
    let stored = fixture.run(run).await;
    assert_eq!((stored.attempts, stored.retry_count), (1, 1));
    second.stop().await;
}

/// Proves R169 without a restart: another worker takes over the run of a dead one.
async fn the_watchdog_recovers_orphaned_runs_of_other_workers(fixture: EngineFixture) {
    let engine = fixture.start_engine(document_pipeline(requeue_policy(), &steps::no_op())).await;
    // Hold this engine before its claim, so that another worker claims the run.
    fixture.probe.hold_once(Breakpoint::BeforeClaim);
    fixture.probe.hold_once(Breakpoint::BeforeClaim);
    let before = fixture.probe.count(Breakpoint::BeforeClaim);
    fixture.wait_until_advancing(|| async { fixture.probe.count(Breakpoint::BeforeClaim) > before }).await;
    let run = orphaned_run(&fixture).await;
    fixture.probe.release();
    fixture.probe.release();
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert!(fixture.event_types(run).await.contains(&EventType::RunRequeued));
    engine.stop().await;
}

/// A worker that could not renew its lease in time abandons its runs, and the run completes once.
async fn an_engine_that_lost_its_lease_abandons_its_runs_and_registers_again(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let work = gated_step(&gate);
    let lease = LeaseSettings::Renewed { term: SignedDuration::from_secs(15) };
    let settings = EngineSettings { lease, ..EngineFixture::settings() };
    let engine = fixture.start_engine_with(settings, document_pipeline(requeue_policy(), &work)).await;
    fixture.wait_for_state(run, "RUNNING").await;
    let first = fixture.store.workers.list().await.unwrap()[0].id;
    // Hold the heartbeat for longer than the lease, like a paused machine.
    fixture.probe.hold_once(Breakpoint::BeforeHeartbeat);
    let beats = fixture.probe.count(Breakpoint::BeforeHeartbeat);
    fixture.wait_until_advancing(|| async { fixture.probe.count(Breakpoint::BeforeHeartbeat) > beats }).await;
    fixture.clock.advance(SignedDuration::from_secs(20));
    fixture
        .wait_until_advancing(|| async { fixture.event_types(run).await.contains(&EventType::RunRequeued) })
        .await;
    fixture.probe.release();
    fixture
        .wait_until_advancing(|| async { fixture.store.workers.list().await.unwrap()[0].id != first })
        .await;
    gate.add_permits(10);
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    let events = fixture.event_types(run).await;
    assert_eq!(events.iter().filter(|kind| **kind == EventType::RunCompleted).count(), 1);
    engine.stop().await;
}

/// Proves R195: the recovery policy belongs to the pipeline, not to the engine that finds the orphaned run.
async fn an_engine_recovers_runs_of_pipelines_that_it_cannot_execute(fixture: EngineFixture) {
    let run = orphaned_run(&fixture).await;
    let recovery = vec![(Pipeline::Document, RecoveryPolicy::Requeue { max_claims: 3 })];
    let settings = EngineSettings { recovery, ..EngineFixture::settings() };
    let engine =
        Engine::start(fixture.store.clone(), settings, Vec::new(), fixture.probe.clone()).await.unwrap();
    assert_eq!(fixture.state(run).await, "QUEUED");
    engine.stop().await;
}
