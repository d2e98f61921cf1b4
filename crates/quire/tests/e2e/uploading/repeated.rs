//! The same upload again: by a client that did not hear the answer, or by somebody who wants two.

use std::collections::BTreeSet;

use quire_domain::{Document, DocumentId, EventType};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use super::form::Form;
use super::upload;
use crate::http::Answer;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R026 and R038 for uploads.
    a_repetition_is_answered_as_the_first_time,
    /// Proves R026 for uploads that only seem to be the same.
    a_key_for_something_else_is_a_conflict_and_changes_nothing,
    /// Proves R026 for a client that does not wait for the answer.
    of_repetitions_at_the_same_time_one_is_taken_in,
    /// Proves R061.
    documents_with_the_same_content_name_each_other,
    /// Proves R026, R029 and R035 for reprocessing.
    reprocessing_again_and_again_makes_runs_and_no_mess,
}

fn send(server: &Server, path: &str, key: &str, name: &str, file: &[u8]) -> Answer {
    Form::file(name, file).send_with(server, path, &format!("Idempotency-Key: {key}\r\n"))
}

async fn documents_in_the_folder(scene: &Scene) -> BTreeSet<String> {
    // What steps write passes through there, too; nothing stays.
    wait_until(async || scene.files().1 == 0).await;
    scene.files().0
}

async fn a_repetition_is_answered_as_the_first_time(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(1);
    for (path, key, status) in [("/documents/upload?priority=high", "k-1", 201), ("/documents", "k-2", 200)] {
        let first = send(&server, path, key, "a.pdf", &file);
        assert_eq!(first.status, status, "{}", first.body);
        let id = first.document();
        if path == "/documents" {
            // The answer names the schema version that the run is bound to, as the document does later.
            let version = &first.json()["latest_run"]["schema_version_used"];
            assert_eq!(version, 1, "{}", first.body);
            assert_eq!(
                &server.json(&format!("/documents/{id}"))["latest_run"]["schema_version_used"],
                version
            );
        }
        let at_once = send(&server, path, key, "a.pdf", &file);
        let run = scene.ended(id).await;
        assert_eq!(run.state.as_str(), "COMPLETED");
        let overridden = Document::language_overridden(id, "eva", run.created_at);
        scene.store.documents.set_language(id, Some("fr"), overridden).await.unwrap();
        let later = send(&server, path, key, "a.pdf", &file);
        for again in [at_once, later] {
            assert_eq!((again.status, again.json()), (first.status, first.json()));
            assert!(again.head.contains(&format!("location: /documents/{id}\r\n")));
        }
        assert_eq!(scene.runs_of(id).await.len(), 1);
    }
    assert_eq!(scene.documents().await.len(), 2);
    assert_eq!(documents_in_the_folder(scene).await.len(), 2);
    let events = scene.events().await;
    let uploaded = events.iter().filter(|event| event.event_type == EventType::DocumentUploaded);
    let actors: Vec<_> = uploaded.map(|event| event.actor.as_deref()).collect();
    assert_eq!(actors, [Some("local"), Some("local")]);
}

async fn a_key_for_something_else_is_a_conflict_and_changes_nothing(scene: &Scene) {
    let server = scene.quire.serve();
    let (file, other) = (clinical_record(1), clinical_record(2));
    let first = send(&server, "/documents/upload", "k", "a.pdf", &file).document();
    for (path, name, file) in [
        ("/documents/upload", "a.pdf", &other),
        ("/documents/upload", "b.pdf", &file),
        ("/documents/upload?priority=high", "a.pdf", &file),
        ("/documents", "a.pdf", &other),
    ] {
        let refused = send(&server, path, "k", name, file);
        let said = refused.json();
        assert_eq!((refused.status, &said["error_code"]), (409, &json!("CONFLICT")), "{said}");
        assert_eq!(said["details"]["reason"], "IDEMPOTENCY_KEY_REUSED");
    }
    let two = Form::new().field("file", "a.pdf", &file).field("file", "b.pdf", &other).end();
    let refused = two.send_with(&server, "/documents/upload", "Idempotency-Key: k\r\n");
    assert_eq!((refused.status, &refused.json()["error_code"]), (409, &json!("CONFLICT")), "one more file");
    for wrong in ["", "a b", &"k".repeat(256)] {
        let refused = send(&server, "/documents/upload", wrong, "a.pdf", &file);
        assert_eq!((refused.status, &refused.json()["error_code"]), (400, &json!("INVALID_REQUEST")));
    }
    assert_eq!(scene.documents().await, BTreeSet::from([first]));
    assert_eq!(documents_in_the_folder(scene).await, BTreeSet::from([first.to_string()]));
}

async fn of_repetitions_at_the_same_time_one_is_taken_in(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(1);
    for key in ["k-1", "k-2", "k-3"] {
        let answers: Vec<Answer> = std::thread::scope(|clients| {
            let client = || send(&server, "/documents/upload", key, "a.pdf", &file);
            let clients: Vec<_> = (0..8).map(|_| clients.spawn(client)).collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        let bodies: BTreeSet<String> = answers.into_iter().map(|answer| answer.body).collect();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
    }
    assert_eq!(scene.documents().await.len(), 3);
    assert_eq!(documents_in_the_folder(scene).await.len(), 3);
}

async fn documents_with_the_same_content_name_each_other(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(1);
    let (_, _, first) = upload(&server, "/documents/upload", "a.pdf", &file);
    let (_, _, second) = upload(&server, "/documents/upload", "a.pdf", &file);
    let (_, _, other) = upload(&server, "/documents/upload", "b.pdf", &clinical_record(2));
    assert_ne!(first, second);
    let detail = |id: DocumentId| -> Value { server.json(&format!("/documents/{id}")) };
    assert_eq!(detail(first)["duplicates"], json!([second]));
    assert_eq!(detail(second)["duplicates"], json!([first]));
    assert_eq!(detail(other)["duplicates"], json!([]));
    assert_eq!(scene.documents().await.len(), 3);
    let hash = detail(first)["content_hash"].as_str().unwrap().to_owned();
    assert!(hash.len() == 64 && hash.bytes().all(|digit| b"0123456789abcdef".contains(&digit)), "{hash}");
    assert_eq!(detail(second)["content_hash"], hash);
    assert_ne!(detail(other)["content_hash"], hash);
}

async fn reprocessing_again_and_again_makes_runs_and_no_mess(scene: &Scene) {
    let server = scene.quire.serve();
    let (_, _, id) = upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
    let again = format!("/documents/{id}/reprocess");
    std::thread::scope(|clients| {
        for _ in 0..4 {
            clients.spawn(|| assert_eq!(server.post(&again).status, 201));
        }
    });
    scene.all_ended(id).await;
    let runs = scene.runs_of(id).await;
    assert_eq!(runs.len(), 5);
    let detail = server.json(&format!("/documents/{id}"));
    let latest = runs.iter().max_by_key(|run| (run.created_at, run.id)).unwrap();
    assert_eq!((&detail["status"], &detail["review_status"]), (&json!("COMPLETED"), &json!("IN_REVIEW")));
    assert_eq!(detail["latest_run"]["run_id"], json!(latest.id), "the latest decides");
    let listed = server.json("/documents?status=COMPLETED");
    assert_eq!((&listed["total"], &listed["items"][0]["document_id"]), (&json!(1), &json!(id)));
}
