//! A store that fails, before a write or after it.

use std::time::Duration;

use quire_application::engine::EngineSettings;
use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, PortError};
use quire_testkit::{Fault, snapshot, steps};

use crate::stage::{SECOND, Stage, documents, strict};

crate::on_each_store! {
    a_result_survives_an_outage_and_is_stored_once,
    a_result_that_no_store_can_take_fails_the_run,
    a_claim_whose_answer_was_lost_is_given_back_and_made_again,
    an_engine_whose_heartbeats_fail_is_not_heard,
}

/// However a write fails, before or after it was done, the story that is kept is the same.
async fn a_result_survives_an_outage_and_is_stored_once(stage: Stage) {
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "text")) });
    let engine = stage.engine(documents(strict(), &work)).await;
    let mut stories = Vec::new();
    let faults: [&[Fault]; 4] = [
        &[],
        &[Fault::BeforeWrite, Fault::AfterWrite],
        &[Fault::AfterWrite, Fault::BeforeWrite],
        &[Fault::BeforeWrite, Fault::BeforeWrite],
    ];
    for faults in faults {
        for fault in faults {
            stage.observer.fail_next_advance(*fault);
        }
        let run = stage.enqueue(SubjectId::new()).await;
        stage.until_state(run, "COMPLETED").await;
        stories.push(stage.told(run).await);
        assert_eq!(stage.store.history.artifacts(run).await.unwrap().len(), 2);
    }
    assert!(
        stories.windows(2).all(|pair| pair[0] == pair[1]),
        "{stories:?}\n{}",
        snapshot::render(&stage.store).await
    );
    engine.stop().await;
}

/// A result that a constraint refuses is an end, not an endless loop.
async fn a_result_that_no_store_can_take_fails_the_run(stage: Stage) {
    let subject = SubjectId::new();
    let run = stage.enqueue(subject).await;
    // The artifacts table is gone: nothing that a step produces can be stored.
    stage.fixture.sql.execute("DROP TABLE artifacts").await.unwrap();
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "text")) });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state(run, "FAILED").await;
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!(stored.state.reason().unwrap().record.error_code, "RESULT_NOT_STORABLE");
    let steps = stage.store.history.steps(run).await.unwrap();
    assert_eq!(steps[0].status, quire_domain::StepStatus::Failed);
    engine.stop().await;
}

/// The store says RUNNING and names this worker, which knows nothing of it: nobody else would look after that run.
async fn a_claim_whose_answer_was_lost_is_given_back_and_made_again(stage: Stage) {
    let gone = PortError::Unavailable {
        service: "database",
        reason: "rehearsed outage".to_owned(),
        contention: false,
    };
    stage.probe.fail_once(Breakpoint::AfterClaim, gone);
    let lost = stage.enqueue(SubjectId::new()).await;
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.until_state_in_time(lost, "COMPLETED").await;
    let told = stage.told(lost).await;
    assert_eq!(told.iter().filter(|kind| **kind == EventType::RunStarted).count(), 2);
    assert_eq!(told.iter().filter(|kind| **kind == EventType::RunRequeued).count(), 1);
    let stored = stage.store.history.run(lost).await.unwrap();
    assert_eq!((stored.attempts, stored.retry_count), (0, 0), "it was not the run's fault");
    engine.stop().await;
}

/// A store that takes no sign of life any more makes the engine unheard, which readiness reports.
async fn an_engine_whose_heartbeats_fail_is_not_heard(stage: Stage) {
    let settings = EngineSettings { heartbeat: Duration::from_millis(1), ..Stage::settings() };
    let engine = stage.engine_with(settings, documents(strict(), &steps::no_op())).await;
    // It is held at its next heartbeat, as by a store that does not answer.
    stage.probe.hold_once(Breakpoint::BeforeHeartbeat);
    let beats = stage.probe.count(Breakpoint::BeforeHeartbeat);
    let quiet = || async { stage.probe.count(Breakpoint::BeforeHeartbeat) > beats && !engine.is_connected() };
    stage.observer.wait_until_advancing(&stage.clock, SECOND, quiet).await;
    stage.probe.release();
    stage.observer.wait_until_advancing(&stage.clock, SECOND, || async { engine.is_connected() }).await;
    engine.stop().await;
}

/// Proves R020 with a real lock: another process writes for a while, right when a result is to be stored. The engine
/// goes on ticking, and what it had done is stored once the lock is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_sqlite_file_delays_and_loses_nothing() {
    let options = quire_sqlite::Options { busy_timeout: Duration::from_millis(5), ..Default::default() };
    let (fixture, path) = quire_sqlite::testing::bed_with(options).await;
    let stage = Stage::set(fixture);
    let runs = [stage.enqueue(SubjectId::new()).await, stage.enqueue(SubjectId::new()).await];
    stage.probe.hold_once(Breakpoint::AfterStep);
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.probe.wait_for(Breakpoint::AfterStep, 1).await;

    let other = rusqlite::Connection::open(path).unwrap();
    while other.execute_batch("BEGIN IMMEDIATE").is_err() {}
    stage.probe.release();
    let looks = stage.probe.count(Breakpoint::BeforeWatch);
    let ticking = || async { stage.probe.count(Breakpoint::BeforeWatch) > looks + 3 };
    stage.observer.wait_until_advancing(&stage.clock, SECOND, ticking).await;
    assert!(
        stage
            .store
            .queue
            .withdraw(runs[0], "local", stage.store.clock.now())
            .await
            .unwrap_err()
            .is_contention()
    );
    other.execute_batch("ROLLBACK").unwrap();

    for run in runs {
        stage.until_state_in_time(run, "COMPLETED").await;
        let told = stage.told(run).await;
        assert_eq!(told.iter().filter(|kind| **kind == EventType::StepSucceeded).count(), 2);
    }
    let contention_is_told = || async { stage.times_told(EventType::SchedulerContention).await >= 1 };
    stage.observer.wait_until_advancing(&stage.clock, SECOND, contention_is_told).await;
    engine.stop().await;
}
