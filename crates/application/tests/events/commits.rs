//! The order of events when transactions commit in another order than they write.

use std::sync::Arc;

use quire_application::events::{EventFeed, FeedLimits, StartPosition};
use quire_domain::{Event, EventType};
use quire_postgres::testing::TestSchema;
use quire_testkit::fixture::at;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use tokio_util::sync::CancellationToken;

use super::{next, subscribe};

/// Returns when another connection waits for a lock of this one.
async fn wait_for_blocked_connection(connection: &mut PgConnection) {
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    while connection.fetch_one(waiting).await.unwrap().get::<i64, _>(0) == 0 {
        tokio::task::yield_now().await;
    }
}

/// An event that was written first and committed last still comes first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_with_a_slow_commit_is_not_skipped() {
    let schema = TestSchema::migrated().await;
    let (ours, theirs) = (schema.store().await.into_store(), schema.store().await.into_store());
    let limits = FeedLimits { total: 10, per_key: 10 };
    let feed = EventFeed::new(ours.run_reader.clone(), limits, CancellationToken::new());
    let mut subscription = subscribe(&feed, StartPosition::Now).await;

    let mut connection = schema.connection().await;
    let mut open = connection.begin().await.unwrap();
    open.execute("INSERT INTO events (at, event_type) VALUES (now(), 'MARK_REVIEWED')").await.unwrap();
    let queue = Arc::clone(&theirs.queue);
    let late = tokio::spawn(async move {
        queue.record(&[Event::new(EventType::LockHeld, at(0))]).await.unwrap();
    });
    wait_for_blocked_connection(&mut open).await;
    open.commit().await.unwrap();
    late.await.unwrap();

    let (first, second) = (next(&mut subscription).await, next(&mut subscription).await);
    assert_eq!((first.1, second.1), (EventType::MarkReviewed, EventType::LockHeld));
    assert!(first.0 < second.0);
}
