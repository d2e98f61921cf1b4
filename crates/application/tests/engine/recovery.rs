//! Recovery of orphaned runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings};
use quire_domain::{EventType, Pipeline, RecoveryPolicy, StepName, SubjectId};
use quire_ports::{Breakpoint, ExpiredLeaseAction, RecoveryRules, StepOutput};
use quire_testkit::{ScriptedBreakpoints, steps};
use tokio::sync::Semaphore;

use crate::fixture::{
    EngineFixture, LEASE_TERM, SECOND, document_pipeline, fail_policy, gated_step, requeue_policy,
    step_with_peak,
};

crate::on_each_store! {
    orphaned_runs_fail_at_the_start_of_an_engine,
    a_run_without_an_owner_fails_at_the_start_of_the_only_engine,
    requeued_runs_resume_at_their_first_unfinished_step,
    the_watchdog_recovers_orphaned_runs_of_other_workers,
    an_engine_recovers_runs_of_pipelines_that_it_cannot_execute,
    an_engine_that_lost_its_lease_abandons_its_runs_and_registers_again,
    a_silence_of_the_store_costs_no_run_an_attempt,
    runs_orphaned_together_are_worked_on_one_at_a_time,
    the_watchdog_starts_runs_that_wait_behind_no_front,
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

/// A run that waits although no other run of its subject is unfinished is started, also when it came to that later.
async fn the_watchdog_starts_runs_that_wait_behind_no_front(fixture: EngineFixture) {
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    for _ in 0..2 {
        let run = fixture.enqueue_behind_no_front().await;
        fixture.wait_for_state_advancing(run, "COMPLETED").await;
    }
    engine.stop().await;
}

/// The settings of the only engine of its database.
fn exclusive() -> EngineSettings {
    EngineSettings { lease: LeaseSettings::Exclusive, ..EngineFixture::settings() }
}

/// Proves R008, R009, R195.
async fn orphaned_runs_fail_at_the_start_of_an_engine(fixture: EngineFixture) {
    let run = orphaned_run(&fixture).await;
    let documents = document_pipeline(fail_policy(), &steps::no_op());
    let engine = fixture.start_engine_with(exclusive(), documents).await;
    assert_eq!(fixture.state(run).await, "FAILED");
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    assert_eq!(fixture.event_types(run).await.last(), Some(&EventType::RunRecoveredAsFailed));
    engine.stop().await;
}

/// Proves R216.
async fn a_run_without_an_owner_fails_at_the_start_of_the_only_engine(fixture: EngineFixture) {
    let run = orphaned_run(&fixture).await;
    let id = fixture.store_fixture.sql.id(run.0);
    let disown = format!("UPDATE runs SET worker_id = NULL WHERE id = {id}");
    fixture.store_fixture.sql.execute(&disown).await.unwrap();
    let documents = document_pipeline(fail_policy(), &steps::no_op());
    let engine = fixture.start_engine_with(exclusive(), documents).await;
    assert_eq!(fixture.state(run).await, "FAILED");
    assert_eq!(fixture.event_types(run).await.last(), Some(&EventType::RunRecoveredAsFailed));
    engine.stop().await;
}

/// Proves R195: the same crash with the other policy. The succeeded step is not repeated.
async fn requeued_runs_resume_at_their_first_unfinished_step(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    fixture.breakpoints.hold_once(Breakpoint::AfterWrite);
    let done = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = done.clone();
    let work = steps::step(move |context| {
        log.lock().unwrap().push(context.step);
        async { Ok(StepOutput::default()) }
    });
    let first = fixture.start_engine(document_pipeline(requeue_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWrite, 1).await;
    // The engine dies between the two steps, and its lease expires.
    drop(first);
    fixture.clock.advance(LEASE_TERM);
    let second = fixture.start_engine(document_pipeline(requeue_policy(), &work)).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert_eq!(*done.lock().unwrap(), [StepName::Extraction, StepName::Interpretation]);
    // At least two: the first engine may have claimed again while it was dropped. That claim is handed back and does not
    // count.
    let events = fixture.event_types(run).await;
    assert!(events.iter().filter(|kind| **kind == EventType::RunStarted).count() >= 2);
    assert!(events.contains(&EventType::RunRequeued));
    let stored = fixture.run(run).await;
    assert_eq!((stored.failed_attempts, stored.retry_count), (1, 1));
    second.stop().await;
}

/// Proves R169 without a restart: another worker takes over the run of a dead one.
async fn the_watchdog_recovers_orphaned_runs_of_other_workers(fixture: EngineFixture) {
    let engine = fixture.start_engine(document_pipeline(requeue_policy(), &steps::no_op())).await;
    // Hold this engine before its claim, so that another worker claims the run.
    fixture.breakpoints.hold_once(Breakpoint::BeforeClaim);
    fixture.breakpoints.hold_once(Breakpoint::BeforeClaim);
    fixture.wait_until_advancing(|| async { fixture.breakpoints.held(Breakpoint::BeforeClaim) > 0 }).await;
    let run = orphaned_run(&fixture).await;
    fixture.breakpoints.release();
    fixture.breakpoints.release();
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert!(fixture.event_types(run).await.contains(&EventType::RunRequeued));
    engine.stop().await;
}

/// A worker whose runs another engine has recovered abandons them, and the run completes once.
async fn an_engine_that_lost_its_lease_abandons_its_runs_and_registers_again(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let engine = fixture.start_engine(document_pipeline(requeue_policy(), &gated_step(&gate))).await;
    fixture.wait_for_state(run, "RUNNING").await;
    let first = fixture.store.workers.list().await.unwrap()[0].id;
    fixture.hold_heartbeat(&fixture.breakpoints).await;
    fixture.clock.advance(LEASE_TERM);
    // What another engine does that was in contact all the time.
    let rules = RecoveryRules {
        recovery: vec![(Pipeline::Document, requeue_policy().recovery)],
        unowned_after: LEASE_TERM,
        grace: LEASE_TERM,
    };
    let (recovery, now) = (&fixture.store.recovery, fixture.store.clock.now());
    let recovered = recovery.recover_orphaned_runs(&rules, ExpiredLeaseAction::End, now, 10).await.unwrap();
    assert_eq!(recovered[0].run.id, run);
    fixture.breakpoints.release();
    fixture
        .wait_until_advancing(|| async { fixture.store.workers.list().await.unwrap()[0].id != first })
        .await;
    gate.add_permits(10);
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    let events = fixture.event_types(run).await;
    assert_eq!(events.iter().filter(|kind| **kind == EventType::RunCompleted).count(), 1);
    engine.stop().await;
}

/// The store answers nobody for longer than every lease. Afterwards the engines do not take each other for dead.
async fn a_silence_of_the_store_costs_no_run_an_attempt(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let documents = || document_pipeline(requeue_policy(), &gated_step(&gate));
    let owner = fixture.start_engine(documents()).await;
    fixture.wait_for_state(run, "RUNNING").await;
    let other_probe = Arc::new(ScriptedBreakpoints::default());
    let settings = EngineFixture::settings();
    let other = fixture.start_engine_probed(settings, documents(), other_probe.clone()).await;
    fixture.hold_heartbeat(&fixture.breakpoints).await;
    fixture.hold_heartbeat(&other_probe).await;
    fixture.clock.advance(LEASE_TERM + SECOND);
    fixture.let_watch(&fixture.breakpoints).await;
    fixture.let_watch(&other_probe).await;
    // The store answers the other engine first.
    other_probe.release();
    fixture.let_watch(&other_probe).await;
    assert_eq!(fixture.state(run).await, "RUNNING");
    fixture.breakpoints.release();
    let beats = fixture.breakpoints.count(Breakpoint::BeforeHeartbeat);
    fixture
        .wait_until_advancing(|| async { fixture.breakpoints.count(Breakpoint::BeforeHeartbeat) > beats })
        .await;
    gate.add_permits(10);
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    let stored = fixture.run(run).await;
    assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0));
    assert!(!fixture.event_types(run).await.contains(&EventType::RunRequeued));
    owner.stop().await;
    other.stop().await;
}

/// One of them may have ended the process, so each is tried alone, and none is blamed.
async fn runs_orphaned_together_are_worked_on_one_at_a_time(fixture: EngineFixture) {
    let runs = [fixture.enqueue(SubjectId::new()).await, fixture.enqueue(SubjectId::new()).await];
    let now = fixture.store.clock.now();
    let dead = fixture.store_fixture.worker(now).await;
    assert_eq!(fixture.store_fixture.claim(dead, now, 2).await.len(), 2);
    let (work, peak) = step_with_peak();
    let engine = fixture.start_engine_with(exclusive(), document_pipeline(requeue_policy(), &work)).await;
    for run in runs {
        fixture.wait_for_state_advancing(run, "COMPLETED").await;
        let stored = fixture.run(run).await;
        assert_eq!((stored.failed_attempts, stored.counted_attempts()), (1, 0));
    }
    assert_eq!(peak.load(Ordering::SeqCst), 1, "never two at once");
    // Other runs go side by side again.
    let next = fixture.enqueue(SubjectId::new()).await;
    fixture.wait_for_state_advancing(next, "COMPLETED").await;
    engine.stop().await;
}

/// Proves R195: the recovery policy belongs to the pipeline, not to the engine that finds the orphaned run.
async fn an_engine_recovers_runs_of_pipelines_that_it_cannot_execute(fixture: EngineFixture) {
    let run = orphaned_run(&fixture).await;
    let recovery = vec![(Pipeline::Document, RecoveryPolicy::Requeue { max_claims: 3 })];
    let settings = EngineSettings { recovery, ..EngineFixture::settings() };
    let engine = Engine::start(
        fixture.store.clone(),
        settings,
        Vec::new(),
        fixture.lanes.clone(),
        fixture.breakpoints.clone(),
    )
    .await
    .unwrap();
    fixture.wait_for_state_advancing(run, "QUEUED").await;
    engine.stop().await;
}
