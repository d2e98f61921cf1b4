//! Where a document stands: worked out from its runs whenever somebody asks.

mod reasons;

use jiff::Timestamp;
use quire_domain::{DocumentId, Event, EventType, Failure, Run, RunId, StepName};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use crate::program::Server;
use crate::reading::ends::long;
use crate::scene::{Scene, on_both_stores};
use crate::uploading::upload_with;

on_both_stores! {
    /// Proves R028 and R029: nothing can be written to a document, and its status is the right one all along.
    the_status_follows_the_runs_and_nobody_writes_it_down,
    /// Proves R028 for the tables.
    no_column_has_the_status_of_a_document,
    /// Proves R042, R070 and R073 for a run that is under way.
    a_run_under_way_shows_its_steps_and_hides_nothing_older with [("QUIRE_ENGINE_SLOTS", "1")],
    /// Proves R047.
    what_is_shown_follows_the_step_records_and_not_the_log with [("QUIRE_LOG_LEVEL", "off")],
}

/// The status of a document and why, on which its own page and the list agree.
fn standing(server: &Server, id: DocumentId) -> (String, Value) {
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

/// The statuses and the codes of the steps of the latest run.
fn steps(server: &Server, id: DocumentId) -> Vec<(String, String, Value)> {
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

async fn the_status_follows_the_runs_and_nobody_writes_it_down(scene: &Scene) {
    scene.refuse("BEFORE UPDATE ON documents").await;
    let server = scene.quire.serve();
    let id = upload_with(&server, &clinical_record(1), "");
    assert_eq!(scene.ended(id).await.state.as_str(), "COMPLETED");
    assert_eq!(standing(&server, id), ("COMPLETED".to_owned(), Value::Null));

    std::fs::remove_file(scene.folder().join(format!("{id}/original.pdf"))).unwrap();
    let again = server.post(&format!("/documents/{id}/reprocess"));
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(scene.ended(id).await.state.as_str(), "FAILED");
    assert_eq!(standing(&server, id), failed("EXTRACTION_FAILED"));
    let written = scene.sql.execute("UPDATE documents SET updated_at = updated_at").await;
    assert!(written.unwrap_err().contains("refused"), "and all that while nobody could write to it");
}

async fn no_column_has_the_status_of_a_document(scene: &Scene) {
    let columns = if scene.is_on_postgresql() {
        "SELECT table_name AS place, column_name AS name FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
    } else {
        "SELECT m.name AS place, c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table'"
    };
    let count = async |condition: &str| {
        scene.sql.number(&format!("SELECT count(*) FROM ({columns}) AS columns WHERE {condition}")).await
    };
    let says_how_it_stands = "name LIKE '%status%' OR name LIKE '%state%' OR name LIKE '%failure%'";
    // Whether a person has checked it, which is no matter of processing.
    assert_eq!(count("place = 'documents' AND name = 'review_status'").await, 1);
    assert_eq!(count(&format!("place = 'documents' AND ({says_how_it_stands})")).await, 1);
    // Runs, their steps, candidates for the schema and decisions about them have states of their own.
    let others = "place IN ('runs', 'step_progress', 'structural_candidates', 'governance_decisions')";
    assert_eq!(count(&format!("place <> 'documents' AND NOT {others} AND ({says_how_it_stands})")).await, 0);
    assert!(count("place = 'documents'").await > 10, "there are columns to look at");
}

async fn a_run_under_way_shows_its_steps_and_hides_nothing_older(scene: &Scene) {
    let server = scene.quire.serve();
    let id = upload_with(&server, &clinical_record(1), "");
    let first = scene.ended(id).await.id;
    let statuses = |run: RunId| -> Vec<(Value, Value)> {
        let run = server.json(&format!("/runs/{run}"));
        let steps = run["steps"].as_array().unwrap().iter();
        steps.map(|step| (step["step_name"].clone(), step["step_status"].clone())).collect()
    };
    let [extraction, interpretation] = [json!("EXTRACTION"), json!("INTERPRETATION")];
    let succeeded = json!("SUCCEEDED");
    assert_eq!(
        statuses(first),
        [(extraction.clone(), succeeded.clone()), (interpretation.clone(), succeeded)]
    );

    std::fs::write(scene.folder().join(format!("{id}/original.pdf")), long()).unwrap();
    let again = server.post(&format!("/documents/{id}/reprocess")).json();
    let second: RunId = again["run_id"].as_str().unwrap().parse().unwrap();
    scene.until_running(second, true).await;
    assert_eq!(statuses(second), [(extraction, json!("RUNNING"))]);
    assert_eq!(standing(&server, id), ("PROCESSING".to_owned(), Value::Null));
    let text = server.get(&format!("/runs/{second}/artifacts/raw-text"));
    assert_eq!((text.status, &text.json()["details"]["reason"]), (409, &json!("RAW_TEXT_NOT_READY")));
    let review = server.json(&format!("/documents/{id}/review"));
    assert_eq!(review["latest_completed_run"]["run_id"], json!(first), "a run under way hides nothing");
}

/// A step that failed, as nobody but the database knows.
fn unlogged(run: &Run) -> Event {
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

async fn what_is_shown_follows_the_step_records_and_not_the_log(scene: &Scene) {
    let server = scene.quire.serve();
    let id = upload_with(&server, &clinical_record(1), "");
    let run = scene.ended(id).await;
    let before = steps(&server, id);
    assert_eq!(before.len(), 4, "what was not logged is shown: {before:?}");
    scene.store.queue.record(&[unlogged(&run)]).await.unwrap();
    let after = steps(&server, id);
    assert_eq!(after[..4], before);
    assert_eq!(after[4..], [step("INTERPRETATION", "FAILED", Some("LIGHTS_WENT_OUT"))]);
    let shown = server.json(&format!("/runs/{}", run.id));
    let last = &shown["steps"][1];
    assert_eq!((&last["step_status"], &last["error_code"]), (&json!("FAILED"), &json!("LIGHTS_WENT_OUT")));
    assert_eq!(server.stop().err, "", "the log knows nothing of any of it");
}
