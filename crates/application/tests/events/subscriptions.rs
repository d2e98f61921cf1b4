//! Which subscriptions a feed accepts, and when they end.

use quire_application::events::{EventFeed, FeedError, FeedLimits, StartPosition};
use quire_domain::{EventId, EventType};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{TIMEOUT, feed, next, on_each_store, record, subscribe};

async fn a_position_ahead_of_the_history_is_refused(fixture: StoreFixture) {
    record(&fixture, EventType::LockHeld, None).await;
    let newest = fixture.store.run_reader.newest_event().await.unwrap();
    let ahead = StartPosition::After(EventId(newest.0 + 1));
    let refused = feed(&fixture).subscribe(ahead, EventFilter::default(), None).await;
    assert_eq!(refused.err(), Some(FeedError::Ahead { newest }));
    assert_eq!(subscribe(&feed(&fixture), StartPosition::After(newest)).await.position(), newest);
}

async fn subscriptions_are_limited_and_the_feed_polls_only_while_there_are_some(fixture: StoreFixture) {
    let feed = EventFeed::new(
        fixture.store.run_reader.clone(),
        FeedLimits { total: 2, per_key: 1 },
        CancellationToken::new(),
    );
    assert!(!feed.is_watching());
    let first = subscribe(&feed, StartPosition::Now).await;
    let mut second = subscribe(&feed, StartPosition::Now).await;
    let refused = feed.subscribe(StartPosition::Now, EventFilter::default(), None).await;
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

async fn one_key_cannot_take_all_places(fixture: StoreFixture) {
    let limits = FeedLimits { total: 3, per_key: 2 };
    let feed = EventFeed::new(fixture.store.run_reader.clone(), limits, CancellationToken::new());
    let of = async |key| feed.subscribe(StartPosition::Now, EventFilter::default(), key).await;
    let greedy = [of(Some("greedy")).await.unwrap(), of(Some("greedy")).await.unwrap()];
    assert_eq!(of(Some("greedy")).await.err(), Some(FeedError::FullForKey { limit: 2 }));
    let other = of(Some("other")).await.unwrap();
    assert_eq!(of(None).await.err(), Some(FeedError::Full));
    drop(greedy);
    assert!(of(Some("greedy")).await.is_ok());
    drop(other);
}

async fn all_subscriptions_end_when_the_feed_stops(fixture: StoreFixture) {
    let stop = CancellationToken::new();
    let feed =
        EventFeed::new(fixture.store.run_reader.clone(), FeedLimits { total: 2, per_key: 1 }, stop.clone());
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
    one_key_cannot_take_all_places,
    all_subscriptions_end_when_the_feed_stops,
);
