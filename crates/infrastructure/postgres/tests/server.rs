//! Tests of connections, migrations and notifications, which only a database server has.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use jiff::SignedDuration;
use quire_domain::{ClaimScope, EventId, SubjectId, WorkerId};
use quire_ports::{ClaimRequest, EventFilter, Lease, PortError, RunFilter, Worker};
use quire_postgres::testing::{TestSchema, url};
use quire_postgres::{PgStore, PostgresOptions};
use quire_testkit::fixture::{document_plan, document_run};
use sqlx::{AssertSqlSafe, Executor, Row};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

/// Closes every connection that a store has to this schema.
async fn cut_all(test_schema: &TestSchema) -> usize {
    let mut connection = test_schema.connection().await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE pid IN (SELECT pid FROM store_connections)";
    connection.execute(cut).await.map(|done| usize::try_from(done.rows_affected()).unwrap()).unwrap()
}

/// A store whose connections were closed opens new ones and continues without an error.
#[tokio::test(flavor = "multi_thread")]
async fn broken_connections_are_replaced_without_anybody_noticing() {
    let test_schema = TestSchema::migrated().await;
    let store = test_schema.store().await.into_store();
    // Opens several connections, each of which records its process id.
    let mut connection = test_schema.connection().await;
    connection.execute("CREATE TABLE store_connections (pid int)").await.unwrap();
    connection
        .execute(
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN INSERT INTO store_connections VALUES (pg_backend_pid()); RETURN NULL; END $$; \
             CREATE TRIGGER noted AFTER INSERT ON runs FOR EACH STATEMENT EXECUTE FUNCTION note()",
        )
        .await
        .unwrap();
    for _ in 0..3 {
        store.queue.enqueue(&document_run(SubjectId::new()), store.clock.now()).await.unwrap();
        assert!(cut_all(&test_schema).await > 0);
        store.queue.enqueue(&document_run(SubjectId::new()), store.clock.now()).await.unwrap();
        assert!(cut_all(&test_schema).await > 0);
        store.run_reader.events(EventId(0), EventFilter::default(), 1).await.unwrap();
    }
    assert_eq!(
        store.run_reader.runs(&RunFilter { limit: 100, ..RunFilter::default() }).await.unwrap().len(),
        6
    );
}

/// The error about an unreachable server contains neither its address nor its password.
#[tokio::test]
async fn an_absent_server_is_unavailable_and_no_error_tells_the_password() {
    let options =
        PostgresOptions { acquire_timeout: Duration::from_millis(300), ..PostgresOptions::default() };
    for url in ["postgres://u:hunter2@127.0.0.1:1/x", "postgres://u:hunter2@/%zz", "hunter2://x"] {
        let Err(error) = PgStore::connect(url, options.clone()).await else { panic!("{url} is no server") };
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let Err(error) = PgStore::connect("postgres://u:p@127.0.0.1:1/x", options).await else { panic!() };
    assert!(error.is_retryable() && !error.is_contention(), "{error}");
}

/// Before the first migration every query fails with the same error, which says what to do.
#[tokio::test]
async fn a_database_without_a_schema_says_what_to_do() {
    let test_schema = TestSchema::empty().await;
    let store = test_schema.store().await.into_store();
    let asked = store.queue.enqueue(&document_run(SubjectId::new()), store.clock.now()).await;
    let Err(PortError::Conflict(message)) = asked else { panic!("{asked:?}") };
    assert!(message.contains("quire migrate up"), "{message}");
    assert!(store.migrations.status().await.unwrap().iter().all(|migration| migration.applied_at.is_none()));
}

/// If two migrators run at once, each migration is applied once, and both migrators succeed.
#[tokio::test(flavor = "multi_thread")]
async fn two_migrators_at_once_apply_each_migration_once() {
    let test_schema = TestSchema::empty().await;
    let (one, other) = (test_schema.store().await.into_store(), test_schema.store().await.into_store());
    let both = async { tokio::join!(one.migrations.up(None), other.migrations.up(None)) };
    let (first, second) = timeout(SOON, both).await.unwrap();
    let mut applied = [first.unwrap(), second.unwrap()].concat();
    applied.sort_unstable();
    let all: Vec<u32> = one.migrations.status().await.unwrap().iter().map(|each| each.version).collect();
    assert_eq!(applied, all);
}

/// Proves R160 for an index build that was interrupted: the migration replaces the index that the build left behind.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_index_build_is_done_again() {
    let test_schema = TestSchema::empty().await;
    let store = test_schema.store().await.into_store();
    store.migrations.up(Some(3)).await.unwrap();
    let mut connection = test_schema.connection().await;
    connection.execute("CREATE INDEX runs_held ON runs (id)").await.unwrap();
    assert_eq!(store.migrations.up(Some(4)).await.unwrap(), [4]);
    let definition: String = connection
        .fetch_one(AssertSqlSafe(format!(
            "SELECT indexdef FROM pg_indexes WHERE indexname = 'runs_held' AND schemaname = '{}'",
            test_schema.schema
        )))
        .await
        .unwrap()
        .get(0);
    assert!(definition.contains("(deadline_at)"), "{definition}");
}

/// A run that one process enqueues wakes another process.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_enqueued_here_wakes_a_worker_there() {
    let test_schema = TestSchema::migrated().await;
    let (here, there) = (test_schema.store().await.into_store(), test_schema.store().await.into_store());
    let wakeup = there.queue.wakeup();
    // The first wakeup says that listening has begun.
    timeout(SOON, wakeup.notified()).await.unwrap();
    here.queue.enqueue(&document_run(SubjectId::new()), here.clock.now()).await.unwrap();
    timeout(SOON, wakeup.notified()).await.expect("the other process is told");
}

/// A run that one process cancels stops in another process.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_cancelled_here_is_announced_there() {
    let place = TestSchema::migrated().await;
    let (here, there) = (place.store().await.into_store(), place.store().await.into_store());
    let mut cancellations = there.queue.cancellations();
    // The first change says that listening has begun.
    timeout(SOON, cancellations.changed()).await.unwrap().unwrap();
    let now = here.clock.now();
    let run = here.queue.enqueue(&document_run(SubjectId::new()), now).await.unwrap().id;
    let (id, lease) = (WorkerId::new(), Some(Lease::Until(now + SignedDuration::from_mins(5))));
    let worker = Worker {
        id,
        name: "there:1".to_owned(),
        slots: 1,
        started_at: now,
        seen_at: now,
        lease,
        program: None,
        scope: ClaimScope::default(),
    };
    there.workers.register(&worker).await.unwrap();
    let plans = [document_plan()];
    let claim = ClaimRequest { worker: id, at: now, limit: 1, is_idle: true, plans: &plans, lanes: None };
    let claimed = there.queue.claim(claim).await.unwrap().remove(0).run;
    here.queue.cancel(run, "alma", here.clock.now()).await.unwrap();
    timeout(SOON, cancellations.changed()).await.expect("the other process is told").unwrap();
    let claim = (run, claimed.fence);
    assert_eq!(there.queue.outdated(&[claim]).await.unwrap(), [claim]);
}

/// The store uses the server's time.
#[tokio::test]
async fn the_clock_is_the_servers() {
    let test_schema = TestSchema::empty().await;
    let store = test_schema.store().await.into_store();
    let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let server: i64 = test_schema.connection().await.fetch_one(query).await.unwrap().get(0);
    assert!((store.clock.now().as_millisecond() - server).abs() < 2000);
    assert!(url().starts_with("postgres"));
}
