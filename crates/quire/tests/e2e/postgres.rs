//! PostgreSQL: migrations, and several workers on one database.

use quire_postgres::testing::TestSchema;
use quire_postgres::testing::pooler::Pooler;
use serde_json::Value;

use crate::program::Cli;
use crate::record::process_record;
use crate::test_env::{TestEnv, cli_on_schema};

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
    let down = cli.run_ok(&["migrate", "down", "--to", "0"]);
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
