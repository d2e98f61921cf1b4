//! Runs that wait in lanes. The permits of the fixture allow one call at a time in each lane.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_application::engine::{Engine, EngineSettings, PipelineSetup};
use quire_application::lanes::{LaneBusy, LaneLimits, LanePermit, LanePermits};
use quire_domain::{
    ClaimScope, Event, EventType, Failure, FailureKind, LaneClosing, LaneName, LanePause, LaneState,
    Pipeline, RunId, RunState, StepName, SubjectId,
};
use quire_ports::{Breakpoint, NoBreakpoints, Step, StepContext, StepOutput, Store};
use quire_postgres::PostgresOptions;
use quire_postgres::testing::TestSchema;
use quire_testkit::steps;

use crate::fixture::{EngineFixture, SECOND, document_pipeline, fail_policy};

crate::on_each_store! {
    a_closed_lane_burns_no_attempt_of_a_hundred_runs_and_they_go_on_when_it_opens,
    a_hundred_runs_go_on_when_their_lane_opens_by_itself,
    runs_go_on_within_a_second_of_the_opening_of_their_lane,
    a_full_lane_lets_its_runs_go_on_one_after_the_other,
    a_rate_limit_closes_the_lane_until_the_time_it_names,
    a_run_whose_lane_opens_before_its_wait_is_stored_is_woken,
    a_paused_pipeline_starts_no_run_until_it_is_resumed,
    a_worker_of_a_lane_takes_what_others_have_no_permit_for,
    a_worker_of_another_pipeline_wakes_nothing_that_it_cannot_claim,
}

fn lane() -> LaneName {
    LaneName::parse("model:local").unwrap()
}

fn recorded(event_type: EventType) -> Event {
    Event { lane: Some(lane()), ..Event::new(event_type, quire_testkit::fixture::start()) }
}

/// A step that makes one call in the lane, and how many calls were made at once at most.
fn calling_step(lanes: &Arc<LanePermits>) -> (Arc<dyn Step>, Arc<AtomicUsize>) {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (lanes, seen) = (lanes.clone(), most.clone());
    let step = steps::step(move |context: StepContext| {
        let (lanes, running, seen) = (lanes.clone(), running.clone(), seen.clone());
        async move {
            if context.step == StepName::Extraction {
                let _permit = lanes.acquire(&lane()).await?;
                seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
            }
            Ok(StepOutput::default())
        }
    });
    (step, most)
}

async fn enqueue_many(fixture: &EngineFixture, count: usize) -> Vec<RunId> {
    let mut runs = Vec::new();
    for _ in 0..count {
        runs.push(fixture.enqueue(SubjectId::new()).await);
    }
    runs
}

async fn wait_for_all(fixture: &EngineFixture, runs: &[RunId]) {
    for run in runs {
        fixture.wait_for_state(*run, "COMPLETED").await;
    }
}

/// Waits until a hundred runs wait in the lane.
async fn wait_for_a_hundred(fixture: &EngineFixture) {
    let waiting = || async {
        let lanes = fixture.store.lanes.list().await.unwrap();
        lanes.iter().find(|one| one.lane.name == lane()).is_some_and(|one| one.waiting == 100)
    };
    fixture.observer.wait_until(waiting).await;
}

async fn assert_nothing_burnt(fixture: &EngineFixture, runs: &[RunId]) {
    for run in runs {
        let stored = fixture.run(*run).await;
        assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0));
        let records = fixture.store.run_reader.step_records(*run).await.unwrap();
        assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
    }
}

/// Proves R213: a closed lane burns no attempt. The clock stands still after the opening, so nothing else lets the runs go on.
async fn a_closed_lane_burns_no_attempt_of_a_hundred_runs_and_they_go_on_when_it_opens(
    fixture: EngineFixture,
) {
    let now = fixture.store.clock.now();
    fixture.lanes.close(&lane(), now + SignedDuration::from_mins(30), "slow down").await;
    let runs = enqueue_many(&fixture, 100).await;
    let (work, most) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    wait_for_a_hundred(&fixture).await;
    assert_eq!(most.load(Ordering::SeqCst), 0, "no call was made");
    fixture.clock.advance(SignedDuration::from_mins(1));
    let opened = fixture.store.clock.now();
    fixture.store.lanes.resume(&lane(), opened, &recorded(EventType::LaneResumed)).await.unwrap();
    wait_for_all(&fixture, &runs).await;
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert_nothing_burnt(&fixture, &runs).await;
    engine.stop().await;
}

/// The clock stands still at the end of the closing.
async fn a_hundred_runs_go_on_when_their_lane_opens_by_itself(fixture: EngineFixture) {
    let closed_for = SignedDuration::from_mins(5);
    let until = fixture.store.clock.now() + closed_for;
    fixture.lanes.close(&lane(), until, "slow down").await;
    let runs = enqueue_many(&fixture, 100).await;
    let (work, most) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    wait_for_a_hundred(&fixture).await;
    assert_eq!(most.load(Ordering::SeqCst), 0, "no call was made");
    fixture.clock.advance(closed_for);
    wait_for_all(&fixture, &runs).await;
    assert_nothing_burnt(&fixture, &runs).await;
    engine.stop().await;
}

/// Proves R213 in real time: the engine ticks every ten minutes, so that a message about the opening, or the end of the
/// closing itself, has to wake it. There are slots and permits for all runs, so that nothing else holds one back.
async fn runs_go_on_within_a_second_of_the_opening_of_their_lane(fixture: EngineFixture) {
    let fixture = fixture.in_real_time();
    let limits = LaneLimits { per_process: 100, per_installation: None, ocr: 1 };
    let fixture = EngineFixture { lanes: LanePermits::new(&fixture.store, limits), ..fixture };
    let settings = EngineSettings { tick: Duration::from_mins(10), slots: 100, ..EngineFixture::settings() };
    let (work, _) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine_with(settings, document_pipeline(fail_policy(), &work)).await;
    let last_start = async |runs: &[RunId], opened: Timestamp| {
        let mut last = opened;
        for run in runs {
            let events = fixture.events(*run).await;
            assert!(events.iter().any(Event::is_wait), "it found the lane closed");
            let starts = events.into_iter().filter(|event| event.event_type == EventType::RunStarted);
            last = last.max(starts.map(|event| event.at).filter(|at| *at >= opened).min().unwrap());
        }
        last
    };
    let now = fixture.store.clock.now();
    fixture.lanes.close(&lane(), now + SignedDuration::from_mins(30), "slow down").await;
    let runs = enqueue_many(&fixture, 100).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 100).await;
    let opened = fixture.store.clock.now();
    fixture.store.lanes.resume(&lane(), opened, &recorded(EventType::LaneResumed)).await.unwrap();
    wait_for_all(&fixture, &runs).await;
    let started = last_start(&runs, opened).await;
    assert!(started <= opened + SECOND, "resumed at {opened}, the last one started at {started}");

    let until = fixture.store.clock.now() + SignedDuration::from_secs(2);
    fixture.lanes.close(&lane(), until, "slow down").await;
    let runs = enqueue_many(&fixture, 4).await;
    wait_for_all(&fixture, &runs).await;
    let started = last_start(&runs, until).await;
    assert!(started <= until + SECOND, "open at {until}, the last one started at {started}");
    assert_nothing_burnt(&fixture, &runs).await;
    engine.stop().await;
}

/// Four slots, and one call at a time. The clock stands still, so free permits wake the runs.
async fn a_full_lane_lets_its_runs_go_on_one_after_the_other(fixture: EngineFixture) {
    let permit = fixture.lanes.try_acquire(&lane()).await.ok().unwrap();
    let runs = enqueue_many(&fixture, 12).await;
    let (work, most) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, runs.len()).await;
    drop(permit);
    wait_for_all(&fixture, &runs).await;
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert_nothing_burnt(&fixture, &runs).await;
    engine.stop().await;
}

/// The lane is closed for every run, and opens by itself.
async fn a_rate_limit_closes_the_lane_until_the_time_it_names(fixture: EngineFixture) {
    let until = fixture.store.clock.now() + SignedDuration::from_mins(5);
    let runs = enqueue_many(&fixture, 3).await;
    let (lanes, calls) = (fixture.lanes.clone(), Arc::new(AtomicUsize::new(0)));
    let made = calls.clone();
    let work = steps::step(move |context: StepContext| {
        let (lanes, calls) = (lanes.clone(), calls.clone());
        async move {
            if context.step == StepName::Extraction {
                let _permit = lanes.acquire(&lane()).await?;
                if calls.fetch_add(1, Ordering::SeqCst) == 0 {
                    lanes.close(&lane(), until, "429").await;
                    let limited = FailureKind::RateLimited { until };
                    return Err(Failure::new(limited, "RATE_LIMITED", "slow down").in_lane(lane()));
                }
            }
            Ok(StepOutput::default())
        }
    });
    let settings = EngineSettings { slots: 1, ..EngineFixture::settings() };
    let engine = fixture.start_engine_with(settings, document_pipeline(fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 3).await;
    assert_eq!(made.load(Ordering::SeqCst), 1, "the other runs made no call");
    assert_eq!(fixture.lanes.state(&lane()).await, LaneState::Closed { until });
    for run in &runs {
        fixture.wait_for_state_advancing(*run, "COMPLETED").await;
        assert!(fixture.run(*run).await.state.started_at().unwrap() >= until);
    }
    assert_nothing_burnt(&fixture, &runs).await;
    assert_eq!(fixture.count_events(EventType::LaneClosed).await, 1);
    engine.stop().await;
}

/// The permit becomes free after the step has found the lane full and before the wait is stored.
async fn a_run_whose_lane_opens_before_its_wait_is_stored_is_woken(fixture: EngineFixture) {
    let permit = std::sync::Mutex::new(fixture.lanes.try_acquire(&lane()).await.ok());
    let run = fixture.enqueue(SubjectId::new()).await;
    let lanes = fixture.lanes.clone();
    let work = steps::step(move |context: StepContext| {
        let lanes = lanes.clone();
        let held = permit.lock().unwrap().take();
        async move {
            if context.step == StepName::Extraction {
                let acquired = lanes.acquire(&lane()).await;
                // Free again, before the engine knows that the run has to wait.
                drop(held);
                acquired?;
            }
            Ok(StepOutput::default())
        }
    });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.wait_for_state(run, "COMPLETED").await;
    assert!(fixture.events(run).await.iter().any(Event::is_wait), "it found the lane full");
    engine.stop().await;
}

async fn a_paused_pipeline_starts_no_run_until_it_is_resumed(fixture: EngineFixture) {
    let documents = LaneName::pipeline(Pipeline::Document);
    let lanes = &fixture.store.lanes;
    lanes.register(std::slice::from_ref(&documents)).await.unwrap();
    let now = fixture.store.clock.now();
    let pause = LanePause { at: now, by: "ana".to_owned() };
    lanes.pause(&documents, &pause, &recorded(EventType::LanePaused)).await.unwrap();
    let run = fixture.enqueue(SubjectId::new()).await;
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &steps::no_op())).await;
    fixture.let_watch(&fixture.breakpoints).await;
    assert_eq!(fixture.state(run).await, "QUEUED");
    lanes.resume(&documents, now, &recorded(EventType::LaneResumed)).await.unwrap();
    fixture.wait_for_state(run, "COMPLETED").await;
    engine.stop().await;
}

/// The store of a process of its own, and its permits.
async fn permits_of_a_process(place: &TestSchema, limits: LaneLimits) -> (Store, Arc<LanePermits>) {
    let options = PostgresOptions { schema: Some(place.schema.clone()), ..PostgresOptions::default() };
    let url = quire_postgres::testing::url();
    let store = quire_postgres::PgStore::connect(&url, options).await.unwrap().into_store();
    let permits = LanePermits::new(&store, limits);
    (store, permits)
}

/// A permit of these, when it has become free. The permit of an installation is released by a task of its own.
async fn acquire_soon(permits: &Arc<LanePermits>) -> LanePermit {
    loop {
        match permits.try_acquire(&lane()).await {
            Ok(permit) => return permit,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

/// A step can be cancelled while the database is asked for a permit of the installation, and after it has answered. Both
/// permits are free then: the one of the process and the one of the installation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_cancelled_while_it_asks_for_its_permit_leaves_none_taken() {
    let place = TestSchema::migrated().await;
    let limits = LaneLimits { per_process: 1, per_installation: Some(1), ocr: 1 };
    let (store, permits) = permits_of_a_process(&place, limits).await;
    let wait_for_free = async |expected: u32| {
        let free = async || store.lanes.free_installation_permits(&lane(), 1).await.unwrap();
        while free().await != expected {
            tokio::task::yield_now().await;
        }
    };
    // From now on the lane is known and the connection is open, so that only the permit is waited for.
    drop(permits.try_acquire(&lane()).await.ok().unwrap());
    wait_for_free(1).await;
    drop(tokio::time::timeout(Duration::ZERO, permits.try_acquire(&lane())).await);
    drop(acquire_soon(&permits).await);
    wait_for_free(1).await;

    let asked = lane();
    let mut asking = Box::pin(permits.try_acquire(&asked));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(asking.as_mut().poll(&mut context).is_pending());
    // The answer is on its way to the call, or has come.
    wait_for_free(0).await;
    drop(asking);
    wait_for_free(1).await;
    drop(acquire_soon(&permits).await);
}

/// Two processes share the permits of an installation, and those of a process that is gone are free.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_share_the_permits_of_the_installation() {
    let place = TestSchema::migrated().await;
    let limits = LaneLimits { per_process: 4, per_installation: Some(2), ocr: 4 };
    let first = permits_of_a_process(&place, limits).await.1;
    let second = permits_of_a_process(&place, limits).await.1;
    let one = first.try_acquire(&lane()).await.ok().unwrap();
    let two = first.try_acquire(&lane()).await.ok().unwrap();
    assert_eq!(second.try_acquire(&lane()).await.err(), Some(LaneBusy::Full));
    assert!(second.try_acquire(&LaneName::ocr()).await.is_ok(), "another lane");
    drop(one);
    let three = acquire_soon(&second).await;
    assert_eq!(first.try_acquire(&lane()).await.err(), Some(LaneBusy::Full));
    drop((two, first));
    let four = acquire_soon(&second).await;
    drop((three, four));
}

/// Another process has the only permit of the installation. Each tick would claim the waiting runs for nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tick_wakes_nobody_while_the_permits_of_the_installation_are_taken() {
    let fixture = EngineFixture::new(quire_postgres::testing::store_fixture().await);
    let limits = LaneLimits { per_process: 4, per_installation: Some(1), ocr: 4 };
    let fixture = EngineFixture { lanes: LanePermits::new(&fixture.store, limits), ..fixture };
    let other_process = LanePermits::new(&fixture.store, limits);
    let taken = other_process.try_acquire(&lane()).await.ok().unwrap();
    let runs = enqueue_many(&fixture, 3).await;
    let (work, most) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, runs.len()).await;
    fixture.let_watch(&fixture.breakpoints).await;
    for run in &runs {
        let events = fixture.events(*run).await;
        assert_eq!(events.iter().filter(|event| event.is_wait()).count(), 1, "{events:?}");
    }
    drop(taken);
    for run in &runs {
        fixture.wait_for_state_advancing(*run, "COMPLETED").await;
    }
    assert_eq!(most.load(Ordering::SeqCst), 1);
    engine.stop().await;
}

/// A closing that is over restricts nothing.
#[tokio::test]
async fn a_lane_that_was_closed_in_the_past_is_open() {
    let fixture = EngineFixture::new(quire_sqlite::testing::store_fixture().await);
    let now = fixture.store.clock.now();
    let closing = LaneClosing { until: now - SignedDuration::from_secs(1), reason: "429".to_owned() };
    fixture.store.lanes.close(&lane(), &closing, &recorded(EventType::LaneClosed)).await.unwrap();
    assert!(fixture.lanes.try_acquire(&lane()).await.is_ok());
}

/// Another process with this scope, four permits in each lane, and the same clock, which stands still.
async fn another_process(fixture: &EngineFixture, scope: &str) -> (Engine, Arc<AtomicUsize>) {
    let limits = LaneLimits { per_process: 4, per_installation: None, ocr: 4 };
    let lanes = LanePermits::new(&fixture.store, limits);
    let (work, most) = calling_step(&lanes);
    let pipelines: Vec<PipelineSetup> = document_pipeline(fail_policy(), &work);
    let recovery = pipelines.iter().map(|setup| (setup.plan.pipeline, setup.policy.recovery)).collect();
    let settings = EngineSettings {
        name: "test:2".to_owned(),
        scope: ClaimScope::parse(scope).unwrap(),
        recovery,
        ..EngineFixture::settings()
    };
    let breakpoints = Arc::new(NoBreakpoints);
    let engine = Engine::start(fixture.store.clone(), settings, pipelines, lanes, breakpoints).await.unwrap();
    (engine, most)
}

/// The only permit of the first process is never free, so it can end none of its runs.
async fn a_worker_of_a_lane_takes_what_others_have_no_permit_for(fixture: EngineFixture) {
    let _permit = fixture.lanes.try_acquire(&lane()).await.ok().unwrap();
    let runs = enqueue_many(&fixture, 3).await;
    let (work, most) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, runs.len()).await;
    let (helper, made) = another_process(&fixture, lane().as_str()).await;
    wait_for_all(&fixture, &runs).await;
    assert_eq!(most.load(Ordering::SeqCst), 0);
    assert!(made.load(Ordering::SeqCst) > 0);
    assert_nothing_burnt(&fixture, &runs).await;
    helper.stop().await;
    engine.stop().await;
}

/// It has permits in the lane, but the run that it woke would only wait again.
async fn a_worker_of_another_pipeline_wakes_nothing_that_it_cannot_claim(fixture: EngineFixture) {
    let ocr = LaneName::ocr();
    let _permit = fixture.lanes.try_acquire(&ocr).await.ok().unwrap();
    let run = fixture.enqueue(SubjectId::new()).await;
    let lanes = fixture.lanes.clone();
    let work = steps::step(move |_: StepContext| {
        let lanes = lanes.clone();
        async move { lanes.acquire(&LaneName::ocr()).await.map(|_| StepOutput::default()) }
    });
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    engine.stop().await;
    // An engine looks at all lanes before it has started.
    let (links, _) = another_process(&fixture, "proposal").await;
    let waiting = fixture.run(run).await.state;
    assert!(matches!(&waiting, RunState::Queued { lane: Some(lane), .. } if *lane == ocr), "{waiting:?}");
    links.stop().await;
}
