//! Failed attempts, within a run and across claims.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::SignedDuration;
use quire_domain::{
    EventType, Failure, FailureKind, Pipeline, Priority, RequeuePolicy, RetryPolicy, SubjectId,
};
use quire_ports::StepOutput;
use quire_testkit::{Fault, fixture, snapshot, steps};

use crate::fixture::{
    EngineFixture, document_pipeline, document_pipeline_with_limit, fail_policy, plan_of, requeue_policy,
};

crate::on_each_store! {
    a_step_that_fails_once_is_retried_within_the_run,
    a_step_that_keeps_failing_fails_the_run,
    a_permanent_failure_is_not_retried,
    a_step_that_panics_fails_like_any_other,
    a_failed_run_is_requeued_and_others_run_meanwhile,
    a_rate_limit_is_waited_out_and_counts_nothing,
    a_rate_limit_of_more_than_an_hour_counts_as_a_failed_attempt,
    a_failed_proposal_runs_again_after_a_manual_retry,
    every_failed_attempt_stores_its_diagnosis_only_as_an_artifact,
    a_diagnosis_is_stored_once_when_its_write_gets_no_answer,
}

/// A step that fails the first `failures` times.
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
async fn a_step_that_fails_once_is_retried_within_the_run(fixture: EngineFixture) {
    use EventType as E;

    let run = fixture.enqueue(SubjectId::new()).await;
    let work = fails_first(1, Failure::transient("FLAKY", "try again"));
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    assert_eq!(
        fixture.event_types(run).await,
        [
            E::RunCreated,
            E::RunStarted,
            E::StepStarted,
            E::StepFailed,
            E::StepRetried,
            E::RunRequeued,
            E::RunStarted,
            E::StepStarted,
            E::StepSucceeded,
            E::StepStarted,
            E::StepSucceeded,
            E::RunCompleted,
        ]
    );
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    let attempts: Vec<_> = records.iter().map(|record| record.attempt).collect();
    assert_eq!(attempts, [1, 1, 2, 2, 1, 1]);
    assert_eq!(fixture.count_events(E::RunCreated).await, 1, "no other run was created");
    engine.stop().await;
}

/// Proves R012, R045: there are two attempts.
async fn a_step_that_keeps_failing_fails_the_run(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture
        .start_engine(document_pipeline(fail_policy(), &fails_first(99, Failure::transient("FLAKY", "no"))))
        .await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    let events = fixture.event_types(run).await;
    assert_eq!(events.iter().filter(|kind| **kind == EventType::StepStarted).count(), 2);
    assert_eq!(events.last(), Some(&EventType::RunFailed));
    let stored = fixture.run(run).await;
    let reason = stored.state.reason().unwrap();
    assert_eq!(
        (reason.failure_type.as_str(), reason.record.error_code.as_str()),
        ("EXTRACTION_FAILED", "FLAKY")
    );
    engine.stop().await;
}

async fn a_permanent_failure_is_not_retried(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture
        .start_engine(document_pipeline(requeue_policy(), &fails_first(99, Failure::permanent("BAD", "no"))))
        .await;
    fixture.wait_for_state(run, "FAILED").await;
    let events = fixture.event_types(run).await;
    assert_eq!(events.iter().filter(|kind| **kind == EventType::StepStarted).count(), 1);
    engine.stop().await;
}

async fn a_step_that_panics_fails_like_any_other(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let work = steps::step(|_| async { panic!("a planned panic") });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.reason().unwrap().record.error_code, "STEP_PANICKED");
    engine.stop().await;
}

/// Proves R167, R168: with automatic requeue the run goes back to the queue, and other runs continue.
async fn a_failed_run_is_requeued_and_others_run_meanwhile(fixture: EngineFixture) {
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject).await;
    let work = {
        let flaky = fails_first(2, Failure::transient("PROVIDER_DOWN", "later"));
        steps::step(move |context: quire_ports::StepContext| {
            let flaky = flaky.clone();
            async move { if context.run.id == run { flaky.run(context).await } else { Ok(StepOutput::default()) } }
        })
    };
    let engine = fixture.start_engine(document_pipeline(requeue_policy(), &work)).await;
    fixture
        .observer
        .wait_until_advancing(&fixture.clock, SignedDuration::from_millis(500), || async {
            fixture.run(run).await.retry_count == 1
        })
        .await;
    let job = fixture.store.run_reader.jobs(subject).await.unwrap().remove(0);
    assert_eq!((job.status.as_str(), job.attempts), ("PENDING", 1));
    let other = fixture.enqueue(SubjectId::new()).await;
    fixture.wait_for_state(other, "COMPLETED").await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    let stored = fixture.run(run).await;
    assert_eq!((stored.failed_attempts, stored.retry_count), (1, 1));
    let waited = stored.state.started_at().unwrap().duration_since(stored.queued_at);
    assert!(waited >= SignedDuration::from_secs(60), "{waited}");
    engine.stop().await;
}

/// A rate limit may end after the run's deadline and come more often than a step may be tried.
async fn a_rate_limit_is_waited_out_and_counts_nothing(fixture: EngineFixture) {
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject).await;
    let until = fixture::start() + SignedDuration::from_mins(10);
    let limited = Failure::new(FailureKind::RateLimited { until }, "RATE_LIMITED", "slow down");
    let limit = SignedDuration::from_secs(120);
    let work = fails_first(5, limited);
    let engine = fixture.start_engine(document_pipeline_with_limit(limit, requeue_policy(), &work)).await;
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    let stored = fixture.run(run).await;
    assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0));
    assert!(stored.state.started_at().unwrap() >= until);
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
    let job = fixture.store.run_reader.jobs(subject).await.unwrap().remove(0);
    assert_eq!(job.error_log.matches("RATE_LIMITED").count(), 5, "{}", job.error_log);
    engine.stop().await;
}

async fn a_rate_limit_of_more_than_an_hour_counts_as_a_failed_attempt(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let until = fixture::start() + SignedDuration::from_hours(1000);
    let limited = Failure::new(FailureKind::RateLimited { until }, "RATE_LIMITED", "slow down");
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &fails_first(99, limited))).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    let events = fixture.event_types(run).await;
    assert_eq!(events.iter().filter(|kind| **kind == EventType::StepFailed).count(), 2);
    engine.stop().await;
}

/// Proves R135, R136 with an engine.
async fn a_failed_proposal_runs_again_after_a_manual_retry(fixture: EngineFixture) {
    let new = fixture::new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    quire_application::run::enqueue(&fixture.store, &new).await.unwrap();
    let requeue = RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::from_mins(1) };
    let plan = plan_of(Pipeline::Proposal);
    let work = fails_first(1, Failure::permanent("LLM_AUTH_ERROR", "give a key"));
    let setup = quire_application::engine::PipelineSetup {
        steps: steps::for_every_step(&plan, &work),
        plan,
        policy: RetryPolicy { requeue, ..fail_policy() },
    };
    let engine = fixture.start_engine(vec![setup]).await;
    fixture.wait_for_state(new.id, "FAILED").await;
    let failed_at = fixture.store.clock.as_ref().now();
    quire_application::run::retry_by_policy(&fixture.store, new.id, |_| requeue, "local").await.unwrap();
    fixture.wait_for_state_advancing(new.id, "COMPLETED").await;
    let stored = fixture.run(new.id).await;
    assert_eq!(stored.retry_count, 1);
    let waited = stored.state.started_at().unwrap().duration_since(failed_at);
    assert!(waited >= SignedDuration::from_mins(2), "{waited}");
    engine.stop().await;
}

/// A step that fails with a different diagnosis in each attempt.
fn diagnosed() -> Arc<dyn quire_ports::Step> {
    steps::step(|context: quire_ports::StepContext| async move {
        let failure = Failure::transient("FLAKY", "the page could not be read");
        Err(failure.with_diagnosis(format!("glyph {} of 'Secreto'", context.attempt)))
    })
}

async fn every_failed_attempt_stores_its_diagnosis_only_as_an_artifact(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &diagnosed())).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    let artifacts = fixture.store.run_reader.artifacts(run).await.unwrap();
    let diagnoses: Vec<_> =
        artifacts.iter().map(|one| (one.artifact_type.as_str(), one.payload.as_str())).collect();
    assert_eq!(diagnoses, [("DIAGNOSIS", "glyph 1 of 'Secreto'"), ("DIAGNOSIS", "glyph 2 of 'Secreto'")]);
    let events = fixture.events(run).await;
    let failed_at: Vec<_> = events
        .iter()
        .filter(|event| event.event_type == EventType::StepFailed)
        .map(|event| event.at)
        .collect();
    assert_eq!(artifacts.iter().map(|one| one.created_at).collect::<Vec<_>>(), failed_at);
    let stored = fixture.run(run).await;
    let records = fixture.store.run_reader.step_records(run).await.unwrap();
    let everything_else =
        format!("{events:?} {stored:?} {records:?} {}", snapshot::render(&fixture.store).await);
    assert!(everything_else.contains("FLAKY") && !everything_else.contains("Secreto"), "{everything_else}");
    engine.stop().await;
}

/// The diagnosis is in the same write as the failure.
async fn a_diagnosis_is_stored_once_when_its_write_gets_no_answer(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    fixture.observer.fail_next_write(Fault::AfterWrite);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &diagnosed())).await;
    fixture.wait_for_state_advancing(run, "FAILED").await;
    assert_eq!(fixture.store.run_reader.artifacts(run).await.unwrap().len(), 2);
    engine.stop().await;
}
