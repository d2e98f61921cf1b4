//! Lanes: runs that wait in them, and who closes, pauses and resumes them.

use jiff::Timestamp;
use quire_domain::{
    Event, EventType, LaneClosing, LaneName, LanePause, LaneState, NewRun, Pipeline, Priority, RunChange,
    RunId, RunState, StepAttempt, StepName, SubjectId, Wait,
};
use quire_ports::{ClaimRequest, LaneOverview, PortError, RunWrite};

use super::waiting::wait;
use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, all_plans, at, new_run};

const STEP: StepName = StepName::Extraction;

fn lane() -> LaneName {
    LaneName::parse("model:local").unwrap()
}

fn closing(until: Timestamp) -> LaneClosing {
    LaneClosing { until, reason: "slow down".to_owned() }
}

fn event(event_type: EventType, when: Timestamp) -> Event {
    Event { lane: Some(lane()), ..Event::new(event_type, when) }
}

/// Enqueues a run, claims it and sends it to wait in the lane until the 1000th second.
async fn waiting_run(fixture: &StoreFixture, new: NewRun, second: i64) -> RunId {
    fixture.store.queue.enqueue(&new, at(second)).await.unwrap();
    let worker = fixture.worker(at(second)).await;
    let run = fixture.claim_one(worker, at(second)).await.run;
    let next = StepAttempt { step: run.pipeline.steps()[0], number: 1 };
    let wait = Wait { lane: Some(lane()), next, ..wait(at(1000), 0) };
    let end = transition_write(&run, RunChange::Wait(wait), at(second)).transition;
    let write = step_write(&run, &[EventType::StepPostponed], run.pipeline.steps()[0], at(second));
    fixture.write(RunWrite { transition: end, ..write }).await;
    run.id
}

async fn waiting_document(fixture: &StoreFixture, second: i64) -> RunId {
    waiting_run(fixture, new_run(Pipeline::Document, SubjectId::new(), Priority::Normal), second).await
}

async fn overview(fixture: &StoreFixture) -> LaneOverview {
    let lanes = fixture.store.lanes.list().await.unwrap();
    lanes.into_iter().find(|one| one.lane.name == lane()).unwrap()
}

/// Waiting in a lane burns no attempt.
pub async fn a_run_that_waits_in_a_lane_goes_on_when_it_is_woken_and_loses_nothing(fixture: &StoreFixture) {
    let id = waiting_document(fixture, 1).await;
    let waiting = fixture.run(id).await;
    assert_eq!(waiting.state, RunState::Queued { available_at: Some(at(1000)), lane: Some(lane()) });
    assert_eq!(overview(fixture).await.waiting, 1);
    assert_eq!(overview(fixture).await.next_at, Some(at(1000)));
    let worker = fixture.worker(at(2)).await;
    assert!(fixture.claim(worker, at(2), 10).await.is_empty());
    assert_eq!(fixture.store.lanes.wake(&LaneName::ocr(), 10).await.unwrap(), 0, "another lane");
    assert_eq!(fixture.store.lanes.wake(&lane(), 10).await.unwrap(), 1);
    assert_eq!(fixture.store.lanes.wake(&lane(), 10).await.unwrap(), 0, "it is awake");
    let claimed = fixture.claim_one(worker, at(3)).await;
    assert_eq!(claimed.started_steps, [StepAttempt { step: STEP, number: 1 }]);
    assert_eq!((claimed.run.failed_attempts, claimed.run.retry_count, claimed.run.queued_at), (0, 0, at(1)));
    let requeued = fixture.events().await.into_iter().map(|recorded| recorded.event);
    let waits: Vec<_> = requeued.filter(Event::is_wait).map(|event| event.lane).collect();
    assert_eq!(waits, [Some(lane())]);
}

/// The database enforces it.
pub async fn only_a_queued_run_waits_in_a_lane(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let enter = format!("UPDATE runs SET lane = 'ocr' WHERE id = {}", fixture.sql.id(id.0));
    assert_eq!(fixture.sql.execute(&enter).await, Ok(1));
    let worker = fixture.worker(at(1)).await;
    let claimed = fixture.claim_one(worker, at(1)).await;
    assert_eq!(claimed.run.id, id);
    assert!(fixture.sql.execute(&enter).await.is_err(), "it is RUNNING");
}

/// Proves R137 for lanes: by priority, then by `queued_at`.
pub async fn runs_are_woken_in_the_order_of_the_queue(fixture: &StoreFixture) {
    let second = waiting_document(fixture, 1).await;
    let third = waiting_document(fixture, 2).await;
    let first = waiting_run(fixture, new_run(Pipeline::Document, SubjectId::new(), Priority::High), 3).await;
    for expected in [first, second, third] {
        assert_eq!(fixture.store.lanes.wake(&lane(), 1).await.unwrap(), 1);
        let worker = fixture.worker(at(4)).await;
        assert_eq!(fixture.claim_one(worker, at(4)).await.run.id, expected);
    }
}

/// Opening a lane wakes all, however many calls it allows.
pub async fn resuming_a_lane_wakes_every_run_that_waits_in_it(fixture: &StoreFixture) {
    let lanes = &fixture.store.lanes;
    for second in 1..=5 {
        waiting_document(fixture, second).await;
    }
    lanes.close(&lane(), &closing(at(900)), &event(EventType::LaneClosed, at(5))).await.unwrap();
    assert_eq!(overview(fixture).await.lane.state(at(6)), LaneState::Closed { until: at(900) });
    assert!(lanes.resume(&lane(), at(6), &event(EventType::LaneResumed, at(6))).await.unwrap());
    assert_eq!(overview(fixture).await.waiting, 0);
    assert_eq!(overview(fixture).await.lane.state(at(6)), LaneState::Open);
    let worker = fixture.worker(at(6)).await;
    assert_eq!(fixture.claim(worker, at(6), 10).await.len(), 5);
}

/// Several processes may get different times for the same lane.
pub async fn a_closed_lane_stays_closed_for_the_longest_time_that_was_asked_for(fixture: &StoreFixture) {
    let lanes = &fixture.store.lanes;
    for (until, changes) in [(50, true), (40, false), (50, false), (60, true)] {
        let closed = event(EventType::LaneClosed, at(1));
        assert_eq!(lanes.close(&lane(), &closing(at(until)), &closed).await.unwrap(), changes, "{until}");
    }
    assert_eq!(overview(fixture).await.lane.closed, Some(closing(at(60))));
    let events = fixture.events().await;
    assert_eq!(events.iter().filter(|one| one.event.event_type == EventType::LaneClosed).count(), 2);
}

/// Links name any number of hosts, so a host is known only while it is closed or paused.
pub async fn a_host_is_forgotten_when_it_is_open_again(fixture: &StoreFixture) {
    let lanes = &fixture.store.lanes;
    let host = |number: i64| LaneName::host(&format!("{number}.example.com"));
    let names = || async {
        let lanes = lanes.list().await.unwrap();
        lanes.into_iter().map(|one| one.lane.name.to_string()).collect::<Vec<_>>()
    };
    lanes.register(&[lane(), host(1), host(2)]).await.unwrap();
    let pause = LanePause { at: at(1), by: "ana".to_owned() };
    lanes.pause(&host(2), &pause, &event(EventType::LanePaused, at(1))).await.unwrap();
    for (number, second) in [(3, 10), (4, 15)] {
        let closed = event(EventType::LaneClosed, at(second));
        assert!(lanes.close(&host(number), &closing(at(second + 10)), &closed).await.unwrap());
    }
    assert_eq!(
        names().await,
        ["host:2.example.com", "host:3.example.com", "host:4.example.com", "model:local"]
    );
    lanes.close(&host(5), &closing(at(50)), &event(EventType::LaneClosed, at(20))).await.unwrap();
    assert_eq!(
        names().await,
        ["host:2.example.com", "host:4.example.com", "host:5.example.com", "model:local"]
    );
}

/// A lane is paused once, however often it is asked for; an unknown one is not found.
pub async fn lanes_are_paused_and_resumed_by_name_and_each_change_is_recorded_once(fixture: &StoreFixture) {
    let lanes = &fixture.store.lanes;
    let pause = LanePause { at: at(2), by: "ana".to_owned() };
    let (paused, resumed) = (event(EventType::LanePaused, at(2)), event(EventType::LaneResumed, at(3)));
    let unknown = lanes.pause(&lane(), &pause, &paused).await;
    assert!(matches!(unknown, Err(PortError::NotFound(_))), "{unknown:?}");
    lanes.register(&[lane(), LaneName::ocr()]).await.unwrap();
    lanes.register(&[lane()]).await.unwrap();
    for changes in [true, false] {
        assert_eq!(lanes.pause(&lane(), &pause, &paused).await.unwrap(), changes);
        lanes.register(&[lane()]).await.unwrap();
        assert_eq!(overview(fixture).await.lane.paused, Some(pause.clone()));
    }
    for changes in [true, false] {
        assert_eq!(lanes.resume(&lane(), at(3), &resumed).await.unwrap(), changes);
        assert_eq!(overview(fixture).await.lane.state(at(3)), LaneState::Open);
    }
    assert_eq!(lanes.list().await.unwrap().len(), 2);
    let types: Vec<_> = fixture.events().await.iter().map(|one| one.event.event_type).collect();
    assert_eq!(types, [EventType::LanePaused, EventType::LaneResumed]);
    assert_eq!(fixture.events().await[0].event.lane, Some(lane()));
}

/// It takes them as they wait: nobody has to wake them. The order is that of the queue.
pub async fn a_worker_of_a_lane_claims_what_waits_in_it_and_nothing_else(fixture: &StoreFixture) {
    let second = waiting_document(fixture, 1).await;
    let first = waiting_run(fixture, new_run(Pipeline::Document, SubjectId::new(), Priority::High), 2).await;
    let elsewhere = fixture.enqueue(SubjectId::new(), at(3)).await;
    let worker = fixture.worker(at(4)).await;
    let (plans, here, other) = (all_plans(), [lane()], [LaneName::ocr()]);
    let claim = ClaimRequest { worker, at: at(4), limit: 10, is_idle: true, plans: &plans, lanes: None };
    let queue = &fixture.store.queue;
    assert!(queue.claim(ClaimRequest { lanes: Some(&other), ..claim }).await.unwrap().is_empty());
    assert!(queue.claim(ClaimRequest { lanes: Some(&here), plans: &[], ..claim }).await.unwrap().is_empty());
    let claimed = queue.claim(ClaimRequest { lanes: Some(&here), ..claim }).await.unwrap();
    assert_eq!(claimed.iter().map(|one| one.run.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(claimed[0].started_steps, [StepAttempt { step: STEP, number: 1 }], "waiting burnt no attempt");
    assert_eq!(fixture.store.lanes.wake(&lane(), 10).await.unwrap(), 0, "nothing waits there any more");
    assert_eq!(fixture.claim_one(worker, at(5)).await.run.id, elsewhere);
    assert!(queue.claim(ClaimRequest { lanes: Some(&here), ..claim }).await.unwrap().is_empty());
}
