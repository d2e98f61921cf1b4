//! Who may listen, and for how long.

use quire_application::events::{EventFeed, FeedError, StartPosition};
use quire_domain::{EventId, EventType};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{PATIENCE, feed, listen, next, on_each_store, record};

async fn a_place_ahead_of_the_history_is_refused(fixture: StoreFixture) {
    record(&fixture, EventType::LockHeld, None).await;
    let newest = fixture.store.history.newest_event().await.unwrap();
    let ahead = StartPosition::After(EventId(newest.0 + 1));
    let refused = feed(&fixture).subscribe(ahead, EventFilter::default()).await;
    assert_eq!(refused.err(), Some(FeedError::Ahead { newest }));
    assert_eq!(listen(&feed(&fixture), StartPosition::After(newest)).await.position(), newest);
}

async fn only_so_many_listen_at_once_and_nobody_looks_when_nobody_listens(fixture: StoreFixture) {
    let feed = EventFeed::new(fixture.store.history.clone(), 2, CancellationToken::new());
    assert!(!feed.is_watching());
    let first = listen(&feed, StartPosition::Now).await;
    let mut second = listen(&feed, StartPosition::Now).await;
    let refused = feed.subscribe(StartPosition::Now, EventFilter::default()).await;
    assert_eq!(refused.err(), Some(FeedError::Full));
    drop(first);
    let third = listen(&feed, StartPosition::Now).await;
    record(&fixture, EventType::LockHeld, None).await;
    assert_eq!(next(&mut second).await.1, EventType::LockHeld);
    drop((second, third));
    assert!(!feed.is_watching());
    let mut again = listen(&feed, StartPosition::Now).await;
    record(&fixture, EventType::MarkReviewed, None).await;
    assert_eq!(next(&mut again).await.1, EventType::MarkReviewed, "who comes later is told, too");
}

async fn everybody_is_let_go_when_told_to_stop(fixture: StoreFixture) {
    let stop = CancellationToken::new();
    let feed = EventFeed::new(fixture.store.history.clone(), 2, stop.clone());
    let mut waiting = listen(&feed, StartPosition::Now).await;
    let mut coming = tokio::spawn(async move { waiting.next().await });
    tokio::task::yield_now().await;
    stop.cancel();
    assert_eq!(timeout(PATIENCE, &mut coming).await.unwrap().unwrap(), None);
    assert_eq!(
        listen(&feed, StartPosition::Now).await.next().await,
        None,
        "nor does anybody stay who comes then"
    );
}

on_each_store!(
    a_place_ahead_of_the_history_is_refused,
    only_so_many_listen_at_once_and_nobody_looks_when_nobody_listens,
    everybody_is_let_go_when_told_to_stop,
);
