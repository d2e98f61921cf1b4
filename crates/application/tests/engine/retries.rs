//! Attempts that fail, inside a run and across claims.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::SignedDuration;
use quire_domain::{
    EventType, Failure, FailureKind, Pipeline, Priority, RequeuePolicy, RetryPolicy, SubjectId,
};
use quire_ports::StepOutput;
use quire_testkit::{Fault, fixture, snapshot, steps};

use crate::stage::{Stage, documents, documents_within, lenient, strict, whole};

crate::on_each_store! {
    a_step_that_fails_once_is_tried_again_within_the_run,
    a_step_that_keeps_failing_fails_the_run,
    a_permanent_failure_is_not_tried_again,
    a_step_that_panics_fails_like_any_other,
    the_worker_goes_on_after_a_failure_and_the_run_comes_back,
    a_rate_limit_beyond_the_deadline_goes_back_to_the_queue,
    a_failed_proposal_runs_again_when_a_person_asks,
    every_failed_attempt_keeps_its_diagnosis_and_tells_nobody,
    a_diagnosis_is_stored_once_when_the_answer_to_its_write_is_lost,
}

/// Fails until it has been called `failures` times.
fn fails_first(failures: u32, failure: Failure) -> Arc<dyn quire_ports::Step> {
    let calls = Arc::new(AtomicU32::new(0));
    steps::step(move |_| {
        let outcome = if calls.fetch_add(1, Ordering::SeqCst) < failures {
            Err(failure.clone())
        } else {
            Ok(StepOutput::default())
        };
        async move { outcome }
    })
}

/// Proves R011, R012, R037.
async fn a_step_that_fails_once_is_tried_again_within_the_run(stage: Stage) {
    use EventType as E;

    let run = stage.enqueue(SubjectId::new()).await;
    let work = fails_first(1, Failure::transient("FLAKY", "try again"));
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state_in_time(run, "COMPLETED").await;
    assert_eq!(
        stage.told(run).await,
        [
            E::RunCreated,
            E::RunStarted,
            E::StepStarted,
            E::StepFailed,
            E::StepRetried,
            E::StepStarted,
            E::StepSucceeded,
            E::StepStarted,
            E::StepSucceeded,
            E::RunCompleted,
        ]
    );
    let records = stage.store.history.step_records(run).await.unwrap();
    let attempts: Vec<_> = records.iter().map(|record| record.attempt).collect();
    assert_eq!(attempts, [1, 1, 2, 2, 1, 1]);
    assert_eq!(stage.times_told(E::RunCreated).await, 1, "no other run was made");
    engine.stop().await;
}

/// Proves R012, R045: two attempts and no third.
async fn a_step_that_keeps_failing_fails_the_run(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let engine = stage.engine(documents(strict(), &fails_first(99, Failure::transient("FLAKY", "no")))).await;
    stage.until_state_in_time(run, "FAILED").await;
    let told = stage.told(run).await;
    assert_eq!(told.iter().filter(|kind| **kind == EventType::StepStarted).count(), 2);
    assert_eq!(told.last(), Some(&EventType::RunFailed));
    let stored = stage.store.history.run(run).await.unwrap();
    let reason = stored.state.reason().unwrap();
    assert_eq!(
        (reason.failure_type.as_str(), reason.record.error_code.as_str()),
        ("EXTRACTION_FAILED", "FLAKY")
    );
    engine.stop().await;
}

async fn a_permanent_failure_is_not_tried_again(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let engine = stage.engine(documents(lenient(), &fails_first(99, Failure::permanent("BAD", "no")))).await;
    stage.until_state(run, "FAILED").await;
    let told = stage.told(run).await;
    assert_eq!(told.iter().filter(|kind| **kind == EventType::StepStarted).count(), 1);
    engine.stop().await;
}

async fn a_step_that_panics_fails_like_any_other(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let work = steps::step(|_| async { panic!("a rehearsed panic") });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state_in_time(run, "FAILED").await;
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!(stored.state.reason().unwrap().record.error_code, "STEP_PANICKED");
    engine.stop().await;
}

/// Proves R167, R168: under `auto` the run goes back to the queue by itself; others are served meanwhile.
async fn the_worker_goes_on_after_a_failure_and_the_run_comes_back(stage: Stage) {
    let subject = SubjectId::new();
    let run = stage.enqueue(subject).await;
    let work = {
        let flaky = fails_first(2, Failure::transient("PROVIDER_DOWN", "later"));
        steps::step(move |context: quire_ports::StepContext| {
            let flaky = flaky.clone();
            async move { if context.run.id == run { flaky.run(context).await } else { Ok(StepOutput::default()) } }
        })
    };
    let engine = stage.engine(documents(lenient(), &work)).await;
    stage
        .observer
        .wait_until_advancing(&stage.clock, SignedDuration::from_millis(500), || async {
            stage.times_told(EventType::RunRequeued).await == 1
        })
        .await;
    let job = stage.store.history.jobs(subject).await.unwrap().remove(0);
    assert_eq!((job.status.as_str(), job.attempts), ("PENDING", 1));
    let other = stage.enqueue(SubjectId::new()).await;
    stage.until_state(other, "COMPLETED").await;
    stage.until_state_in_time(run, "COMPLETED").await;
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!((stored.attempts, stored.retry_count), (1, 1));
    let waited = stored.state.started_at().unwrap().duration_since(stored.queued_at);
    assert!(waited >= SignedDuration::from_secs(60), "{waited}");
    engine.stop().await;
}

/// A limit that ends after the run's own deadline is not waited out inside the run.
async fn a_rate_limit_beyond_the_deadline_goes_back_to_the_queue(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let until = fixture::start() + SignedDuration::from_mins(10);
    let limited = Failure::new(FailureKind::RateLimited { until }, "RATE_LIMITED", "slow down");
    let engine = stage
        .engine(documents_within(SignedDuration::from_secs(120), lenient(), &fails_first(1, limited)))
        .await;
    stage.observer.wait_until(|| async { stage.times_told(EventType::RunRequeued).await == 1 }).await;
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!(stored.state, quire_domain::RunState::Queued { available_at: Some(until) });
    engine.stop().await;
}

/// Proves R135, R136 through the engine.
async fn a_failed_proposal_runs_again_when_a_person_asks(stage: Stage) {
    let new = fixture::new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    quire_application::run::enqueue(&stage.store, &new).await.unwrap();
    let requeue = RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::from_mins(1) };
    let plan = whole(Pipeline::Proposal);
    let work = fails_first(1, Failure::permanent("LLM_AUTH_ERROR", "give a key"));
    let setup = quire_application::engine::PipelineSetup {
        steps: steps::for_every_step(&plan, &work),
        plan,
        policy: RetryPolicy { requeue, ..strict() },
    };
    let engine = stage.engine(vec![setup]).await;
    stage.until_state(new.id, "FAILED").await;
    let failed_at = stage.store.clock.as_ref().now();
    quire_application::run::retry(&stage.store, new.id, requeue, "local").await.unwrap();
    stage.until_state_in_time(new.id, "COMPLETED").await;
    let stored = stage.store.history.run(new.id).await.unwrap();
    assert_eq!(stored.retry_count, 1);
    let waited = stored.state.started_at().unwrap().duration_since(failed_at);
    assert!(waited >= SignedDuration::from_mins(2), "{waited}");
    engine.stop().await;
}

/// Each attempt has another diagnosis, and it is stored with the attempt's failure.
fn diagnosed() -> Arc<dyn quire_ports::Step> {
    steps::step(|context: quire_ports::StepContext| async move {
        let failure = Failure::transient("FLAKY", "the page could not be read");
        Err(failure.with_diagnosis(format!("glyph {} of 'Secreto'", context.attempt)))
    })
}

async fn every_failed_attempt_keeps_its_diagnosis_and_tells_nobody(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let engine = stage.engine(documents(strict(), &diagnosed())).await;
    stage.until_state_in_time(run, "FAILED").await;
    let kept = stage.store.history.artifacts(run).await.unwrap();
    let told: Vec<_> = kept.iter().map(|kept| (kept.artifact_type.as_str(), kept.payload.as_str())).collect();
    assert_eq!(told, [("DIAGNOSIS", "glyph 1 of 'Secreto'"), ("DIAGNOSIS", "glyph 2 of 'Secreto'")]);
    let events = stage.events(run).await;
    let failed_at: Vec<_> = events
        .iter()
        .filter(|event| event.event_type == EventType::StepFailed)
        .map(|event| event.at)
        .collect();
    assert_eq!(kept.iter().map(|kept| kept.created_at).collect::<Vec<_>>(), failed_at);
    let stored = stage.store.history.run(run).await.unwrap();
    let records = stage.store.history.step_records(run).await.unwrap();
    let everything_else =
        format!("{events:?} {stored:?} {records:?} {}", snapshot::render(&stage.store).await);
    assert!(everything_else.contains("FLAKY") && !everything_else.contains("Secreto"), "{everything_else}");
    engine.stop().await;
}

/// It is in the same write as the failure, and shares its fate.
async fn a_diagnosis_is_stored_once_when_the_answer_to_its_write_is_lost(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    stage.observer.fail_next_advance(Fault::AfterWrite);
    let engine = stage.engine(documents(strict(), &diagnosed())).await;
    stage.until_state_in_time(run, "FAILED").await;
    assert_eq!(stage.store.history.artifacts(run).await.unwrap().len(), 2);
    engine.stop().await;
}
