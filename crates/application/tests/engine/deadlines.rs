//! Deadlines of runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use quire_application::steps::LimitedStep;
use quire_domain::{Continuation, EventType, Failure, RetryPolicy, Run, StepName, SubjectId};
use quire_ports::{Breakpoint, RunFilter, Step, StepContext, StepOutput};
use quire_testkit::steps;
use tokio::sync::{Notify, Semaphore};

use crate::fixture::{
    EngineFixture, document_pipeline, document_pipeline_with_limit, fail_policy, gated_step,
};

const LIMIT: SignedDuration = SignedDuration::from_secs(120);

crate::on_each_store! {
    a_run_past_its_limit_is_timed_out_and_its_step_is_cancelled,
    a_result_that_comes_after_the_deadline_is_discarded,
    the_watchdog_times_out_the_run_of_a_hung_worker,
    a_step_that_cannot_be_stopped_keeps_its_slot,
    time_in_which_the_process_slept_does_not_count,
    a_step_that_a_suspension_interrupted_is_tried_again,
    a_run_that_timed_out_while_reading_is_continued_by_linked_runs,
    an_attempt_past_the_limit_of_its_step_is_interrupted_and_fails_the_run,
    a_step_whose_limit_is_longer_than_that_of_the_run_times_out_with_it,
}

/// A step that never ends, with this limit, and a notification when it is told to stop.
fn limited_step(limit: SignedDuration) -> (Arc<dyn Step>, Arc<Notify>) {
    let stopped = Arc::new(Notify::new());
    let notify = stopped.clone();
    let endless = steps::step(move |mut context: StepContext| {
        let notify = notify.clone();
        tokio::spawn(async move {
            context.cancelled.wait_for(|cancelled| *cancelled).await.ok();
            notify.notify_one();
        });
        std::future::pending()
    });
    (Arc::new(LimitedStep { step: endless, limit: limit.try_into().unwrap() }), stopped)
}

/// Proves R154 for a step: no second attempt is made, and what the step holds is released.
async fn an_attempt_past_the_limit_of_its_step_is_interrupted_and_fails_the_run(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let (work, stopped) = limited_step(SignedDuration::from_secs(30));
    let engine = fixture.start_engine(document_pipeline_with_limit(LIMIT, fail_policy(), &work)).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    stopped.notified().await;
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.reason().unwrap().record.error_code, "STEP_TIMED_OUT");
    let took = stored.state.completed_at().unwrap().duration_since(stored.state.started_at().unwrap());
    assert!(took >= SignedDuration::from_secs(30) && took < LIMIT, "{took}");
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
    engine.stop().await;
}

/// Proves R154: the limit of the job counts where it is the earlier one.
async fn a_step_whose_limit_is_longer_than_that_of_the_run_times_out_with_it(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let (work, stopped) = limited_step(LIMIT * 2);
    let engine = fixture.start_engine(document_pipeline_with_limit(LIMIT, fail_policy(), &work)).await;
    fixture.wait_for_state_advancing(run, "TIMED_OUT").await;
    stopped.notified().await;
    engine.stop().await;
}

/// Proves R013.
async fn a_run_past_its_limit_is_timed_out_and_its_step_is_cancelled(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let cancelled = Arc::new(Notify::new());
    let notify = cancelled.clone();
    let work = steps::step(move |mut context| {
        let notify = notify.clone();
        // The cancellation reaches a task that the engine does not wait for.
        tokio::spawn(async move {
            context.cancelled.wait_for(|cancelled| *cancelled).await.ok();
            notify.notify_one();
        });
        std::future::pending()
    });
    let engine = fixture.start_engine(document_pipeline_with_limit(LIMIT, fail_policy(), &work)).await;
    fixture.wait_for_state(run, "RUNNING").await;
    fixture.wait_for_state_advancing(run, "TIMED_OUT").await;
    cancelled.notified().await;
    let stored = fixture.run(run).await;
    let took = stored.state.completed_at().unwrap().duration_since(stored.state.started_at().unwrap());
    assert!(took >= SignedDuration::from_secs(120), "{took}");
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "RUN_TIMED_OUT");
    let events = fixture.event_types(run).await;
    assert_eq!(events[events.len() - 2..], [EventType::StepFailed, EventType::RunTimedOut]);
    // Other runs start as usual.
    let next = fixture.enqueue(SubjectId::new()).await;
    fixture.wait_for_state(next, "RUNNING").await;
    drop(engine);
}

/// Proves R015: the step returns after its run was timed out, and its result is discarded.
async fn a_result_that_comes_after_the_deadline_is_discarded(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let (go, done) = (Arc::new(Semaphore::new(0)), Arc::new(Notify::new()));
    let (gate, finished) = (go.clone(), done.clone());
    let work = steps::step(move |_| {
        let (gate, finished) = (gate.clone(), finished.clone());
        // A separate task that continues after the engine has abandoned the step.
        let late = tokio::spawn(async move {
            gate.acquire().await.unwrap().forget();
            finished.notify_one();
            steps::artifact("RAW_TEXT", "too late")
        });
        async move { Ok(late.await.unwrap()) }
    });
    let engine = fixture.start_engine(document_pipeline_with_limit(LIMIT, fail_policy(), &work)).await;
    fixture.wait_for_state(run, "RUNNING").await;
    fixture.wait_for_state_advancing(run, "TIMED_OUT").await;
    let before = fixture.event_types(run).await;
    go.add_permits(1);
    done.notified().await;
    engine.stop().await;
    assert_eq!(fixture.state(run).await, "TIMED_OUT");
    assert_eq!(fixture.event_types(run).await, before);
    assert!(fixture.store.run_reader.artifacts(run).await.unwrap().is_empty());
}

/// Proves R013: the owner is alive and renews its lease, but never ends the run.
async fn the_watchdog_times_out_the_run_of_a_hung_worker(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let hung = fixture.store_fixture.worker(fixture.store.clock.now()).await;
    fixture.store_fixture.claim_one(hung, fixture.store.clock.now()).await;
    // Its lease lasts longer than this test.
    let now = fixture.store.clock.now();
    let lease = quire_ports::Lease::Until(now + SignedDuration::from_hours(1000));
    assert!(fixture.store.workers.renew(hung, now, lease).await.unwrap());
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.wait_for_state_advancing(run, "TIMED_OUT").await;
    let stored = fixture.run(run).await;
    let took = stored.state.completed_at().unwrap().duration_since(stored.state.started_at().unwrap());
    assert!(took >= SignedDuration::from_secs(125), "the watchdog waits for the grace period: {took}");
    engine.stop().await;
}

/// While a step still blocks its thread, the engine claims no other run for that slot.
async fn a_step_that_cannot_be_stopped_keeps_its_slot(fixture: EngineFixture) {
    let hung = fixture.enqueue(SubjectId::new()).await;
    let (release, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(std::sync::Mutex::new(gate));
    let work = steps::step(move |context| {
        let gate = gate.clone();
        async move {
            if context.run.id == hung {
                // Ignores its cancellation, like a parser in an endless loop.
                gate.lock().unwrap().recv().unwrap();
            }
            Ok(StepOutput::default())
        }
    });
    let settings = quire_application::engine::EngineSettings { slots: 1, ..EngineFixture::settings() };
    let engine =
        fixture.start_engine_with(settings, document_pipeline_with_limit(LIMIT, fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    fixture.wait_for_state_advancing(hung, "TIMED_OUT").await;
    let next = fixture.enqueue(SubjectId::new()).await;
    let before = fixture.breakpoints.count(Breakpoint::BeforeWatch);
    fixture
        .wait_until_advancing(|| async { fixture.breakpoints.count(Breakpoint::BeforeWatch) > before + 3 })
        .await;
    assert_eq!(fixture.state(next).await, "QUEUED");
    release.send(()).unwrap();
    fixture.wait_for_state_advancing(next, "COMPLETED").await;
    engine.stop().await;
}

/// The machine sleeps for longer than the limit of the run.
async fn time_in_which_the_process_slept_does_not_count(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let documents = document_pipeline_with_limit(LIMIT, fail_policy(), &gated_step(&gate));
    let engine = fixture.start_engine(documents).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    fixture.clock.advance(SignedDuration::from_secs(150));
    fixture.let_watch(&fixture.breakpoints).await;
    assert_eq!(fixture.state(run).await, "RUNNING");
    gate.add_permits(2);
    fixture.wait_for_state(run, "COMPLETED").await;
    engine.stop().await;
}

/// What the suspension broke, such as a connection or a reader, is tried again: there is time left.
async fn a_step_that_a_suspension_interrupted_is_tried_again(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let permits = gate.clone();
    let work = steps::step(move |context| {
        let permits = permits.clone();
        async move {
            if context.attempt == 1 && context.step == StepName::Extraction {
                permits.acquire().await.unwrap().forget();
                return Err(Failure::transient("OCR_FAILED", "recognition was interrupted"));
            }
            Ok(StepOutput::default())
        }
    });
    let engine = fixture.start_engine(document_pipeline_with_limit(LIMIT, fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    fixture.clock.advance(SignedDuration::from_secs(150));
    gate.add_permits(1);
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert!(fixture.event_types(run).await.contains(&EventType::StepRetried));
    engine.stop().await;
}

/// Proves R014 for the run that timed out: it stays `TIMED_OUT`, and the next one uses what it left.
async fn a_run_that_timed_out_while_reading_is_continued_by_linked_runs(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let pages = Arc::new(AtomicUsize::new(0));
    let recognised = pages.clone();
    // Reads a page for each run, of three pages.
    let work = steps::step(move |_| {
        let is_last = recognised.fetch_add(1, Ordering::SeqCst) >= 2;
        async move {
            if !is_last {
                std::future::pending::<()>().await;
            }
            Ok(StepOutput::default())
        }
    });
    let policy = RetryPolicy { continuations: 2, ..fail_policy() };
    let engine = fixture.start_engine(document_pipeline_with_limit(LIMIT, policy, &work)).await;
    let chain = || async {
        let all =
            fixture.store.run_reader.runs(&RunFilter { limit: 10, ..RunFilter::default() }).await.unwrap();
        all.into_iter().rev().collect::<Vec<_>>()
    };
    fixture
        .wait_until_advancing(|| async { chain().await.last().unwrap().state.as_str() == "COMPLETED" })
        .await;
    let chain = chain().await;
    let states: Vec<_> = chain.iter().map(|run| run.state.as_str()).collect();
    assert_eq!(states, ["TIMED_OUT", "TIMED_OUT", "COMPLETED"]);
    assert_eq!((chain[0].id, chain[0].continues), (run, None));
    let link = |run: &Run, number| Some(Continuation { run: run.id, number });
    assert_eq!((chain[1].continues, chain[2].continues), (link(&chain[0], 1), link(&chain[1], 2)));
    assert!(chain.iter().all(|run| run.subject == chain[0].subject));
    engine.stop().await;
}
