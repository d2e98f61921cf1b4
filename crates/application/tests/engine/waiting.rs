//! Runs that wait for their next step attempt hold nothing.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_application::engine::EngineSettings;
use quire_domain::{EventType, Failure, RunId, StepName, SubjectId};
use quire_ports::{Breakpoint, Step, StepContext, StepOutput};
use quire_testkit::steps;
use tokio::sync::Semaphore;

use crate::fixture::{
    EngineFixture, document_pipeline, document_pipeline_with_limit, fail_policy, requeue_policy,
};

crate::on_each_store! {
    a_run_that_waits_for_its_next_attempt_leaves_its_slot_to_others,
    a_waiting_run_goes_on_with_any_worker,
    only_the_time_in_which_a_run_is_held_counts_towards_its_limit,
    a_waiting_run_that_is_withdrawn_ends_once,
}

/// A step whose first attempt fails in the run.
fn fails_first_attempt_of(run: RunId) -> Arc<dyn Step> {
    steps::step(move |context: StepContext| async move {
        if context.run.id == run && context.step == StepName::Extraction && context.attempt == 1 {
            return Err(Failure::transient("FLAKY", "try again"));
        }
        Ok(StepOutput::default())
    })
}

/// A worker with one slot. The clock stands still, so the wait does not end before the other run does.
async fn a_run_that_waits_for_its_next_attempt_leaves_its_slot_to_others(fixture: EngineFixture) {
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject).await;
    let behind = fixture.enqueue(subject).await;
    let settings = EngineSettings { slots: 1, ..EngineFixture::settings() };
    let documents = document_pipeline(fail_policy(), &fails_first_attempt_of(run));
    let engine = fixture.start_engine_with(settings, documents).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    let other = fixture.enqueue(SubjectId::new()).await;
    fixture.wait_for_state(other, "COMPLETED").await;
    let waiting = fixture.run(run).await;
    assert_eq!((waiting.state.as_str(), waiting.failed_attempts, waiting.retry_count), ("QUEUED", 0, 0));
    assert_eq!(fixture.state(behind).await, "QUEUED", "the next run of the subject does not overtake it");
    fixture.wait_for_state_advancing(behind, "COMPLETED").await;
    let completed = fixture.run(run).await;
    assert_eq!((completed.state.as_str(), completed.queued_at), ("COMPLETED", waiting.queued_at));
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    let attempts: Vec<_> = records.iter().map(|record| record.attempt).collect();
    assert_eq!(attempts, [1, 1, 2, 2, 1, 1]);
    engine.stop().await;
}

/// The worker that sent the run to wait stops, and another one makes the next attempt.
async fn a_waiting_run_goes_on_with_any_worker(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let documents = || document_pipeline(requeue_policy(), &fails_first_attempt_of(run));
    let first = fixture.start_engine(documents()).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    first.stop().await;
    assert_eq!(fixture.state(run).await, "QUEUED");
    let second = fixture.start_engine(documents()).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    let events = fixture.events(run).await;
    let starts = events.iter().filter(|event| event.event_type == EventType::StepStarted);
    assert_eq!(starts.map(|event| event.attempt.unwrap()).collect::<Vec<_>>(), [1, 2, 1]);
    let workers: Vec<_> = events
        .iter()
        .filter(|event| event.event_type == EventType::RunStarted)
        .map(|event| event.worker.unwrap())
        .collect();
    assert!(workers.len() == 2 && workers[0] != workers[1], "{workers:?}");
    second.stop().await;
}

/// Proves R013: the first attempt takes 100 of 120 seconds, and the second gets the other 20, however long the wait was.
async fn only_the_time_in_which_a_run_is_held_counts_towards_its_limit(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let gate = Arc::new(Semaphore::new(0));
    let permits = gate.clone();
    let work = steps::step(move |context: StepContext| {
        let permits = permits.clone();
        async move {
            if context.attempt == 1 {
                permits.acquire().await.unwrap().forget();
                return Err(Failure::transient("FLAKY", "try again"));
            }
            std::future::pending().await
        }
    });
    let limit = SignedDuration::from_secs(120);
    let engine = fixture.start_engine(document_pipeline_with_limit(limit, fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    let start = fixture.store.clock.now();
    let spent = SignedDuration::from_secs(100);
    fixture.wait_until_advancing(|| async { fixture.store.clock.now().duration_since(start) >= spent }).await;
    gate.add_permits(1);
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    let waiting = fixture.run(run).await;
    assert!(waiting.time_used >= SignedDuration::from_secs(95), "{}", waiting.time_used);
    fixture.wait_for_state_advancing(run, "TIMED_OUT").await;
    let ended = fixture.run(run).await;
    let took = ended.state.completed_at().unwrap().duration_since(ended.state.started_at().unwrap());
    assert!(took >= limit - waiting.time_used && took < spent, "{took}");
    engine.stop().await;
}

async fn a_waiting_run_that_is_withdrawn_ends_once(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &fails_first_attempt_of(run))).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    fixture.store.queue.withdraw(run, "local", fixture.store.clock.now()).await.unwrap();
    fixture.let_watch(&fixture.breakpoints).await;
    let events = fixture.event_types(run).await;
    assert_eq!(events.last(), Some(&EventType::RunWithdrawn));
    assert_eq!(fixture.state(run).await, "FAILED");
    engine.stop().await;
}
