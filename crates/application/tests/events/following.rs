//! What a listener is told.

use quire_application::events::StartPosition;
use quire_domain::{EventId, EventType, SubjectId};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use quire_testkit::fixture::at;

use super::{double, feed, listen, next, on_each_store, record, record_many};

async fn what_happens_from_now_on_is_told_and_nothing_before(fixture: StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let feed = feed(&fixture);
    let mut listener = listen(&feed, StartPosition::Now).await;
    assert_eq!(listener.position(), fixture.store.history.newest_event().await.unwrap());
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let told = [next(&mut listener).await.1, next(&mut listener).await.1];
    assert_eq!(told, [EventType::RunStarted, EventType::StepStarted]);
}

/// Listeners that keep up, one that comes later, and one that goes on from the beginning.
async fn whoever_listens_from_wherever_gets_the_same_history(fixture: StoreFixture) {
    let feed = feed(&fixture);
    let mut first = listen(&feed, StartPosition::Now).await;
    record_many(&fixture, 700, EventType::LockHeld).await;
    let mut second = listen(&feed, StartPosition::After(EventId(0))).await;
    record_many(&fixture, 700, EventType::LockHeld).await;
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..1400 {
        one.push(next(&mut first).await.0);
        other.push(next(&mut second).await.0);
    }
    let history = fixture.store.history.events(EventId(0), EventFilter::default(), 5000).await.unwrap();
    let truth: Vec<_> = history.iter().map(|recorded| recorded.id).collect();
    assert_eq!((one, other), (truth.clone(), truth));
}

async fn an_old_place_leads_through_thousands_of_events_in_order(fixture: StoreFixture) {
    let (quiet, busy) = (SubjectId::new(), SubjectId::new());
    record(&fixture, EventType::DocumentUploaded, Some(quiet)).await;
    let old = fixture.store.history.newest_event().await.unwrap();
    record(&fixture, EventType::LockHeld, Some(busy)).await;
    for _ in 0..12 {
        double(&fixture, EventType::LockHeld).await;
    }
    record(&fixture, EventType::MarkReviewed, Some(quiet)).await;
    let feed = feed(&fixture);
    let filter = EventFilter { run: None, subject: Some(quiet) };
    let mut filtered = feed.subscribe(StartPosition::After(old), filter).await.unwrap();
    assert_eq!(next(&mut filtered).await.1, EventType::MarkReviewed);
    let mut whole = listen(&feed, StartPosition::After(old)).await;
    let mut last = old;
    for _ in 0..4097 {
        let (id, _) = next(&mut whole).await;
        assert!(id > last, "each once, in order");
        last = id;
    }
    assert_eq!(last, fixture.store.history.newest_event().await.unwrap());
}

async fn a_document_or_a_run_can_be_followed_alone(fixture: StoreFixture) {
    let feed = feed(&fixture);
    let (wanted, other) = (SubjectId::new(), SubjectId::new());
    let filter = EventFilter { run: None, subject: Some(wanted) };
    let mut of_document = feed.subscribe(StartPosition::Now, filter).await.unwrap();
    let start = of_document.position();
    fixture.enqueue(other, at(0)).await;
    let run = fixture.enqueue(wanted, at(1)).await;
    fixture.enqueue(other, at(2)).await;
    fixture.enqueue(wanted, at(3)).await;
    let told = [next(&mut of_document).await.0, next(&mut of_document).await.0];
    assert!(start < told[0] && told[0] < told[1]);
    let filter = EventFilter { run: Some(run), subject: None };
    let mut of_run = feed.subscribe(StartPosition::After(EventId(0)), filter).await.unwrap();
    assert_eq!(next(&mut of_run).await.0, told[0]);
    record(&fixture, EventType::SubjectPurged, Some(wanted)).await;
    assert_eq!(next(&mut of_document).await.1, EventType::SubjectPurged);
}

async fn who_looked_at_what_is_not_told_and_the_place_moves_past_it(fixture: StoreFixture) {
    let feed = feed(&fixture);
    let mut listener = listen(&feed, StartPosition::Now).await;
    for silent in [EventType::RawTextAccessed, EventType::DocumentListViewed, EventType::SchedulerContention]
    {
        record(&fixture, silent, Some(SubjectId::new())).await;
    }
    let silent = fixture.store.history.newest_event().await.unwrap();
    // Nothing comes, so the only way to know that they were read is to look where the listener is.
    while listener.position() < silent {
        let _ = tokio::time::timeout(std::time::Duration::from_millis(5), listener.next()).await;
    }
    record(&fixture, EventType::LockHeld, None).await;
    assert_eq!(next(&mut listener).await.1, EventType::LockHeld);
}

on_each_store!(
    what_happens_from_now_on_is_told_and_nothing_before,
    whoever_listens_from_wherever_gets_the_same_history,
    an_old_place_leads_through_thousands_of_events_in_order,
    a_document_or_a_run_can_be_followed_alone,
    who_looked_at_what_is_not_told_and_the_place_moves_past_it,
);
