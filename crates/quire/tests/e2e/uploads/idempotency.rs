//! Repeated uploads, with and without an `Idempotency-Key`.

use std::collections::BTreeSet;

use quire_domain::{Document, DocumentId, EventType};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use super::form::Form;
use super::upload;
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R026 and R038 for uploads.
    a_repeated_upload_gets_the_first_response,
    /// Proves R026 for different uploads with the same key.
    a_reused_key_is_a_conflict_and_changes_nothing,
    /// Proves R026 for a client that does not wait for the response.
    concurrent_repetitions_store_one_document,
    /// Proves R061.
    documents_with_the_same_content_are_listed_as_duplicates,
    /// Proves R026, R029 and R035 for reprocessing.
    concurrent_reprocessing_creates_one_run_each,
}

fn send(server: &TestServer, path: &str, key: &str, name: &str, file: &[u8]) -> Response {
    Form::file(name, file).send_with(server, path, &format!("Idempotency-Key: {key}\r\n"))
}

async fn stored_documents(env: &TestEnv) -> BTreeSet<String> {
    // Steps write through the same folder; nothing stays there.
    wait_until(async || env.stored_files().1 == 0).await;
    env.stored_files().0
}

async fn a_repeated_upload_gets_the_first_response(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    for (path, key, status) in [("/documents/upload?priority=high", "k-1", 201), ("/documents", "k-2", 200)] {
        let first = send(&server, path, key, "a.pdf", &file);
        assert_eq!(first.status, status, "{}", first.body);
        let id = first.document_id();
        if path == "/documents" {
            // The response names the schema version that the run is bound to, as the document does later.
            let version = &first.json()["latest_run"]["schema_version_used"];
            assert_eq!(version, 1, "{}", first.body);
            assert_eq!(
                &server.json(&format!("/documents/{id}"))["latest_run"]["schema_version_used"],
                version
            );
        }
        let at_once = send(&server, path, key, "a.pdf", &file);
        let run = env.wait_for_latest_run(id).await;
        assert_eq!(run.state.as_str(), "COMPLETED");
        let overridden = Document::language_overridden(id, "eva", run.created_at);
        env.store.documents.set_language(id, Some("fr"), overridden).await.unwrap();
        let later = send(&server, path, key, "a.pdf", &file);
        for again in [at_once, later] {
            assert_eq!((again.status, again.json()), (first.status, first.json()));
            assert!(again.head.contains(&format!("location: /documents/{id}\r\n")));
        }
        assert_eq!(env.runs_of(id).await.len(), 1);
    }
    assert_eq!(env.documents().await.len(), 2);
    assert_eq!(stored_documents(env).await.len(), 2);
    let events = env.events().await;
    let uploaded = events.iter().filter(|event| event.event_type == EventType::DocumentUploaded);
    let actors: Vec<_> = uploaded.map(|event| event.actor.as_deref()).collect();
    assert_eq!(actors, [Some("local"), Some("local")]);
}

async fn a_reused_key_is_a_conflict_and_changes_nothing(env: &TestEnv) {
    let server = env.cli.serve();
    let (file, other) = (clinical_record(1), clinical_record(2));
    let first = send(&server, "/documents/upload", "k", "a.pdf", &file).document_id();
    for (path, name, file) in [
        ("/documents/upload", "a.pdf", &other),
        ("/documents/upload", "b.pdf", &file),
        ("/documents/upload?priority=high", "a.pdf", &file),
        ("/documents", "a.pdf", &other),
    ] {
        let refused = send(&server, path, "k", name, file);
        let body = refused.json();
        assert_eq!((refused.status, &body["error_code"]), (409, &json!("CONFLICT")), "{body}");
        assert_eq!(body["details"]["reason"], "IDEMPOTENCY_KEY_REUSED");
    }
    let two = Form::new().field("file", "a.pdf", &file).field("file", "b.pdf", &other).end();
    let refused = two.send_with(&server, "/documents/upload", "Idempotency-Key: k\r\n");
    assert_eq!((refused.status, &refused.json()["error_code"]), (409, &json!("CONFLICT")), "one more file");
    for wrong in ["", "a b", &"k".repeat(256)] {
        let refused = send(&server, "/documents/upload", wrong, "a.pdf", &file);
        assert_eq!((refused.status, &refused.json()["error_code"]), (400, &json!("INVALID_REQUEST")));
    }
    assert_eq!(env.documents().await, BTreeSet::from([first]));
    assert_eq!(stored_documents(env).await, BTreeSet::from([first.to_string()]));
}

async fn concurrent_repetitions_store_one_document(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    for key in ["k-1", "k-2", "k-3"] {
        let responses: Vec<Response> = std::thread::scope(|clients| {
            let client = || send(&server, "/documents/upload", key, "a.pdf", &file);
            let clients: Vec<_> = (0..8).map(|_| clients.spawn(client)).collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        let bodies: BTreeSet<String> = responses.into_iter().map(|response| response.body).collect();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
    }
    assert_eq!(env.documents().await.len(), 3);
    assert_eq!(stored_documents(env).await.len(), 3);
}

async fn documents_with_the_same_content_are_listed_as_duplicates(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    let (_, _, first) = upload(&server, "/documents/upload", "a.pdf", &file);
    let (_, _, second) = upload(&server, "/documents/upload", "a.pdf", &file);
    let (_, _, other) = upload(&server, "/documents/upload", "b.pdf", &clinical_record(2));
    assert_ne!(first, second);
    let detail = |id: DocumentId| -> Value { server.json(&format!("/documents/{id}")) };
    assert_eq!(detail(first)["duplicates"], json!([second]));
    assert_eq!(detail(second)["duplicates"], json!([first]));
    assert_eq!(detail(other)["duplicates"], json!([]));
    assert_eq!(env.documents().await.len(), 3);
    let hash = detail(first)["content_hash"].as_str().unwrap().to_owned();
    assert!(hash.len() == 64 && hash.bytes().all(|digit| b"0123456789abcdef".contains(&digit)), "{hash}");
    assert_eq!(detail(second)["content_hash"], hash);
    assert_ne!(detail(other)["content_hash"], hash);
}

async fn concurrent_reprocessing_creates_one_run_each(env: &TestEnv) {
    let server = env.cli.serve();
    let (_, _, id) = upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
    let again = format!("/documents/{id}/reprocess");
    std::thread::scope(|clients| {
        for _ in 0..4 {
            clients.spawn(|| assert_eq!(server.post(&again).status, 201));
        }
    });
    env.wait_for_all_runs(id).await;
    let runs = env.runs_of(id).await;
    assert_eq!(runs.len(), 5);
    let detail = server.json(&format!("/documents/{id}"));
    let latest = runs.iter().max_by_key(|run| (run.created_at, run.id)).unwrap();
    assert_eq!((&detail["status"], &detail["review_status"]), (&json!("COMPLETED"), &json!("IN_REVIEW")));
    assert_eq!(detail["latest_run"]["run_id"], json!(latest.id), "the latest run");
    let listed = server.json("/documents?status=COMPLETED");
    assert_eq!((&listed["total"], &listed["items"][0]["document_id"]), (&json!(1), &json!(id)));
}
