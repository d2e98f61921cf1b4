//! A file and its record come together or not at all, also when the database has the last word and says no.

use quire_testkit::documents::clinical_record;
use serde_json::json;

use super::form::Form;
use super::upload;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R052 for a record that is refused.
    a_file_whose_record_is_refused_is_removed,
    /// Proves R052 for a transaction that fails in its very end.
    a_file_whose_transaction_fails_is_removed,
}

async fn assert_the_pair_is_refused(scene: &Scene, server: &Server) {
    for path in ["/documents/upload", "/documents"] {
        let answer = Form::file("a.pdf", &clinical_record(1)).send(server, path);
        assert_eq!((answer.status, answer.code().as_str()), (409, "CONFLICT"), "{}", answer.body);
        for inside in ["quire-data", "documents/", "INSERT"] {
            assert!(!answer.body.contains(inside), "{}", answer.body);
        }
    }
    scene.assert_nothing_was_taken().await;
    assert_eq!(scene.sql.number("SELECT count(*) FROM documents").await, 0);
    assert_eq!(scene.sql.number("SELECT count(*) FROM runs").await, 0);
    assert_eq!(server.json("/documents")["total"], json!(0));
}

async fn assert_the_next_is_taken(scene: &Scene, server: &Server) {
    let (_, _, id) = upload(server, "/documents/upload", "a.pdf", &clinical_record(1));
    assert_eq!(scene.ended(id).await.state.as_str(), "COMPLETED", "the server goes on");
}

async fn a_file_whose_record_is_refused_is_removed(scene: &Scene) {
    let server = scene.quire.serve();
    scene.refuse("BEFORE INSERT ON documents").await;
    assert_the_pair_is_refused(scene, &server).await;
    let drop =
        if scene.is_on_postgresql() { "DROP TRIGGER refusing ON documents" } else { "DROP TRIGGER refusing" };
    scene.sql.execute(drop).await.unwrap();
    assert_the_next_is_taken(scene, &server).await;
}

/// What a document may not break is looked at when its transaction ends, and not before.
async fn a_file_whose_transaction_fails_is_removed(scene: &Scene) {
    let server = scene.quire.serve();
    let (make, take_back): (&[&str], &str) = if scene.is_on_postgresql() {
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
    for statement in make {
        scene.sql.execute(statement).await.unwrap();
    }
    assert_the_pair_is_refused(scene, &server).await;
    scene.sql.execute(take_back).await.unwrap();
    assert_the_next_is_taken(scene, &server).await;
}
