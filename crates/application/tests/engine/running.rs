//! Runs that succeed, in order and side by side.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, PortError, StepOutput};
use quire_testkit::{snapshot, steps};
use tokio::sync::Semaphore;

use crate::fixture::{EngineFixture, SECOND, document_pipeline, fail_policy, step_with_peak};

crate::on_each_store! {
    a_queued_run_is_executed_step_by_step,
    a_slow_run_does_not_delay_others,
    runs_of_a_subject_run_one_after_the_other,
    reprocessing_does_not_cancel_a_running_run,
    an_idle_engine_claims_once_per_tick,
    contention_is_recorded_and_the_run_starts_on_a_later_tick,
    steps_that_block_every_thread_do_not_lose_the_lease,
}

/// Proves R001, R036, R037, R045: an engine executes queued runs as soon as it starts.
async fn a_queued_run_is_executed_step_by_step(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let work = steps::step(|context| async move { Ok(steps::artifact(context.step.as_str(), "{}")) });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state(run, "COMPLETED").await;
    assert_eq!(
        snapshot::render(&fixture.store).await,
        "\
run 1 document COMPLETED attempts=0 retries=0
  EXTRACTION SUCCEEDED attempt=1
  INTERPRETATION SUCCEEDED attempt=1
RUN_CREATED run 1
RUN_STARTED run 1
STEP_STARTED run 1 EXTRACTION #1
STEP_SUCCEEDED run 1 EXTRACTION #1
STEP_STARTED run 1 INTERPRETATION #1
STEP_SUCCEEDED run 1 INTERPRETATION #1
RUN_COMPLETED run 1
"
    );
    let artifacts = fixture.store.run_reader.artifacts(run).await.unwrap();
    let types: Vec<_> = artifacts.iter().map(|artifact| artifact.artifact_type.as_str()).collect();
    assert_eq!(types, ["EXTRACTION", "INTERPRETATION"]);
    engine.stop().await;
}

/// Proves R023.
async fn a_slow_run_does_not_delay_others(fixture: EngineFixture) {
    let slow = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let permits = gate.clone();
    let work = steps::step(move |context| {
        let permits = permits.clone();
        async move {
            if context.run.id == slow {
                permits.acquire().await.unwrap().forget();
            }
            Ok(StepOutput::default())
        }
    });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state(slow, "RUNNING").await;
    for _ in 0..5 {
        let quick = fixture.enqueue(SubjectId::new()).await;
        fixture.wait_for_state(quick, "COMPLETED").await;
    }
    assert_eq!(fixture.state(slow).await, "RUNNING");
    gate.add_permits(2);
    fixture.wait_for_state(slow, "COMPLETED").await;
    engine.stop().await;
}

/// Proves R002, R017 with an engine.
async fn runs_of_a_subject_run_one_after_the_other(fixture: EngineFixture) {
    let subject = SubjectId::new();
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(fixture.enqueue(subject).await);
        fixture.clock.advance(SECOND);
    }
    let (work, peak) = step_with_peak();
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state(*runs.last().unwrap(), "COMPLETED").await;
    assert_eq!(peak.load(Ordering::SeqCst), 1, "never two runs at once");
    let starts: Vec<_> = {
        let events = fixture
            .store
            .run_reader
            .events(quire_domain::EventId(0), quire_ports::EventFilter::default(), 1000)
            .await
            .unwrap();
        let starts = events.into_iter().filter(|r| r.event.event_type == EventType::RunStarted);
        starts.filter_map(|recorded| recorded.event.run).collect()
    };
    assert_eq!(starts, runs);
    engine.stop().await;
}

/// Proves R025, R016: another request during a run adds a run and changes nothing else.
async fn reprocessing_does_not_cancel_a_running_run(fixture: EngineFixture) {
    let subject = SubjectId::new();
    let first = fixture.enqueue(subject).await;
    fixture.breakpoints.hold_once(Breakpoint::BeforeStep);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    let second = fixture.enqueue(subject).await;
    assert_eq!((fixture.state(first).await, fixture.state(second).await), ("RUNNING", "QUEUED"));
    fixture.breakpoints.release();
    fixture.wait_for_state(second, "COMPLETED").await;
    assert_eq!(fixture.state(first).await, "COMPLETED");
    engine.stop().await;
}

/// Proves R019: without a tick or a wake-up the engine does not read the queue.
async fn an_idle_engine_claims_once_per_tick(fixture: EngineFixture) {
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeClaim, 1).await;
    let mut claims = fixture.breakpoints.count(Breakpoint::BeforeClaim);
    for tick in 1..=5 {
        // The engine is idle while the clock stands still.
        fixture
            .wait_until_advancing(|| async { fixture.breakpoints.count(Breakpoint::BeforeClaim) > claims })
            .await;
        claims = fixture.breakpoints.count(Breakpoint::BeforeClaim);
        assert!(claims <= 1 + tick * 2, "{claims} claims in {tick} ticks");
    }
    engine.stop().await;
}

/// Proves R020.
async fn contention_is_recorded_and_the_run_starts_on_a_later_tick(fixture: EngineFixture) {
    let contention = PortError::Unavailable {
        service: "database",
        reason: "another process is writing to it".to_owned(),
        contention: true,
    };
    fixture.breakpoints.fail_once(Breakpoint::BeforeClaim, contention);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeClaim, 1).await;
    let run = fixture.enqueue(SubjectId::new()).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert_eq!(fixture.count_events(EventType::SchedulerContention).await, 1);
    engine.stop().await;
}

/// The engine renews its lease even if a step blocks the thread of every slot.
async fn steps_that_block_every_thread_do_not_lose_the_lease(fixture: EngineFixture) {
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(std::sync::Mutex::new(gate));
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(fixture.enqueue(SubjectId::new()).await);
    }
    let work = steps::step(move |_| {
        let gate = gate.clone();
        async move {
            // Blocks the thread, like a parser.
            gate.lock().unwrap().recv().unwrap();
            Ok(StepOutput::default())
        }
    });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 4).await;
    let before = fixture.breakpoints.count(Breakpoint::BeforeHeartbeat);
    fixture
        .wait_until_advancing(|| async {
            fixture.breakpoints.count(Breakpoint::BeforeHeartbeat) >= before + 3
        })
        .await;
    for _ in 0..8 {
        go.send(()).unwrap();
    }
    for run in runs {
        fixture.wait_for_state(run, "COMPLETED").await;
    }
    engine.stop().await;
}
