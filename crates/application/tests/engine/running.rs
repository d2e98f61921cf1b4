//! Runs that go well, side by side and in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, PortError, StepOutput};
use quire_testkit::{snapshot, steps};
use tokio::sync::Semaphore;

use crate::stage::{SECOND, Stage, documents, strict};

crate::on_each_store! {
    a_queued_run_is_executed_step_by_step,
    a_slow_run_holds_up_nobody_else,
    runs_of_a_subject_go_one_after_the_other,
    a_reprocess_never_cancels_what_is_running,
    an_idle_engine_looks_once_a_tick,
    contention_is_told_and_the_run_starts_on_a_later_tick,
    steps_that_block_every_thread_do_not_cost_the_lease,
}

/// Proves R001, R036, R037, R045: starting the engine is all it takes.
async fn a_queued_run_is_executed_step_by_step(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let work = steps::step(|context| async move { Ok(steps::artifact(context.step.as_str(), "{}")) });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state(run, "COMPLETED").await;
    assert_eq!(
        snapshot::render(&stage.store).await,
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
    let artifacts = stage.store.history.artifacts(run).await.unwrap();
    let types: Vec<_> = artifacts.iter().map(|artifact| artifact.artifact_type.as_str()).collect();
    assert_eq!(types, ["EXTRACTION", "INTERPRETATION"]);
    engine.stop().await;
}

/// Proves R023.
async fn a_slow_run_holds_up_nobody_else(stage: Stage) {
    let slow = stage.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let work = steps::step(move |context| {
        let held = held.clone();
        async move {
            if context.run.id == slow {
                held.acquire().await.unwrap().forget();
            }
            Ok(StepOutput::default())
        }
    });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state(slow, "RUNNING").await;
    for _ in 0..5 {
        let quick = stage.enqueue(SubjectId::new()).await;
        stage.until_state(quick, "COMPLETED").await;
    }
    assert_eq!(stage.state(slow).await, "RUNNING");
    gate.add_permits(2);
    stage.until_state(slow, "COMPLETED").await;
    engine.stop().await;
}

/// Proves R002, R017 with the engine in between.
async fn runs_of_a_subject_go_one_after_the_other(stage: Stage) {
    let subject = SubjectId::new();
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(stage.enqueue(subject).await);
        stage.clock.advance(SECOND);
    }
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, peak) = (inside.clone(), most.clone());
    let work = steps::step(move |_| {
        let (count, peak) = (count.clone(), peak.clone());
        async move {
            peak.fetch_max(count.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            count.fetch_sub(1, Ordering::SeqCst);
            Ok(StepOutput::default())
        }
    });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state(*runs.last().unwrap(), "COMPLETED").await;
    assert_eq!(most.load(Ordering::SeqCst), 1, "never two at once");
    let starts: Vec<_> = {
        let events = stage
            .store
            .history
            .events(quire_domain::EventId(0), quire_ports::EventFilter::default(), 1000)
            .await
            .unwrap();
        let starts = events.into_iter().filter(|r| r.event.event_type == EventType::RunStarted);
        starts.filter_map(|recorded| recorded.event.run).collect()
    };
    assert_eq!(starts, runs);
    engine.stop().await;
}

/// Proves R025, R016: asking again while it runs adds a run and touches nothing.
async fn a_reprocess_never_cancels_what_is_running(stage: Stage) {
    let subject = SubjectId::new();
    let first = stage.enqueue(subject).await;
    stage.probe.hold_once(Breakpoint::BeforeStep);
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.probe.wait_for(Breakpoint::BeforeStep, 1).await;
    let second = stage.enqueue(subject).await;
    assert_eq!((stage.state(first).await, stage.state(second).await), ("RUNNING", "QUEUED"));
    stage.probe.release();
    stage.until_state(second, "COMPLETED").await;
    assert_eq!(stage.state(first).await, "COMPLETED");
    engine.stop().await;
}

/// Proves R019: without a tick or a wake-up there is no look at the queue at all.
async fn an_idle_engine_looks_once_a_tick(stage: Stage) {
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.probe.wait_for(Breakpoint::BeforeClaim, 1).await;
    let mut looks = stage.probe.count(Breakpoint::BeforeClaim);
    for tick in 1..=5 {
        // The clock stands still between ticks, and so does the engine.
        stage
            .observer
            .wait_until_advancing(&stage.clock, SECOND, || async {
                stage.probe.count(Breakpoint::BeforeClaim) > looks
            })
            .await;
        looks = stage.probe.count(Breakpoint::BeforeClaim);
        assert!(looks <= 1 + tick * 2, "{looks} looks in {tick} ticks");
    }
    engine.stop().await;
}

/// Proves R020.
async fn contention_is_told_and_the_run_starts_on_a_later_tick(stage: Stage) {
    let contention = PortError::Unavailable {
        service: "database",
        reason: "another process is writing to it".to_owned(),
        contention: true,
    };
    stage.probe.fail_once(Breakpoint::BeforeClaim, contention);
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.probe.wait_for(Breakpoint::BeforeClaim, 1).await;
    let run = stage.enqueue(SubjectId::new()).await;
    stage.until_state_in_time(run, "COMPLETED").await;
    assert_eq!(stage.times_told(EventType::SchedulerContention).await, 1);
    engine.stop().await;
}

/// As far as the engine goes: with every slot's thread blocked, the lease is kept.
async fn steps_that_block_every_thread_do_not_cost_the_lease(stage: Stage) {
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(std::sync::Mutex::new(gate));
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(stage.enqueue(SubjectId::new()).await);
    }
    let work = steps::step(move |_| {
        let gate = gate.clone();
        async move {
            // Really blocks the thread, as a parser would.
            gate.lock().unwrap().recv().unwrap();
            Ok(StepOutput::default())
        }
    });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.probe.wait_for(Breakpoint::BeforeStep, 4).await;
    let beats = stage.probe.count(Breakpoint::BeforeHeartbeat);
    stage
        .observer
        .wait_until_advancing(&stage.clock, SECOND, || async {
            stage.probe.count(Breakpoint::BeforeHeartbeat) >= beats + 3
        })
        .await;
    for _ in 0..8 {
        go.send(()).unwrap();
    }
    for run in runs {
        stage.until_state(run, "COMPLETED").await;
    }
    engine.stop().await;
}
