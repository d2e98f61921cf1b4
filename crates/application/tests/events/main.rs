//! Subscriptions to events on real stores. Each test runs on SQLite and on PostgreSQL.

// A panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod commits;
mod following;
mod subscriptions;

use std::time::Duration;

use quire_application::events::{EventFeed, FeedLimits, StartPosition, Subscription};
use quire_domain::{Event, EventId, EventType, SubjectId};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use quire_testkit::fixture::at;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a test waits before it fails.
const TIMEOUT: Duration = Duration::from_mins(1);
const WRITERS: usize = 4;

/// Makes one test for each case and store.
macro_rules! on_each_store {
    ($($case:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(quire_sqlite::testing::store_fixture().await).await;
            })+
        }

        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(quire_postgres::testing::store_fixture().await).await;
            })+
        }
    };
}
pub(crate) use on_each_store;

/// A feed that is never stopped.
fn feed(fixture: &StoreFixture) -> EventFeed {
    let limits = FeedLimits { total: 10, per_key: 10 };
    EventFeed::new(fixture.store.run_reader.clone(), limits, CancellationToken::new())
}

/// Subscribes to all events.
async fn subscribe(feed: &EventFeed, from: StartPosition) -> Subscription {
    feed.subscribe(from, EventFilter::default(), None).await.unwrap()
}

/// The next event. Panics if none comes.
async fn next(subscription: &mut Subscription) -> (EventId, EventType) {
    let recorded = timeout(TIMEOUT, subscription.next())
        .await
        .expect("an event comes within the timeout")
        .expect("the subscription is open");
    (recorded.id, recorded.event.event_type)
}

async fn record(fixture: &StoreFixture, event_type: EventType, subject: Option<SubjectId>) {
    let event = Event { subject, ..Event::new(event_type, at(0)) };
    fixture.store.queue.record(std::slice::from_ref(&event)).await.unwrap();
}

/// Records `count` events with concurrent writers.
async fn record_many(fixture: &StoreFixture, count: usize, event_type: EventType) {
    let mut writing = JoinSet::new();
    for _ in 0..WRITERS {
        let queue = fixture.store.queue.clone();
        let event = Event { subject: Some(SubjectId::new()), ..Event::new(event_type, at(0)) };
        writing.spawn(async move {
            for _ in 0..count / WRITERS {
                queue.record(std::slice::from_ref(&event)).await.unwrap();
            }
        });
    }
    writing.join_all().await;
}

/// Doubles the number of events of this type.
async fn double(fixture: &StoreFixture, event_type: EventType) {
    let again = format!(
        "INSERT INTO events (at, event_type, subject_id) SELECT at, event_type, subject_id FROM events \
         WHERE event_type = '{}'",
        event_type.as_str()
    );
    fixture.sql.execute(&again).await.unwrap();
}
