//! Review over HTTP: versions, edits, comparison, calibration, governance, export and search.

mod calibration;
mod compare;
mod conflicts;
pub(crate) mod edit;
mod export;
mod governance;
mod mark_reviewed;
mod review_order;
mod search;
pub(crate) mod typed;
mod views;

use quire_domain::DocumentId;
use serde_json::{Value, json};

use crate::http::Response;
use crate::record::{field, process_record, review, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

/// Status and reason of a conflict.
fn reason(response: &Response<Value>) -> (u16, &str) {
    (response.status, response.body["details"]["reason"].as_str().unwrap_or_default())
}

on_both_stores! {
    /// Proves R070, R071, R072, R088, R090, R093, R042, R046.
    a_review_shows_the_fields_of_the_latest_completed_run,
}

async fn a_review_shows_the_fields_of_the_latest_completed_run(env: &TestEnv) {
    let server = env.cli.serve();
    let unknown = server.get_json(&format!("/documents/{}/review", DocumentId::new()));
    assert_eq!((unknown.status, &unknown.body["error_code"]), (404, &json!("NOT_FOUND")));

    // Too little text, so that its run fails in its first step.
    let blank = upload_lines(&server, &["x"]);
    env.wait_for_latest_run(blank).await;
    let none = server.get_json(&format!("/documents/{blank}/review"));
    assert_eq!(reason(&none), (409, "NO_COMPLETED_RUN"));
    assert_eq!(none.body["error_code"], "CONFLICT");
    let history = server.get_json(&format!("/documents/{blank}/processing-history")).body;
    let run = &history["runs"][0];
    assert_eq!(run["failure_type"], "EXTRACTION_FAILED");
    assert_eq!(run["steps"].as_array().unwrap().last().unwrap()["step_status"], "FAILED");

    let (id, run) = process_record(env, &server).await;
    let got = server.get_json(&format!("/documents/{id}/review"));
    assert!(got.head.contains("etag: \"v1\""), "{}", got.head);
    let shown = got.body;
    assert_eq!(shown["document_id"], json!(id));
    let latest = &shown["latest_completed_run"];
    assert_eq!((&latest["run_id"], &latest["state"]), (&json!(run), &json!("COMPLETED")));
    assert_eq!(shown["raw_text_artifact"], json!({ "run_id": run, "available": true }));
    assert_eq!((&shown["review_status"], &shown["reviewed_at"]), (&json!("IN_REVIEW"), &json!(null)));
    let active = &shown["active_interpretation"];
    assert_eq!(active["version_number"], 1);
    let data = &active["data"];
    assert_eq!((&data["schema_version"], &data["processing_run_id"]), (&json!("v0"), &json!(run)));
    let luna = field(data, "pet_name");
    assert_eq!(
        (&luna["value"], &luna["is_critical"], &luna["origin"]),
        (&json!("Luna"), &json!(true), &json!("machine"))
    );
    assert_eq!(luna["evidence"]["page"], 1);
    assert_eq!(luna["evidence"]["boxes"].as_array().unwrap().len(), 1);
    assert_eq!(field(data, "notes")["is_critical"], json!(false));
    let keys: Vec<_> =
        data["fields"].as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect();
    assert!(!keys.contains(&"breed") && keys.len() == 9, "fields without a value are left out: {keys:?}");
    assert!(!shown.to_string().contains("Historia clínica"), "the whole text is not shown");

    let grouped = server.get_json(&format!("/documents/{id}/review?view=visits")).body;
    let data = &grouped["active_interpretation"]["data"];
    assert_eq!(data["schema_contract"], "visit-grouped-canonical");
    let visit = &data["visits"][0];
    assert_eq!((&visit["visit_date"], &visit["visit_id"]), (&json!("2024-02-01"), &json!("visit-001")));
    assert_eq!(field(visit, "diagnosis")["value"], "otitis externa");
    let wrong = server.get_json(&format!("/documents/{id}/review?view=rows"));
    assert_eq!((wrong.status, &wrong.body["details"]["parameter"]), (400, &json!("view")));

    // A newer run fails because the file is missing. The review stays.
    std::fs::remove_file(env.documents_folder().join(format!("{id}/original.pdf"))).unwrap();
    let again = server.post_json(&format!("/documents/{id}/reprocess"), &json!({}));
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(env.wait_for_latest_run(id).await.state.as_str(), "FAILED");
    let after = review(&server, id);
    assert_eq!(after["latest_completed_run"]["run_id"], json!(run));
    let text = env.documents_folder().join(format!("{id}/runs/{run}/raw-text.txt"));
    std::fs::remove_file(text).unwrap();
    assert_eq!(review(&server, id)["raw_text_artifact"]["available"], false);
}
