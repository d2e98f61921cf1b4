//! PostgreSQL: migrations, and several workers on one database.

use std::process::Stdio;
use std::sync::Arc;

use quire_postgres::testing::pooler::Pooler;
use quire_postgres::testing::{HeldUpdates, TestSchema, raw_sql};
use serde_json::Value;

use crate::program::Cli;
use crate::record::process_record;
use crate::test_env::{TestEnv, cli_on_schema, wait_until};
use crate::test_worker::TestWorker;

#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_is_refused_with_the_command_to_migrate_it() {
    let schema = TestSchema::empty().await;
    let cli = cli_on_schema(&schema);
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["worker"], &["queue"]] {
        let refused = cli.run_err(arguments);
        assert!(refused.contains("version 0") && refused.contains("quire migrate up"), "{refused}");
    }
    assert!(cli.run_ok(&["migrate", "up"]).starts_with("Applied 0001_"));
    let status = cli.run_json(&["migrate", "status", "--json"]);
    assert_eq!(status["version"], status["newest"]);
    let down = cli.run_ok(&["migrate", "down", "--to", "0", "--yes"]);
    assert!(down.starts_with("Reverted") && down.contains("at version 0"), "{down}");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_and_workers_share_a_database_and_each_has_a_lease() {
    let schema = TestSchema::migrated().await;
    let cli = cli_on_schema(&schema);
    cli.run_ok(&["migrate", "up"]);
    let server = cli.serve();
    let workers = [cli.start(&["worker"]), cli.start(&["worker", "--listen", "127.0.0.1:0"])];
    for worker in &workers {
        assert_eq!(worker.first_line, "Quire worker is ready\n");
    }
    assert_eq!(server.get("/health").status, 200);
    assert!(server.get("/metrics").body.contains("quire_queue_depth"));
    let leases = |cli: &Cli| -> Vec<Value> {
        let queue = cli.run_json(&["queue", "--json"]);
        queue["workers"].as_array().unwrap().iter().map(|worker| worker["lease"].clone()).collect()
    };
    assert_eq!(leases(&cli), ["live", "live", "live"]);
    for worker in workers {
        assert_eq!(worker.stop().status.code(), Some(0));
    }
    assert_eq!(server.stop().status.code(), Some(0));
    assert_eq!(leases(&cli), ["ended", "ended", "ended"]);
}

/// A kill in the middle of the migration of a large table loses nothing: the next one continues where it was, and says how
/// far it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_migration_continues_where_it_was() {
    // The version before the database gets an installation id, since there are no files.
    const UP: [&str; 4] = ["migrate", "up", "--to", "19"];
    let schema = Arc::new(TestSchema::migrated().await);
    let (cli, sql) = (cli_on_schema(&schema), raw_sql(&schema));
    for insert in [
        "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at, \
                                updated_at) \
         SELECT gen_random_uuid(), 'a.pdf', 'application/pdf', 1, decode(repeat('07', 32), 'hex'), 'a', now(), now() \
         FROM generate_series(1, 2500)",
        "INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at) \
         SELECT gen_random_uuid(), 'document', id, 'QUEUED', 'READY', now(), now() FROM documents",
    ] {
        assert_eq!(sql.execute(insert).await, Ok(2500));
    }
    cli.run_ok(&["migrate", "down", "--to", "8", "--yes"]);
    let mut ids = schema.uuids("SELECT id FROM documents ORDER BY id").await;
    let held =
        HeldUpdates::of(&schema, "runs", &format!("NEW.subject_id = '{}'", ids.swap_remove(1500))).await;

    let mut migrating = cli.command(&UP).stderr(Stdio::null()).spawn().unwrap();
    let progress = "SELECT coalesce(max(done_rows), 0) FROM migration_progress";
    wait_until(async || sql.number(progress).await == 1000).await;
    migrating.kill().unwrap();
    migrating.wait().unwrap();
    held.release().await;
    assert_eq!(cli.run_json(&["migrate", "status", "--json"])["version"], 8);

    let output = cli.run(&UP);
    assert!(output.status.success(), "{}", output.stderr);
    for line in ["0009_intake: 1000 of 2500 rows of documents", "0009_intake: 2500 of 2500 rows of documents"]
    {
        assert!(output.stderr.contains(line), "{}", output.stderr);
    }
    assert_eq!(sql.number("SELECT count(*) FROM runs WHERE listed_at IS NOT NULL").await, 2500);
}

/// Through a pooler that keeps sessions, migrations, uploads and runs work as without one.
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_processed_through_a_pooler_that_keeps_sessions() {
    let pooler = Pooler::start("pool_mode = session").await;
    let env = TestEnv::on_postgresql(&[]).await.with("QUIRE_STORAGE_DATABASE", &pooler.url());
    env.cli.run_ok(&["migrate", "status"]);
    let server = env.cli.serve();
    process_record(&env, &server).await;
    assert_eq!(server.stop().status.code(), Some(0));
}

/// Every command refuses a pooler that would lose its settings, and says what to do.
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_shares_sessions_stops_the_start() {
    for mode in ["transaction", "statement"] {
        let pooler = Pooler::start(&format!("pool_mode = {mode}")).await;
        let schema = TestSchema::migrated().await;
        let cli = cli_on_schema(&schema).with("QUIRE_STORAGE_DATABASE", &pooler.url());
        for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["worker"], &["migrate", "up"]] {
            let refused = cli.run_err(arguments);
            assert!(refused.contains("pool_mode = session"), "{mode}: {refused}");
        }
    }
}

#[test]
fn an_unreachable_database_is_named_without_its_password() {
    let cli = Cli::new().with("QUIRE_DATABASE_BUSY_TIMEOUT", "100ms");
    let refused = cli.run_err(&["queue", "--database", "postgres://quire:hunter2@127.0.0.1:1/quire"]);
    assert!(
        refused.contains("postgres://quire:***@127.0.0.1:1/quire") && !refused.contains("hunter2"),
        "{refused}"
    );
}

/// A worker of an older program keeps a migration away that it cannot work beside, until it has stopped.
#[tokio::test(flavor = "multi_thread")]
async fn a_live_worker_of_an_older_program_keeps_migrations_away_that_exclude_it() {
    let env = TestEnv::on_postgresql(&[]).await;
    let worker = TestWorker::register(&env.store).await;
    // The worker does not say which program it is, so its program is as old as the database. The command would refuse
    // to go back beside it.
    env.store.migrations.down(31).await.unwrap();
    let refused = env.cli.run_err(&["migrate", "up"]);
    let reason = "the worker the test knows migrations up to 31, but migration 0032_extractors needs workers";
    assert!(refused.contains(reason), "{refused}");
    assert_eq!(env.cli.run_json(&["migrate", "status", "--json"])["version"], 31, "nothing was applied");
    worker.resign().await;
    assert!(env.cli.run_ok(&["migrate", "up"]).contains("0032_extractors"));
}
