//! Which subscriptions a feed accepts, and when they end.

use quire_application::events::{EventFeed, FeedError, StartPosition};
use quire_domain::{EventId, EventType};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{TIMEOUT, feed, next, on_each_store, record, subscribe};

async fn a_position_ahead_of_the_history_is_refused(fixture: StoreFixture) {
    record(&fixture, EventType::LockHeld, None).await;
    let newest = fixture.store.history.newest_event().await.unwrap();
    let ahead = StartPosition::After(EventId(newest.0 + 1));
    let refused = feed(&fixture).subscribe(ahead, EventFilter::default()).await;
    assert_eq!(refused.err(), Some(FeedError::Ahead { newest }));
    assert_eq!(subscribe(&feed(&fixture), StartPosition::After(newest)).await.position(), newest);
}

async fn subscriptions_are_limited_and_the_feed_polls_only_while_there_are_some(fixture: StoreFixture) {
    let feed = EventFeed::new(fixture.store.history.clone(), 2, CancellationToken::new());
    assert!(!feed.is_watching());
    let first = subscribe(&feed, StartPosition::Now).await;
    let mut second = subscribe(&feed, StartPosition::Now).await;
    let refused = feed.subscribe(StartPosition::Now, EventFilter::default()).await;
    assert_eq!(refused.err(), Some(FeedError::Full));
    drop(first);
    let third = subscribe(&feed, StartPosition::Now).await;
    record(&fixture, EventType::LockHeld, None).await;
    assert_eq!(next(&mut second).await.1, EventType::LockHeld);
    drop((second, third));
    assert!(!feed.is_watching());
    let mut again = subscribe(&feed, StartPosition::Now).await;
    record(&fixture, EventType::MarkReviewed, None).await;
    assert_eq!(next(&mut again).await.1, EventType::MarkReviewed, "a later subscription gets events, too");
}

async fn all_subscriptions_end_when_the_feed_stops(fixture: StoreFixture) {
    let stop = CancellationToken::new();
    let feed = EventFeed::new(fixture.store.history.clone(), 2, stop.clone());
    let mut waiting = subscribe(&feed, StartPosition::Now).await;
    let mut coming = tokio::spawn(async move { waiting.next().await });
    tokio::task::yield_now().await;
    stop.cancel();
    assert_eq!(timeout(TIMEOUT, &mut coming).await.unwrap().unwrap(), None);
    assert_eq!(
        subscribe(&feed, StartPosition::Now).await.next().await,
        None,
        "a subscription after the stop ends at once"
    );
}

on_each_store!(
    a_position_ahead_of_the_history_is_refused,
    subscriptions_are_limited_and_the_feed_polls_only_while_there_are_some,
    all_subscriptions_end_when_the_feed_stops,
);
