//! Migrations of large tables while others work.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use quire_domain::RunChange;
use quire_domain::run::apply;
use quire_ports::{RunWrite, RunWriteOutcome};
use quire_postgres::testing::{HeldUpdates, TestSchema, apply_after_all, raw_sql};
use quire_sql::migrations::Migration;
use quire_testkit::StoreFixture;
use sqlx::{AssertSqlSafe, Executor};

const DOCUMENTS: i64 = 3000;

const DOCUMENTS_WITH_RUNS: &str = "\
    INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at, \
                           updated_at) \
    SELECT gen_random_uuid(), 'a.pdf', 'application/pdf', 1, decode(repeat('07', 32), 'hex'), 'a', now(), now() \
    FROM generate_series(1, 3000); \
    INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at) \
    SELECT gen_random_uuid(), 'document', id, 'QUEUED', 'READY', now(), now() FROM documents";

/// Adds a column, fills it and builds an index.
const COLOURS: Migration = Migration {
    name: "9999_colours",
    up: "-- transaction\nALTER TABLE documents ADD COLUMN colour text;\n\
         -- in batches of documents.id\nUPDATE documents SET colour = 'red' WHERE id > $1 AND id <= $2;\n\
         -- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS documents_by_colour;\n\
         CREATE INDEX CONCURRENTLY documents_by_colour ON documents (colour);\n",
    down: "ALTER TABLE documents DROP COLUMN colour",
    beside: None,
};

/// While a migration of a large table is held up in the middle, a run of a document in the batch that it works on is
/// claimed and completed. Then the migration goes on.
#[tokio::test(flavor = "multi_thread")]
async fn work_goes_on_while_a_large_table_is_migrated() {
    let test_schema = Arc::new(TestSchema::migrated().await);
    let mut connection = test_schema.connection().await;
    connection.execute(DOCUMENTS_WITH_RUNS).await.unwrap();
    let documents = test_schema.uuids("SELECT id FROM documents ORDER BY id").await;
    let (in_the_batch, held) = (documents[1200], documents[1500]);
    let urgent = format!("UPDATE runs SET priority = 1 WHERE subject_id = '{in_the_batch}'");
    connection.execute(AssertSqlSafe(urgent)).await.unwrap();
    let held = HeldUpdates::of(&test_schema, "documents", &format!("NEW.id = '{held}'")).await;

    let migrator = test_schema.store().await;
    let migrating = tokio::spawn(async move { apply_after_all(&migrator, COLOURS).await });
    let fixture = StoreFixture {
        store: test_schema.store().await.into_store(),
        sql: raw_sql(&test_schema),
        keep: Box::new(test_schema.clone()),
    };
    let progress = "SELECT coalesce(max(done_rows), 0) FROM migration_progress";
    while fixture.sql.number(progress).await < 1000 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let now = fixture.store.clock.now();
    let worker = fixture.worker(now).await;
    let run = fixture.claim_one(worker, now).await.run;
    let end = Some(apply(&run, RunChange::Complete, now).unwrap());
    let write = RunWrite {
        run: run.clone(),
        at: now,
        events: Vec::new(),
        artifacts: Vec::new(),
        interpretation: None,
        proposal: Vec::new(),
        summary: None,
        text: None,
        transition: end,
        repeated: false,
    };
    let outcome = fixture.store.queue.write(write).await.unwrap();
    assert!(matches!(outcome, RunWriteOutcome::Accepted(_)), "{outcome:?}");
    assert_eq!(fixture.state(run.id).await, "COMPLETED");
    assert_eq!(run.subject.0, in_the_batch);
    assert!(!migrating.is_finished());

    held.release().await;
    assert_eq!(migrating.await.unwrap().unwrap().len(), 1);
    let red = "SELECT count(*) FROM documents WHERE colour = 'red'";
    assert_eq!(fixture.sql.number(red).await, DOCUMENTS);
}
