//! Outages of the store, before a write is stored and after.

use std::time::Duration;

use quire_application::engine::EngineSettings;
use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, PortError};
use quire_testkit::{Fault, snapshot, steps};

use crate::fixture::{EngineFixture, document_pipeline, fail_policy};

crate::on_each_store! {
    a_result_survives_an_outage_and_is_stored_once,
    a_result_that_cannot_be_stored_fails_the_run,
    a_claim_without_an_answer_is_handed_back_and_made_again,
    an_engine_without_heartbeats_is_disconnected,
}

/// The history is the same whether a write fails before or after it was stored.
async fn a_result_survives_an_outage_and_is_stored_once(fixture: EngineFixture) {
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "text")) });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    let mut histories = Vec::new();
    let faults: [&[Fault]; 4] = [
        &[],
        &[Fault::BeforeWrite, Fault::AfterWrite],
        &[Fault::AfterWrite, Fault::BeforeWrite],
        &[Fault::BeforeWrite, Fault::BeforeWrite],
    ];
    for faults in faults {
        for fault in faults {
            fixture.observer.fail_next_write(*fault);
        }
        let run = fixture.enqueue(SubjectId::new()).await;
        fixture.wait_for_state(run, "COMPLETED").await;
        histories.push(fixture.event_types(run).await);
        assert_eq!(fixture.store.run_reader.artifacts(run).await.unwrap().len(), 2);
    }
    assert!(
        histories.windows(2).all(|pair| pair[0] == pair[1]),
        "{histories:?}\n{}",
        snapshot::render(&fixture.store).await
    );
    engine.stop().await;
}

/// A result that the database refuses fails the run instead of being retried forever.
async fn a_result_that_cannot_be_stored_fails_the_run(fixture: EngineFixture) {
    let subject = SubjectId::new();
    let run = fixture.enqueue(subject).await;
    // Without the table of artifacts, no result can be stored.
    fixture.store_fixture.sql.execute("DROP TABLE artifacts").await.unwrap();
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "text")) });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state(run, "FAILED").await;
    let stored = fixture.run(run).await;
    assert_eq!(stored.state.reason().unwrap().record.error_code, "RESULT_NOT_STORABLE");
    let steps = fixture.store.run_reader.steps(run).await.unwrap();
    assert_eq!(steps[0].status, quire_domain::StepStatus::Failed);
    engine.stop().await;
}

/// The store has the run as RUNNING for a worker that does not know it. Only that worker can hand it back.
async fn a_claim_without_an_answer_is_handed_back_and_made_again(fixture: EngineFixture) {
    let outage = PortError::Unavailable {
        service: "database",
        reason: "planned outage".to_owned(),
        contention: false,
    };
    fixture.breakpoints.fail_once(Breakpoint::AfterClaim, outage);
    let lost = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.wait_for_state_advancing(lost, "COMPLETED").await;
    let events = fixture.event_types(lost).await;
    assert_eq!(events.iter().filter(|kind| **kind == EventType::RunStarted).count(), 2);
    assert_eq!(events.iter().filter(|kind| **kind == EventType::RunRequeued).count(), 1);
    let stored = fixture.run(lost).await;
    assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0), "the attempt does not count");
    engine.stop().await;
}

/// An engine whose heartbeats are not stored counts as disconnected, which the readiness check reports.
async fn an_engine_without_heartbeats_is_disconnected(fixture: EngineFixture) {
    let settings = EngineSettings { heartbeat: Duration::from_millis(1), ..EngineFixture::settings() };
    let engine = fixture.start_engine_with(settings, document_pipeline(fail_policy(), &steps::no_op())).await;
    // Hold its next heartbeat, like a store that does not answer.
    fixture.breakpoints.hold_once(Breakpoint::BeforeHeartbeat);
    let before = fixture.breakpoints.count(Breakpoint::BeforeHeartbeat);
    let disconnected = || async {
        fixture.breakpoints.count(Breakpoint::BeforeHeartbeat) > before && !engine.is_connected()
    };
    fixture.wait_until_advancing(disconnected).await;
    fixture.breakpoints.release();
    fixture.wait_until_advancing(|| async { engine.is_connected() }).await;
    engine.stop().await;
}

/// Proves R020 with a real lock: another process locks the database when a result is to be stored. The engine keeps
/// ticking and stores the result after the lock is released.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_sqlite_file_delays_runs_and_loses_nothing() {
    let options =
        quire_sqlite::SqliteOptions { busy_timeout: Duration::from_millis(5), ..Default::default() };
    let (fixture, path) = quire_sqlite::testing::store_fixture_with(options).await;
    let fixture = EngineFixture::new(fixture);
    let runs = [fixture.enqueue(SubjectId::new()).await, fixture.enqueue(SubjectId::new()).await];
    fixture.breakpoints.hold_once(Breakpoint::AfterStep);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterStep, 1).await;

    let other = rusqlite::Connection::open(path).unwrap();
    while other.execute_batch("BEGIN IMMEDIATE").is_err() {}
    fixture.breakpoints.release();
    let before = fixture.breakpoints.count(Breakpoint::BeforeWatch);
    let ticking = || async { fixture.breakpoints.count(Breakpoint::BeforeWatch) > before + 3 };
    fixture.wait_until_advancing(ticking).await;
    assert!(
        fixture
            .store
            .queue
            .withdraw(runs[0], "local", fixture.store.clock.now())
            .await
            .unwrap_err()
            .is_contention()
    );
    other.execute_batch("ROLLBACK").unwrap();

    for run in runs {
        fixture.wait_for_state_advancing(run, "COMPLETED").await;
        let events = fixture.event_types(run).await;
        assert_eq!(events.iter().filter(|kind| **kind == EventType::StepSucceeded).count(), 2);
    }
    let contention_is_recorded = || async { fixture.count_events(EventType::SchedulerContention).await >= 1 };
    fixture.wait_until_advancing(contention_is_recorded).await;
    engine.stop().await;
}
