//! Owners that disappear.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings};
use quire_domain::{EventType, Pipeline, RecoveryPolicy, StepName, SubjectId};
use quire_ports::{Breakpoint, StepOutput};
use quire_testkit::steps;
use tokio::sync::Semaphore;

use crate::stage::{SECOND, Stage, documents, lenient, strict};

crate::on_each_store! {
    at_start_up_orphans_are_failed,
    at_start_up_orphans_are_requeued_and_resume_where_they_were,
    the_watchdog_finds_orphans_while_the_engine_runs,
    an_engine_recovers_also_what_it_could_not_execute_by_that_pipelines_rule,
    an_engine_that_lost_its_lease_abandons_its_runs_and_goes_on_as_another,
}

/// Claims a run as a worker that will never be heard of again, and lets its lease run out.
async fn orphan(stage: &Stage) -> quire_domain::RunId {
    let run = stage.enqueue(SubjectId::new()).await;
    let now = stage.store.clock.now();
    let gone = stage.fixture.worker(now).await;
    stage.fixture.claim_one(gone, now).await;
    stage.clock.advance(SignedDuration::from_secs(16));
    run
}

/// Proves R008, R009, R195.
async fn at_start_up_orphans_are_failed(stage: Stage) {
    let run = orphan(&stage).await;
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    assert_eq!(stage.state(run).await, "FAILED");
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "PROCESS_TERMINATED");
    assert_eq!(stage.told(run).await.last(), Some(&EventType::RunRecoveredAsFailed));
    engine.stop().await;
}

/// Proves R195: the same crash under the other policy; the step that had succeeded is not done again.
async fn at_start_up_orphans_are_requeued_and_resume_where_they_were(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    stage.probe.hold_once(Breakpoint::AfterAdvance);
    let done = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = done.clone();
    let work = steps::step(move |context| {
        log.lock().unwrap().push(context.step);
        async { Ok(StepOutput::default()) }
    });
    let first = stage.engine(documents(lenient(), &work)).await;
    stage.probe.wait_for(Breakpoint::AfterAdvance, 1).await;
    // Gone between the two steps, without a word, and its lease runs out.
    drop(first);
    stage.clock.advance(SignedDuration::from_hours(1001));
    let second = stage.engine(documents(lenient(), &work)).await;
    stage.until_state(run, "COMPLETED").await;
    assert_eq!(*done.lock().unwrap(), [StepName::Extraction, StepName::Interpretation]);
    // At least two: a claim that the first engine had under way when it was dropped is handed back, uncounted.
    let told = stage.told(run).await;
    assert!(told.iter().filter(|kind| **kind == EventType::RunStarted).count() >= 2);
    assert!(told.contains(&EventType::RunRequeued));
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!((stored.attempts, stored.retry_count), (1, 1));
    second.stop().await;
}

/// Proves R169 without a restart: another worker takes over what a dead one left.
async fn the_watchdog_finds_orphans_while_the_engine_runs(stage: Stage) {
    let engine = stage.engine(documents(lenient(), &steps::no_op())).await;
    // Claimed by somebody else before this engine could: hold it at its door meanwhile.
    stage.probe.hold_once(Breakpoint::BeforeClaim);
    stage.probe.hold_once(Breakpoint::BeforeClaim);
    let held = stage.probe.count(Breakpoint::BeforeClaim);
    stage
        .observer
        .wait_until_advancing(&stage.clock, SECOND, || async {
            stage.probe.count(Breakpoint::BeforeClaim) > held
        })
        .await;
    let run = orphan(&stage).await;
    stage.probe.release();
    stage.probe.release();
    stage.until_state_in_time(run, "COMPLETED").await;
    assert!(stage.told(run).await.contains(&EventType::RunRequeued));
    engine.stop().await;
}

/// A worker that could not renew in time lets go, and its late writes are refused.
async fn an_engine_that_lost_its_lease_abandons_its_runs_and_goes_on_as_another(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let work = steps::step(move |_| {
        let held = held.clone();
        async move {
            held.acquire().await.unwrap().forget();
            Ok(StepOutput::default())
        }
    });
    let lease = LeaseSettings::Renewed { term: SignedDuration::from_secs(15) };
    let settings = EngineSettings { lease, ..Stage::settings() };
    let engine = stage.engine_with(settings, documents(lenient(), &work)).await;
    stage.until_state(run, "RUNNING").await;
    let first = stage.store.workers.list().await.unwrap()[0].id;
    // Stopped for longer than the lease, as a paused machine would be.
    stage.probe.hold_once(Breakpoint::BeforeHeartbeat);
    let beats = stage.probe.count(Breakpoint::BeforeHeartbeat);
    stage
        .observer
        .wait_until_advancing(&stage.clock, SECOND, || async {
            stage.probe.count(Breakpoint::BeforeHeartbeat) > beats
        })
        .await;
    stage.clock.advance(SignedDuration::from_secs(20));
    stage
        .observer
        .wait_until_advancing(&stage.clock, SECOND, || async {
            stage.told(run).await.contains(&EventType::RunRequeued)
        })
        .await;
    stage.probe.release();
    stage
        .observer
        .wait_until_advancing(&stage.clock, SECOND, || async {
            stage.store.workers.list().await.unwrap()[0].id != first
        })
        .await;
    gate.add_permits(10);
    stage.until_state_in_time(run, "COMPLETED").await;
    let told = stage.told(run).await;
    assert_eq!(told.iter().filter(|kind| **kind == EventType::RunCompleted).count(), 1);
    engine.stop().await;
}

/// Proves R195 for an engine without the means: the rule belongs to the pipeline, not to whoever finds the orphan.
async fn an_engine_recovers_also_what_it_could_not_execute_by_that_pipelines_rule(stage: Stage) {
    let run = orphan(&stage).await;
    let recovery = vec![(Pipeline::Document, RecoveryPolicy::Requeue { max_claims: 3 })];
    let settings = EngineSettings { recovery, ..Stage::settings() };
    let engine = Engine::start(stage.store.clone(), settings, Vec::new(), stage.probe.clone()).await.unwrap();
    assert_eq!(stage.state(run).await, "QUEUED");
    engine.stop().await;
}
