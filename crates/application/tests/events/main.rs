//! Following the history on real stores: each story is told on SQLite and on PostgreSQL.

// A panic is the verdict.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod commits;
mod following;
mod places;

use std::time::Duration;

use quire_application::events::{EventFeed, StartPosition, Subscription};
use quire_domain::{Event, EventId, EventType, SubjectId};
use quire_ports::EventFilter;
use quire_testkit::StoreFixture;
use quire_testkit::fixture::at;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(1);
const WRITERS: usize = 4;

/// One test for each story and store.
macro_rules! on_each_store {
    ($($story:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(quire_sqlite::testing::fixture().await).await;
            })+
        }

        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(quire_postgres::testing::fixture().await).await;
            })+
        }
    };
}
pub(crate) use on_each_store;

/// A feed that nobody stops.
fn feed(fixture: &StoreFixture) -> EventFeed {
    EventFeed::new(fixture.store.history.clone(), 10, CancellationToken::new())
}

async fn listen(feed: &EventFeed, from: StartPosition) -> Subscription {
    feed.subscribe(from, EventFilter::default()).await.unwrap()
}

/// The next event, which must come.
async fn next(listener: &mut Subscription) -> (EventId, EventType) {
    let recorded =
        timeout(PATIENCE, listener.next()).await.expect("there is one").expect("nobody was let go");
    (recorded.id, recorded.event.event_type)
}

async fn record(fixture: &StoreFixture, event_type: EventType, subject: Option<SubjectId>) {
    let event = Event { subject, ..Event::new(event_type, at(0)) };
    fixture.store.queue.record(std::slice::from_ref(&event)).await.unwrap();
}

/// Many events, written by several at the same time.
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

/// Twice as many events as there are of this type.
async fn double(fixture: &StoreFixture, event_type: EventType) {
    let again = format!(
        "INSERT INTO events (at, event_type, subject_id) SELECT at, event_type, subject_id FROM events \
         WHERE event_type = '{}'",
        event_type.as_str()
    );
    fixture.sql.execute(&again).await.unwrap();
}
