//! A listener and the order of commits, where several write at once.

use std::sync::Arc;

use quire_application::events::{EventFeed, StartPosition};
use quire_domain::{Event, EventType};
use quire_postgres::testing::Place as Schema;
use quire_testkit::fixture::at;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use tokio_util::sync::CancellationToken;

use super::{listen, next};

/// Returns when somebody waits for what this connection holds.
async fn somebody_waits(connection: &mut PgConnection) {
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    while connection.fetch_one(waiting).await.unwrap().get::<i64, _>(0) == 0 {
        tokio::task::yield_now().await;
    }
}

/// An event that was written first and committed last is told, and before those that were written after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_whose_commit_takes_long_is_not_skipped() {
    let schema = Schema::migrated().await;
    let (ours, theirs) = (schema.store().await.into_store(), schema.store().await.into_store());
    let feed = EventFeed::new(ours.history.clone(), 10, CancellationToken::new());
    let mut listener = listen(&feed, StartPosition::Now).await;

    let mut connection = schema.connection().await;
    let mut open = connection.begin().await.unwrap();
    open.execute("INSERT INTO events (at, event_type) VALUES (now(), 'MARK_REVIEWED')").await.unwrap();
    let queue = Arc::clone(&theirs.queue);
    let late = tokio::spawn(async move {
        queue.record(&[Event::new(EventType::LockHeld, at(0))]).await.unwrap();
    });
    somebody_waits(&mut open).await;
    open.commit().await.unwrap();
    late.await.unwrap();

    let (first, second) = (next(&mut listener).await, next(&mut listener).await);
    assert_eq!((first.1, second.1), (EventType::MarkReviewed, EventType::LockHeld));
    assert!(first.0 < second.0);
}
