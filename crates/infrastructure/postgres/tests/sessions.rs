//! The settings of the store's sessions, and connection poolers that lose them.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use quire_domain::SubjectId;
use quire_ports::{PortResult, Store};
use quire_postgres::testing::pooler::Pooler;
use quire_postgres::testing::{TestSchema, url};
use quire_postgres::{PgStore, PostgresOptions};
use quire_testkit::fixture::document_run;
use sqlx::{Executor, Row};

const SOON: Duration = Duration::from_secs(20);

async fn connect(test_schema: &TestSchema, url: &str) -> PortResult<Store> {
    let options = PostgresOptions {
        schema: Some(test_schema.schema.clone()),
        max_connections: 4,
        ..PostgresOptions::default()
    };
    PgStore::connect(url, options).await.map(PgStore::into_store)
}

/// A database whose defaults would lose what was reported as stored, or hide what others have committed.
fn url_with_weak_defaults() -> String {
    let separator = if url().contains('?') { '&' } else { '?' };
    let defaults = "-c%20default_transaction_isolation%3Dserializable%20-c%20synchronous_commit%3Doff";
    format!("{}{separator}options={defaults}", url())
}

/// Writes down the settings of each transaction that adds a run.
const NOTE_SETTINGS: &str = "CREATE TABLE noted (isolation text, commits text, path text); \
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        INSERT INTO noted VALUES (current_setting('transaction_isolation'), \
            current_setting('synchronous_commit'), current_setting('search_path')); \
        RETURN NULL; END $$; \
    CREATE TRIGGER noted AFTER INSERT ON runs FOR EACH STATEMENT EXECUTE FUNCTION note()";

async fn noted(test_schema: &TestSchema) -> (String, String, String) {
    let row = test_schema.connection().await.fetch_one("SELECT * FROM noted").await.unwrap();
    (row.get(0), row.get(1), row.get(2))
}

/// Every transaction is READ COMMITTED and on the disk when it is reported, whatever the defaults say.
#[tokio::test(flavor = "multi_thread")]
async fn transactions_are_read_committed_and_durable_whatever_the_defaults_are() {
    let test_schema = TestSchema::migrated().await;
    test_schema.connection().await.execute(NOTE_SETTINGS).await.unwrap();
    let store = connect(&test_schema, &url_with_weak_defaults()).await.unwrap();
    store.queue.enqueue(&document_run(SubjectId::new()), store.clock.now()).await.unwrap();
    assert_eq!(noted(&test_schema).await, ("read committed".into(), "on".into(), test_schema.schema.clone()));
}

/// Through a pooler that gives each connection a session of its own, everything works, also notifications.
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_pools_sessions_works() {
    let test_schema = TestSchema::migrated().await;
    test_schema.connection().await.execute(NOTE_SETTINGS).await.unwrap();
    let pooler = Pooler::start("pool_mode = session").await;
    let (here, there) = (
        connect(&test_schema, &pooler.url()).await.unwrap(),
        connect(&test_schema, &pooler.url()).await.unwrap(),
    );
    let wakeup = there.queue.wakeup();
    // The first wakeup says that listening has begun.
    tokio::time::timeout(SOON, wakeup.notified()).await.unwrap();
    here.queue.enqueue(&document_run(SubjectId::new()), here.clock.now()).await.unwrap();
    tokio::time::timeout(SOON, wakeup.notified()).await.unwrap();
    assert_eq!(noted(&test_schema).await, ("read committed".into(), "on".into(), test_schema.schema.clone()));
}

/// A pooler that gives sessions to transactions or to statements is refused before anything is written, however many
/// sessions it has and however it chooses among them.
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_does_not_keep_sessions_is_refused() {
    let test_schema = TestSchema::migrated().await;
    for settings in [
        "pool_mode = transaction",
        "pool_mode = transaction\ndefault_pool_size = 1",
        "pool_mode = transaction\nmin_pool_size = 10",
        "pool_mode = transaction\nmin_pool_size = 3\nserver_round_robin = 1",
        "pool_mode = transaction\nmin_pool_size = 2\ndefault_pool_size = 2\nserver_round_robin = 1",
        "pool_mode = transaction\nserver_reset_query = DISCARD ALL\nserver_reset_query_always = 1",
        "pool_mode = statement",
    ] {
        let pooler = Pooler::start(settings).await;
        let Err(error) = connect(&test_schema, &pooler.url()).await else {
            panic!("{settings} was accepted")
        };
        let message = error.to_string();
        assert!(message.contains("pool_mode = session"), "{settings}: {message}");
    }
}

/// The message about a parameter that a pooler refuses says where to set the schema.
#[tokio::test(flavor = "multi_thread")]
async fn a_url_with_options_is_refused_by_a_pooler_and_the_error_says_what_to_do() {
    let test_schema = TestSchema::empty().await;
    let pooler = Pooler::start("pool_mode = session").await;
    let url = format!("{}?options=-c%20search_path%3Dother", pooler.url());
    let Err(error) = connect(&test_schema, &url).await else { panic!("the pooler accepts options") };
    assert!(error.to_string().contains("database.schema"), "{error}");
}
