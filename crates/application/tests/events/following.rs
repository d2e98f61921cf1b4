//! The events that a subscription delivers.

use quire_application::events::StartPosition;
use quire_domain::{EventId, EventType, SubjectId};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use quire_testkit::fixture::at;

use super::{double, feed, next, on_each_store, record, record_many, subscribe};

async fn a_subscription_from_now_gets_only_later_events(fixture: StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let feed = feed(&fixture);
    let mut subscription = subscribe(&feed, StartPosition::Now).await;
    assert_eq!(subscription.position(), fixture.store.run_reader.newest_event().await.unwrap());
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let events = [next(&mut subscription).await.1, next(&mut subscription).await.1];
    assert_eq!(events, [EventType::RunStarted, EventType::StepStarted]);
}

/// One subscription keeps up, another starts later from the beginning.
async fn every_subscription_gets_the_same_history(fixture: StoreFixture) {
    let feed = feed(&fixture);
    let mut first = subscribe(&feed, StartPosition::Now).await;
    record_many(&fixture, 700, EventType::LockHeld).await;
    let mut second = subscribe(&feed, StartPosition::After(EventId(0))).await;
    record_many(&fixture, 700, EventType::LockHeld).await;
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..1400 {
        one.push(next(&mut first).await.0);
        other.push(next(&mut second).await.0);
    }
    let history = fixture.store.run_reader.events(EventId(0), EventFilter::default(), 5000).await.unwrap();
    let expected: Vec<_> = history.iter().map(|recorded| recorded.id).collect();
    assert_eq!((one, other), (expected.clone(), expected));
}

async fn a_subscription_from_an_old_event_gets_thousands_of_events_in_order(fixture: StoreFixture) {
    let (quiet, busy) = (SubjectId::new(), SubjectId::new());
    record(&fixture, EventType::DocumentUploaded, Some(quiet)).await;
    let old = fixture.store.run_reader.newest_event().await.unwrap();
    record(&fixture, EventType::LockHeld, Some(busy)).await;
    for _ in 0..12 {
        double(&fixture, EventType::LockHeld).await;
    }
    record(&fixture, EventType::MarkReviewed, Some(quiet)).await;
    let feed = feed(&fixture);
    let filter = EventFilter { run: None, subject: Some(quiet) };
    let mut filtered = feed.subscribe(StartPosition::After(old), filter, None).await.unwrap();
    assert_eq!(next(&mut filtered).await.1, EventType::MarkReviewed);
    let mut all = subscribe(&feed, StartPosition::After(old)).await;
    let mut last = old;
    for _ in 0..4097 {
        let (id, _) = next(&mut all).await;
        assert!(id > last, "each event once, in order");
        last = id;
    }
    assert_eq!(last, fixture.store.run_reader.newest_event().await.unwrap());
}

async fn a_filter_selects_the_events_of_a_document_or_a_run(fixture: StoreFixture) {
    let feed = feed(&fixture);
    let (wanted, other) = (SubjectId::new(), SubjectId::new());
    let filter = EventFilter { run: None, subject: Some(wanted) };
    let mut of_document = feed.subscribe(StartPosition::Now, filter, None).await.unwrap();
    let start = of_document.position();
    fixture.enqueue(other, at(0)).await;
    let run = fixture.enqueue(wanted, at(1)).await;
    fixture.enqueue(other, at(2)).await;
    fixture.enqueue(wanted, at(3)).await;
    let events = [next(&mut of_document).await.0, next(&mut of_document).await.0];
    assert!(start < events[0] && events[0] < events[1]);
    let filter = EventFilter { run: Some(run), subject: None };
    let mut of_run = feed.subscribe(StartPosition::After(EventId(0)), filter, None).await.unwrap();
    assert_eq!(next(&mut of_run).await.0, events[0]);
    record(&fixture, EventType::SubjectPurged, Some(wanted)).await;
    assert_eq!(next(&mut of_document).await.1, EventType::SubjectPurged);
}

async fn access_events_are_skipped_and_the_position_moves_past_them(fixture: StoreFixture) {
    let feed = feed(&fixture);
    let mut subscription = subscribe(&feed, StartPosition::Now).await;
    for silent in [EventType::RawTextAccessed, EventType::DocumentListViewed, EventType::SchedulerContention]
    {
        record(&fixture, silent, Some(SubjectId::new())).await;
    }
    let silent = fixture.store.run_reader.newest_event().await.unwrap();
    // No event is delivered, so the position is the only sign that they were read.
    while subscription.position() < silent {
        let _ = tokio::time::timeout(std::time::Duration::from_millis(5), subscription.next()).await;
    }
    record(&fixture, EventType::LockHeld, None).await;
    assert_eq!(next(&mut subscription).await.1, EventType::LockHeld);
}

on_each_store!(
    a_subscription_from_now_gets_only_later_events,
    every_subscription_gets_the_same_history,
    a_subscription_from_an_old_event_gets_thousands_of_events_in_order,
    a_filter_selects_the_events_of_a_document_or_a_run,
    access_events_are_skipped_and_the_position_moves_past_them,
);
