//! Runs that a person cancels while the engine works on them.

use std::sync::Arc;

use quire_application::engine::EngineSettings;
use quire_domain::run::apply;
use quire_domain::{EventType, RunChange, RunId, SubjectId};
use quire_ports::{Breakpoint, RunWrite, StepOutput};
use quire_testkit::steps;
use tokio::sync::Semaphore;

use crate::fixture::{EngineFixture, document_pipeline, requeue_policy};

crate::on_each_store! {
    a_cancelled_run_stops_its_step_and_frees_its_slot,
    a_result_that_comes_after_the_cancellation_is_refused,
}

/// Tells when it is dropped.
struct Dropped(Arc<Semaphore>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

/// The clock stands still, so that only the message of the cancellation can stop the step. The policy would requeue every
/// other failure.
async fn a_cancelled_run_stops_its_step_and_frees_its_slot(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let dropped = Arc::new(Semaphore::new(0));
    let held = dropped.clone();
    let work = steps::step(move |context| {
        let held = (context.run.id == run).then(|| Dropped(held.clone()));
        async move {
            if held.is_some() {
                std::future::pending::<()>().await;
            }
            drop(held);
            Ok(StepOutput::default())
        }
    });
    let settings = EngineSettings { slots: 1, ..EngineFixture::settings() };
    let engine = fixture.start_engine_with(settings, document_pipeline(requeue_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::BeforeStep, 1).await;
    fixture.store.queue.cancel(run, "alma", fixture.store.clock.now()).await.unwrap();
    dropped.acquire().await.unwrap().forget();
    let next = fixture.enqueue(SubjectId::new()).await;
    fixture.wait_for_state(next, "COMPLETED").await;
    assert_eq!(fixture.state(run).await, "FAILED");
    let events = fixture.event_types(run).await;
    assert_eq!(events[events.len() - 2..], [EventType::StepFailed, EventType::RunCancelled]);
    engine.stop().await;
}

/// The engine learns nothing of it: no message comes, and the clock stands still.
async fn cancel_without_a_message(fixture: &EngineFixture, run: RunId) {
    let (run, at) = (fixture.run(run).await, fixture.store.clock.now());
    let end = Some(apply(&run, RunChange::Cancel, at).unwrap());
    let write = RunWrite {
        run,
        at,
        events: Vec::new(),
        artifacts: Vec::new(),
        interpretation: None,
        proposal: Vec::new(),
        summary: None,
        text: None,
        transition: end,
        repeated: false,
    };
    fixture.store.queue.write(write).await.unwrap();
}

/// Proves R015: the step has its result, but the run was cancelled before it is written.
async fn a_result_that_comes_after_the_cancellation_is_refused(fixture: EngineFixture) {
    let run = fixture.enqueue(SubjectId::new()).await;
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "too late")) });
    fixture.breakpoints.hold_once(Breakpoint::AfterStep);
    let engine = fixture.start_engine(document_pipeline(requeue_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterStep, 1).await;
    cancel_without_a_message(&fixture, run).await;
    fixture.breakpoints.release();
    let is_refused = || async { fixture.count_events(EventType::LateWriteRefused).await == 1 };
    fixture.observer.wait_until(is_refused).await;
    assert_eq!(fixture.state(run).await, "FAILED");
    assert!(fixture.store.run_reader.artifacts(run).await.unwrap().is_empty());
    engine.stop().await;
}
