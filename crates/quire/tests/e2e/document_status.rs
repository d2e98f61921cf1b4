//! The status of a document, which is derived from its runs.

mod failure_reasons;

use jiff::Timestamp;
use quire_domain::{DocumentId, Event, EventType, Failure, Run, RunId, StepName};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::reading::long_document;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::upload_document;

on_both_stores! {
    /// Proves R028 and R029: the row of a document is never updated, and its status is always right. (The step EMBEDDING
    /// updates the vector of the row, and nothing else.)
    the_status_follows_the_runs_and_is_never_stored with [("QUIRE_SEARCH_ENABLED", "false")],
    /// Proves R028 for the tables.
    no_column_holds_the_status_of_a_document,
    /// Proves R042, R070 and R073 for a running run.
    a_running_run_shows_its_steps_and_keeps_earlier_results_visible with [("QUIRE_ENGINE_SLOTS", "1")],
    /// Proves R047.
    steps_are_shown_from_their_records_and_not_from_the_log with [("QUIRE_LOG_LEVEL", "off")],
}

/// The status and failure type of a document, on which its details and the list agree.
fn document_status(server: &TestServer, id: DocumentId) -> (String, Value) {
    let detail = server.json(&format!("/documents/{id}"));
    let list = server.json("/documents");
    let items = list["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["document_id"] == json!(id)).unwrap();
    for field in ["status", "failure_type"] {
        assert_eq!(detail[field], item[field], "{field}: {detail} {item}");
    }
    (detail["status"].as_str().unwrap().to_owned(), detail["failure_type"].clone())
}

fn failed(failure_type: &str) -> (String, Value) {
    ("FAILED".to_owned(), json!(failure_type))
}

/// Name, status and error code of each step of the latest run.
fn steps(server: &TestServer, id: DocumentId) -> Vec<(String, String, Value)> {
    let history = server.json(&format!("/documents/{id}/processing-history"));
    let run = history["runs"].as_array().unwrap().last().unwrap();
    let text = |step: &Value, field: &str| step[field].as_str().unwrap().to_owned();
    let steps = run["steps"].as_array().unwrap().iter();
    steps
        .map(|step| (text(step, "step_name"), text(step, "step_status"), step["error_code"].clone()))
        .collect()
}

fn step(name: &str, status: &str, code: Option<&str>) -> (String, String, Value) {
    (name.to_owned(), status.to_owned(), json!(code))
}

async fn the_status_follows_the_runs_and_is_never_stored(env: &TestEnv) {
    env.refuse("BEFORE UPDATE ON documents").await;
    let server = env.cli.serve();
    let id = upload_document(&server, &clinical_record(1), "");
    assert_eq!(env.wait_for_latest_run(id).await.state.as_str(), "COMPLETED");
    assert_eq!(document_status(&server, id), ("COMPLETED".to_owned(), Value::Null));

    std::fs::remove_file(env.documents_folder().join(format!("{id}/original.pdf"))).unwrap();
    let again = server.post(&format!("/documents/{id}/reprocess"));
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(env.wait_for_latest_run(id).await.state.as_str(), "FAILED");
    assert_eq!(document_status(&server, id), failed("EXTRACTION_FAILED"));
    let written = env.sql.execute("UPDATE documents SET updated_at = updated_at").await;
    assert!(written.unwrap_err().contains("refused"), "no update was possible all along");
}

async fn no_column_holds_the_status_of_a_document(env: &TestEnv) {
    let columns = if env.is_on_postgresql() {
        "SELECT table_name AS place, column_name AS name FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
    } else {
        "SELECT m.name AS place, c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table'"
    };
    let count = async |condition: &str| {
        env.sql.number(&format!("SELECT count(*) FROM ({columns}) AS columns WHERE {condition}")).await
    };
    let looks_like_a_status = "name LIKE '%status%' OR name LIKE '%state%' OR name LIKE '%failure%'";
    // Whether a person has reviewed it is not a processing status.
    assert_eq!(count("place = 'documents' AND name = 'review_status'").await, 1);
    assert_eq!(count(&format!("place = 'documents' AND ({looks_like_a_status})")).await, 1);
    // Runs, steps, schema candidates and decisions have their own states.
    let others = "place IN ('runs', 'step_progress', 'structural_candidates', 'governance_decisions')";
    assert_eq!(count(&format!("place <> 'documents' AND NOT {others} AND ({looks_like_a_status})")).await, 0);
    assert!(count("place = 'documents'").await > 10, "the query finds columns");
}

async fn a_running_run_shows_its_steps_and_keeps_earlier_results_visible(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_document(&server, &clinical_record(1), "");
    let first = env.wait_for_latest_run(id).await.id;
    let statuses = |run: RunId| -> Vec<(Value, Value)> {
        let run = server.json(&format!("/runs/{run}"));
        let steps = run["steps"].as_array().unwrap().iter();
        steps.map(|step| (step["step_name"].clone(), step["step_status"].clone())).collect()
    };
    let extraction = json!("EXTRACTION");
    let succeeded =
        ["EXTRACTION", "INTERPRETATION", "EMBEDDING"].map(|step| (json!(step), json!("SUCCEEDED")));
    assert_eq!(statuses(first), succeeded);

    env.replace_original(id, &long_document()).await;
    let again = server.post(&format!("/documents/{id}/reprocess")).json();
    let second: RunId = again["run_id"].as_str().unwrap().parse().unwrap();
    env.wait_until_step_starts(second, StepName::Extraction).await;
    assert_eq!(statuses(second), [(extraction, json!("RUNNING"))]);
    assert_eq!(document_status(&server, id), ("PROCESSING".to_owned(), Value::Null));
    let text = server.get(&format!("/runs/{second}/artifacts/raw-text"));
    assert_eq!((text.status, &text.json()["details"]["reason"]), (409, &json!("RAW_TEXT_NOT_READY")));
    let review = server.json(&format!("/documents/{id}/review"));
    assert_eq!(review["latest_completed_run"]["run_id"], json!(first), "a running run hides no results");
}

/// The event of a failed step, which is in no log.
fn unlogged_failure(run: &Run) -> Event {
    let step = StepName::Interpretation;
    let failure = Failure::permanent("LIGHTS_WENT_OUT", "it went dark");
    Event {
        step: Some(step),
        attempt: Some(7),
        started_at: Some(Timestamp::now()),
        failure: Some(failure.record(Some(step), None)),
        ..Event::of_run(EventType::StepFailed, run, Timestamp::now())
    }
}

async fn steps_are_shown_from_their_records_and_not_from_the_log(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_document(&server, &clinical_record(1), "");
    let run = env.wait_for_latest_run(id).await;
    let before = steps(&server, id);
    assert_eq!(before.len(), 6, "steps are shown without a log: {before:?}");
    env.store.queue.record(&[unlogged_failure(&run)]).await.unwrap();
    let after = steps(&server, id);
    assert_eq!(after[..6], before);
    assert_eq!(after[6..], [step("INTERPRETATION", "FAILED", Some("LIGHTS_WENT_OUT"))]);
    let shown = server.json(&format!("/runs/{}", run.id));
    let last = &shown["steps"][1];
    assert_eq!((&last["step_status"], &last["error_code"]), (&json!("FAILED"), &json!("LIGHTS_WENT_OUT")));
    assert_eq!(server.stop().stderr, "", "the log is off");
}
