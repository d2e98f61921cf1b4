//! Runs that take too long.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, StepOutput};
use quire_testkit::steps;
use tokio::sync::{Notify, Semaphore};

use crate::stage::{SECOND, Stage, documents, documents_within, strict};

const LIMIT: SignedDuration = SignedDuration::from_secs(120);

crate::on_each_store! {
    a_run_past_its_limit_is_timed_out_and_its_step_is_told_to_stop,
    a_result_that_comes_after_the_deadline_is_discarded,
    the_watchdog_ends_what_a_hung_worker_does_not,
    a_step_that_cannot_be_stopped_keeps_its_slot,
}

/// Proves R013.
async fn a_run_past_its_limit_is_timed_out_and_its_step_is_told_to_stop(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let told = Arc::new(Notify::new());
    let heard = told.clone();
    let work = steps::step(move |mut context| {
        let heard = heard.clone();
        // The cancellation reaches even work that the engine no longer waits for.
        tokio::spawn(async move {
            context.cancelled.wait_for(|cancelled| *cancelled).await.ok();
            heard.notify_one();
        });
        std::future::pending()
    });
    let engine = stage.engine(documents_within(LIMIT, strict(), &work)).await;
    stage.until_state(run, "RUNNING").await;
    stage.until_state_in_time(run, "TIMED_OUT").await;
    told.notified().await;
    let stored = stage.store.history.run(run).await.unwrap();
    let took = stored.state.completed_at().unwrap().duration_since(stored.state.started_at().unwrap());
    assert!(took >= SignedDuration::from_secs(120), "{took}");
    assert_eq!(stored.state.reason().unwrap().failure_type.as_str(), "RUN_TIMED_OUT");
    let told = stage.told(run).await;
    assert_eq!(told[told.len() - 2..], [EventType::StepFailed, EventType::RunTimedOut]);
    // The next run of anyone starts as ever.
    let slot = stage.enqueue(SubjectId::new()).await;
    stage.until_state(slot, "RUNNING").await;
    drop(engine);
}

/// Proves R015: the step answers after its run was timed out, and nothing of it is kept.
async fn a_result_that_comes_after_the_deadline_is_discarded(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let (go, done) = (Arc::new(Semaphore::new(0)), Arc::new(Notify::new()));
    let (gate, finished) = (go.clone(), done.clone());
    let work = steps::step(move |_| {
        let (gate, finished) = (gate.clone(), finished.clone());
        // On a task of its own: it goes on although the engine has given up on it.
        let late = tokio::spawn(async move {
            gate.acquire().await.unwrap().forget();
            finished.notify_one();
            steps::artifact("RAW_TEXT", "too late")
        });
        async move { Ok(late.await.unwrap()) }
    });
    let engine = stage.engine(documents_within(LIMIT, strict(), &work)).await;
    stage.until_state(run, "RUNNING").await;
    stage.until_state_in_time(run, "TIMED_OUT").await;
    let before = stage.told(run).await;
    go.add_permits(1);
    done.notified().await;
    engine.stop().await;
    assert_eq!(stage.state(run).await, "TIMED_OUT");
    assert_eq!(stage.told(run).await, before);
    assert!(stage.store.history.artifacts(run).await.unwrap().is_empty());
}

/// Proves R013: the owner lives and renews its lease, but never comes back from its work.
async fn the_watchdog_ends_what_a_hung_worker_does_not(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    let hung = stage.fixture.worker(stage.store.clock.now()).await;
    stage.fixture.claim_one(hung, stage.store.clock.now()).await;
    // It says that it lives, and will for longer than this story takes.
    let now = stage.store.clock.now();
    let lease = quire_ports::Lease::Until(now + SignedDuration::from_hours(1000));
    assert!(stage.store.workers.renew(hung, now, lease).await.unwrap());
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.until_state_in_time(run, "TIMED_OUT").await;
    let stored = stage.store.history.run(run).await.unwrap();
    let took = stored.state.completed_at().unwrap().duration_since(stored.state.started_at().unwrap());
    assert!(took >= SignedDuration::from_secs(125), "the owner has the grace for itself: {took}");
    engine.stop().await;
}

/// A thread that is still busy is no thread for the next run: it is not claimed until there is one.
async fn a_step_that_cannot_be_stopped_keeps_its_slot(stage: Stage) {
    let hung = stage.enqueue(SubjectId::new()).await;
    let (release, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(std::sync::Mutex::new(gate));
    let work = steps::step(move |context| {
        let gate = gate.clone();
        async move {
            if context.run.id == hung {
                // Deaf to its cancellation, as a parser in a loop would be.
                gate.lock().unwrap().recv().unwrap();
            }
            Ok(StepOutput::default())
        }
    });
    let settings = quire_application::engine::EngineSettings { slots: 1, ..Stage::settings() };
    let engine = stage.engine_with(settings, documents_within(LIMIT, strict(), &work)).await;
    stage.probe.wait_for(Breakpoint::BeforeStep, 1).await;
    stage.until_state_in_time(hung, "TIMED_OUT").await;
    let next = stage.enqueue(SubjectId::new()).await;
    let watched = stage.probe.count(Breakpoint::BeforeWatch);
    stage
        .observer
        .wait_until_advancing(&stage.clock, SECOND, || async {
            stage.probe.count(Breakpoint::BeforeWatch) > watched + 3
        })
        .await;
    assert_eq!(stage.state(next).await, "QUEUED");
    release.send(()).unwrap();
    stage.until_state_in_time(next, "COMPLETED").await;
    engine.stop().await;
}
