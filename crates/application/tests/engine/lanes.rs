//! Runs that wait in lanes. The permits of the fixture allow one call at a time in each lane.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::{SignedDuration, Timestamp};
use quire_application::engine::EngineSettings;
use quire_application::lanes::{LaneBusy, LaneLimits, LanePermits};
use quire_domain::{
    Event, EventType, Failure, FailureKind, LaneClosing, LaneName, LanePause, LaneState, Pipeline, RunId,
    StepName, SubjectId,
};
use quire_ports::{Breakpoint, Step, StepContext, StepOutput};
use quire_testkit::steps;

use crate::fixture::{EngineFixture, SECOND, document_pipeline, fail_policy};

crate::on_each_store! {
    a_closed_lane_burns_no_attempt_of_a_hundred_runs_and_they_go_on_when_it_opens,
    a_hundred_runs_go_on_when_their_lane_opens_by_itself,
    a_full_lane_lets_its_runs_go_on_one_after_the_other,
    a_rate_limit_closes_the_lane_until_the_time_it_names,
    a_run_whose_lane_opens_before_its_wait_is_stored_is_woken,
    a_paused_pipeline_starts_no_run_until_it_is_resumed,
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

/// The lane opened at that time, and each run was started for its call then, at most a second later.
async fn assert_went_on(fixture: &EngineFixture, runs: &[RunId], opened: Timestamp) {
    for run in runs {
        let events = fixture.events(*run).await;
        let starts = events.iter().filter(|event| event.event_type == EventType::RunStarted);
        let last = starts.map(|event| event.at).max().unwrap();
        assert!(last >= opened && last <= opened + SECOND, "{last} {opened}");
    }
}

async fn assert_nothing_burnt(fixture: &EngineFixture, runs: &[RunId]) {
    for run in runs {
        let stored = fixture.run(*run).await;
        assert_eq!((stored.attempts, stored.retry_count), (0, 0));
        let records = fixture.store.history.step_records(*run).await.unwrap();
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
    assert_went_on(&fixture, &runs, opened).await;
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
    assert_went_on(&fixture, &runs, until).await;
    engine.stop().await;
}

/// Four slots, and one call at a time. The clock stands still, so free permits wake the runs.
async fn a_full_lane_lets_its_runs_go_on_one_after_the_other(fixture: EngineFixture) {
    let permit = fixture.lanes.try_acquire(&lane()).await.ok().unwrap();
    let runs = enqueue_many(&fixture, 12).await;
    let (work, most) = calling_step(&fixture.lanes);
    let engine = fixture.start_engine(document_pipeline(fail_policy(), &work)).await;
    fixture.probe.wait_for(Breakpoint::AfterWait, runs.len()).await;
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
    fixture.probe.wait_for(Breakpoint::AfterWait, 3).await;
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
    fixture.let_watch(&fixture.probe).await;
    assert_eq!(fixture.state(run).await, "QUEUED");
    lanes.resume(&documents, now, &recorded(EventType::LaneResumed)).await.unwrap();
    fixture.wait_for_state(run, "COMPLETED").await;
    engine.stop().await;
}

/// Two processes share the places of an installation, and those of a process that is gone are free.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_share_the_places_of_the_installation() {
    let place = quire_postgres::testing::TestSchema::migrated().await;
    let limits = LaneLimits { per_process: 4, per_installation: Some(2) };
    let process = || async {
        let options = quire_postgres::PostgresOptions {
            schema: Some(place.schema.clone()),
            ..quire_postgres::PostgresOptions::default()
        };
        let url = quire_postgres::testing::url();
        let store = quire_postgres::PgStore::connect(&url, options).await.unwrap().into_store();
        LanePermits::new(&store, limits)
    };
    let (first, second) = (process().await, process().await);
    let one = first.try_acquire(&lane()).await.ok().unwrap();
    let two = first.try_acquire(&lane()).await.ok().unwrap();
    assert_eq!(second.try_acquire(&lane()).await.err(), Some(LaneBusy::Full));
    assert!(second.try_acquire(&LaneName::ocr()).await.is_ok(), "another lane");
    drop(one);
    let three = loop {
        // The place is returned by a task of its own.
        match second.try_acquire(&lane()).await {
            Ok(permit) => break permit,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    assert_eq!(first.try_acquire(&lane()).await.err(), Some(LaneBusy::Full));
    drop((two, first));
    let four = loop {
        match second.try_acquire(&lane()).await {
            Ok(permit) => break permit,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    drop((three, four));
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
