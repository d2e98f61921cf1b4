//! Reprocessing, withdrawing runs and setting the language.

use jiff::Timestamp;
use quire_domain::{DocumentId, Pipeline, Priority, SubjectId};
use quire_ports::NewDocument;
use quire_testkit::documents::clinical_record;
use quire_testkit::fixture::{document, new_run};
use serde_json::{Value, json};

use super::only_document;
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R026, R035, R067 and R069.
    a_reprocessed_document_shows_both_runs_in_its_history,
    /// Proves R068 for reprocessing.
    reprocessing_is_refused_while_processing_is_off with [("QUIRE_UPLOADS_PROCESSING", "false")],
    /// Proves R081, R082 and R083.
    a_language_can_be_set_and_cleared_and_applies_to_later_runs,
    /// Proves R073 and the withdrawal of a queued run. No worker processes links, so the run stays queued.
    a_run_without_text_says_why_and_a_queued_run_can_be_withdrawn,
}

fn patch_language(server: &TestServer, document: &str, body: &str) -> Response<Vec<u8>> {
    server.send(&format!("PATCH /documents/{document}/language"), "Content-Type: application/json\r\n", body)
}

async fn a_reprocessed_document_shows_both_runs_in_its_history(env: &TestEnv) {
    let server = env.cli.serve();
    let first = env.add_document(Some(b"GIF89a\x01\x00\x01\x00"), None).await;
    env.wait_for_run(first).await;
    let id = only_document(&server);
    let failed = server.get_bytes(&format!("/documents/{id}")).json();
    assert_eq!((&failed["status"], &failed["failure_type"]), (&json!("FAILED"), &json!("EXTRACTION_FAILED")));

    let path = format!("POST /documents/{id}/reprocess");
    let accepted = server.send(&path, "X-Request-ID: once-more\r\n", "");
    assert_eq!(accepted.status, 201);
    let accepted = accepted.json();
    assert_eq!(accepted["state"], "QUEUED");
    assert!(accepted["created_at"].as_str().unwrap().ends_with('Z'));
    let second = accepted["run_id"].as_str().unwrap().parse().unwrap();
    env.wait_for_run(second).await;
    assert_eq!(server.get_bytes(&format!("/runs/{second}")).json()["correlation_id"], "once-more");

    let history = server.get_bytes(&format!("/documents/{id}/processing-history")).json();
    let runs = history["runs"].as_array().unwrap();
    let ids: Vec<&Value> = runs.iter().map(|run| &run["run_id"]).collect();
    assert_eq!(ids, [&json!(first), &json!(second)], "oldest first");
    for run in runs {
        let steps: Vec<_> = run["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| (&step["step_status"], &step["error_code"]))
            .collect();
        let code = json!("UNSUPPORTED_MEDIA_TYPE");
        assert_eq!(steps, [(&json!("RUNNING"), &Value::Null), (&json!("FAILED"), &code)]);
    }
    assert_eq!(server.get_bytes(&format!("/documents/{id}")).json()["review_status"], "IN_REVIEW");
    let unknown = server.post(&format!("/documents/{}/reprocess", DocumentId::new()));
    assert_eq!((unknown.status, &unknown.json()["error_code"]), (404, &json!("NOT_FOUND")));
}

async fn reprocessing_is_refused_while_processing_is_off(env: &TestEnv) {
    let server = env.cli.serve();
    let document = document(DocumentId::new());
    env.store
        .documents
        .add(NewDocument::uploaded_by("tester", &document, None), Timestamp::now())
        .await
        .unwrap();
    let refused = server.post(&format!("/documents/{}/reprocess", document.id));
    let refused = (refused.status, refused.json()["details"]["reason"].clone());
    assert_eq!(refused, (409, json!("PROCESSING_DISABLED")));
    assert_eq!(server.get_bytes(&format!("/documents/{}", document.id)).json()["status"], "UPLOADED");
    assert_eq!(server.post(&format!("/documents/{}/reprocess", DocumentId::new())).status, 404);
}

async fn a_language_can_be_set_and_cleared_and_applies_to_later_runs(env: &TestEnv) {
    let server = env.cli.serve();
    let first = env.add_document(Some(&clinical_record(1)), None).await;
    env.wait_for_run(first).await;
    let id = only_document(&server);

    let set = patch_language(&server, &id, r#"{"language_override": "fr"}"#);
    assert_eq!((set.status, set.json()), (200, json!({"document_id": id, "language_override": "fr"})));
    let history = server.get_bytes(&format!("/documents/{id}/processing-history")).json();
    assert_eq!(history["runs"].as_array().unwrap().len(), 1, "no run was created");
    let second = server.post(&format!("/documents/{id}/reprocess")).json();
    let second = second["run_id"].as_str().unwrap().parse().unwrap();
    env.wait_for_run(second).await;
    for (run, language) in [(first, "es"), (second, "fr")] {
        assert_eq!(server.get_bytes(&format!("/runs/{run}")).json()["language_used"], language);
    }
    let cleared = patch_language(&server, &id, r#"{"language_override": null}"#);
    assert_eq!((cleared.status, &cleared.json()["language_override"]), (200, &json!(null)));

    for wrong in [
        r#"{"language_override": "FR"}"#,
        r#"{"language_override": "xx"}"#,
        r#"{"language_override": 1}"#,
        "{}",
        "",
    ] {
        let refused = patch_language(&server, &id, wrong);
        assert_eq!(
            (refused.status, &refused.json()["error_code"]),
            (400, &json!("INVALID_REQUEST")),
            "{wrong}"
        );
    }
    let large =
        patch_language(&server, &id, &format!("{{\"language_override\": \"{}\"}}", "x".repeat(1 << 20)));
    assert_eq!((large.status, &large.json()["error_code"]), (413, &json!("REQUEST_BODY_TOO_LARGE")));
    assert_eq!(large.json()["details"]["max_bytes"], 1 << 20);
    let unknown = patch_language(&server, &DocumentId::new().to_string(), r#"{"language_override": "es"}"#);
    assert_eq!(unknown.status, 404);
}

async fn a_run_without_text_says_why_and_a_queued_run_can_be_withdrawn(env: &TestEnv) {
    let server = env.cli.serve();
    let queued = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    env.store.queue.enqueue(&queued, Timestamp::now()).await.unwrap();
    let text = format!("/runs/{}/artifacts/raw-text", queued.id);
    let reason = |path: &str| {
        let refused = server.get_bytes(path);
        assert_eq!((refused.status, &refused.json()["error_code"]), (409, &json!("CONFLICT")), "{path}");
        refused.json()["details"]["reason"].clone()
    };
    assert_eq!(reason(&text), "RAW_TEXT_NOT_READY");

    let withdraw = format!("/runs/{}/withdraw", queued.id);
    let withdrawn = server.post(&withdraw);
    assert_eq!(withdrawn.status, 200);
    assert_eq!(
        (&withdrawn.json()["state"], &withdrawn.json()["failure_type"]),
        (&json!("FAILED"), &json!("WITHDRAWN"))
    );
    assert_eq!(server.post(&withdraw).status, 409);
    assert_eq!(reason(&text), "RAW_TEXT_NOT_AVAILABLE");

    let failed = env.add_document(Some(b"GIF89a\x01\x00\x01\x00"), None).await;
    env.wait_for_run(failed).await;
    assert_eq!(reason(&format!("/runs/{failed}/artifacts/raw-text")), "RAW_TEXT_NOT_AVAILABLE");
    assert_eq!(server.post(&format!("/runs/{failed}/withdraw")).status, 409);
}
