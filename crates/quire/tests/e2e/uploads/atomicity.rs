//! File and database row are stored together or not at all, also if the database refuses the row.

use quire_testkit::documents::clinical_record;
use serde_json::json;

use super::form::Form;
use super::upload;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R052 for a refused row.
    a_file_whose_row_is_refused_is_removed,
    /// Proves R052 for a transaction that fails at its commit.
    a_file_whose_transaction_fails_is_removed,
}

async fn assert_uploads_are_refused(env: &TestEnv, server: &TestServer) {
    for path in ["/documents/upload", "/documents"] {
        let response = Form::file("a.pdf", &clinical_record(1)).send(server, path);
        assert_eq!((response.status, response.error_code().as_str()), (409, "CONFLICT"), "{}", response.body);
        for internal in ["quire-data", "documents/", "INSERT"] {
            assert!(!response.body.contains(internal), "{}", response.body);
        }
    }
    env.assert_nothing_was_stored().await;
    assert_eq!(env.sql.number("SELECT count(*) FROM documents").await, 0);
    assert_eq!(env.sql.number("SELECT count(*) FROM runs").await, 0);
    assert_eq!(server.json("/documents")["total"], json!(0));
}

async fn assert_next_upload_is_accepted(env: &TestEnv, server: &TestServer) {
    let (_, _, id) = upload(server, "/documents/upload", "a.pdf", &clinical_record(1));
    assert_eq!(env.wait_for_latest_run(id).await.state.as_str(), "COMPLETED", "the next upload");
}

async fn a_file_whose_row_is_refused_is_removed(env: &TestEnv) {
    let server = env.cli.serve();
    env.refuse("BEFORE INSERT ON documents").await;
    assert_uploads_are_refused(env, &server).await;
    let drop =
        if env.is_on_postgresql() { "DROP TRIGGER refusing ON documents" } else { "DROP TRIGGER refusing" };
    env.sql.execute(drop).await.unwrap();
    assert_next_upload_is_accepted(env, &server).await;
}

/// A deferred constraint is checked at the commit.
async fn a_file_whose_transaction_fails_is_removed(env: &TestEnv) {
    let server = env.cli.serve();
    let (create, remove): (&[&str], &str) = if env.is_on_postgresql() {
        (
            &["CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON documents DEFERRABLE INITIALLY DEFERRED \
               FOR EACH ROW EXECUTE FUNCTION refuse('refused')"],
            "DROP TRIGGER refusing ON documents",
        )
    } else {
        (
            &[
                "CREATE TABLE owed (id BLOB REFERENCES workers (id) DEFERRABLE INITIALLY DEFERRED)",
                "CREATE TRIGGER refusing AFTER INSERT ON documents BEGIN INSERT INTO owed VALUES (NEW.id); END",
            ],
            "DROP TRIGGER refusing",
        )
    };
    for statement in create {
        env.sql.execute(statement).await.unwrap();
    }
    assert_uploads_are_refused(env, &server).await;
    env.sql.execute(remove).await.unwrap();
    assert_next_upload_is_accepted(env, &server).await;
}
