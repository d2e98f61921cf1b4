//! Comparing versions field by field.

use quire_domain::{DocumentId, EventType, RunId};
use serde_json::{Value, json};

use super::reason;
use crate::record::{RECORD, active_data, edit, field, pdf, process_record};
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    an_edit_is_compared_with_the_version_before,
    two_runs_of_a_document_are_compared_by_their_values,
    an_impossible_comparison_says_why,
}

/// The differences: key, kind of change, and both values.
fn differences(body: &Value) -> Vec<(&str, &str, &Value, &Value)> {
    let mut rows = Vec::new();
    for row in body["fields"].as_array().unwrap() {
        let (key, change) = (row["key"].as_str().unwrap(), row["change"].as_str().unwrap());
        if change != "same" {
            rows.push((key, change, &row["from"]["value"], &row["to"]["value"]));
        }
    }
    rows
}

async fn an_edit_is_compared_with_the_version_before(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let alone = server.get_json(&format!("/documents/{id}/compare"));
    assert_eq!(reason(&alone), (409, "NOTHING_TO_COMPARE"));

    let data = active_data(&server, id);
    let (luna, notes) = (&field(&data, "pet_name")["field_id"], &field(&data, "notes")["field_id"]);
    let changes = json!([
        { "op": "UPDATE", "field_id": luna, "value": "Lola" },
        { "op": "ADD", "key": "breed", "value": "Beagle" },
        { "op": "DELETE", "field_id": notes },
    ]);
    assert_eq!(edit(&server, &run, 1, &changes).status, 201);
    let got = server.get_json(&format!("/documents/{id}/compare"));
    assert_eq!(got.status, 200, "{}", got.body);
    let (text, nothing) = (|text: &str| json!(text), json!(null));
    let all = |body: &Value| body["fields"].as_array().unwrap().len() as u64;
    assert_eq!(
        differences(&got.body),
        [
            ("pet_name", "changed", &text("Luna"), &text("Lola")),
            ("breed", "added", &nothing, &text("Beagle")),
            ("notes", "removed", &text("vuelve dentro de dos semanas"), &nothing),
        ]
    );
    let counts = &got.body["counts"];
    assert_eq!((&counts["changed"], &counts["added"], &counts["removed"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(counts["same"].as_u64().unwrap() + 3, all(&got.body));
    let (from, to) = (&got.body["from"], &got.body["to"]);
    assert_eq!((&from["run_id"], &from["version_number"]), (&json!(run), &json!(1)));
    assert_eq!((&from["created_by"], &to["created_by"]), (&nothing, &json!("local")));
    assert_eq!(to["version_number"], 2);
    let name = &got.body["fields"].as_array().unwrap().iter().find(|row| row["key"] == "pet_name").unwrap();
    assert_eq!((&name["from"]["origin"], &name["to"]["origin"]), (&json!("machine"), &json!("human")));
    assert_eq!((&name["from"]["field_id"], &name["from"]["page"]), (luna, &json!(1)));
    assert!(name["to"]["confidence"].is_number());

    // With the versions swapped, and a version with itself.
    let back = server.get_json(&format!("/documents/{id}/compare?from={run}:2&to={run}:1")).body;
    assert_eq!(
        differences(&back).iter().map(|row| (row.0, row.1)).collect::<Vec<_>>(),
        [("pet_name", "changed"), ("breed", "removed"), ("notes", "added")]
    );
    let itself = server.get_json(&format!("/documents/{id}/compare?from={run}&to={run}:2")).body;
    assert!(differences(&itself).is_empty() && all(&itself) > 0, "{itself}");

    wait_until(async || {
        let seen = |event: &&quire_domain::Event| event.event_type == EventType::DocumentReviewViewed;
        env.events().await.iter().filter(seen).count() >= 4
    })
    .await;
}

async fn two_runs_of_a_document_are_compared_by_their_values(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, first) = process_record(env, &server).await;
    // The file changes before the second run.
    let mut lines = RECORD;
    lines[1] = "Paciente: Nube";
    lines[8] = "";
    env.replace_original(id, &pdf(&lines)).await;
    assert_eq!(server.post_json(&format!("/documents/{id}/reprocess"), &json!({})).status, 201);
    let second = env.wait_for_latest_run(id).await;
    assert_eq!(second.state.as_str(), "COMPLETED");

    let got = server.get_json(&format!("/documents/{id}/compare")).body;
    assert_eq!((&got["from"]["run_id"], &got["to"]["run_id"]), (&json!(first), &json!(second.id)));
    let (luna, nube, notes) = (json!("Luna"), json!("Nube"), json!("vuelve dentro de dos semanas"));
    assert_eq!(
        differences(&got),
        [("pet_name", "changed", &luna, &nube), ("notes", "removed", &notes, &json!(null))]
    );
    let diagnosis = got["fields"].as_array().unwrap().iter().find(|row| row["key"] == "diagnosis").unwrap();
    assert_eq!((&diagnosis["change"], &diagnosis["visit_id"]), (&json!("same"), &json!("visit-001")));
    assert_ne!(diagnosis["from"]["field_id"], diagnosis["to"]["field_id"], "the runs share no field ids");
    let named = server.get_json(&format!("/documents/{id}/compare?from={first}")).body;
    assert_eq!(named, got);
}

async fn an_impossible_comparison_says_why(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let (_, other_run) = process_record(env, &server).await;
    let unknown = RunId::new();
    for (query, status) in [
        (format!("to={run}:7"), 404),
        (format!("from={unknown}"), 404),
        (format!("to={other_run}"), 404),
        (format!("from={run}:0"), 400),
        (format!("from={run}:x"), 400),
        ("to=latest".to_owned(), 400),
        (format!("versus={run}"), 400),
    ] {
        let refused = server.get_json(&format!("/documents/{id}/compare?{query}"));
        assert_eq!(refused.status, status, "{query}: {}", refused.body);
        let code = if status == 404 { "NOT_FOUND" } else { "INVALID_REQUEST" };
        assert_eq!(refused.body["error_code"], code);
    }
    let unknown_document = server.get_json(&format!("/documents/{}/compare", DocumentId::new()));
    assert_eq!((unknown_document.status, &unknown_document.body["error_code"]), (404, &json!("NOT_FOUND")));

    // The file is missing, so that the next run fails.
    std::fs::remove_file(env.documents_folder().join(format!("{id}/original.pdf"))).unwrap();
    server.post_json(&format!("/documents/{id}/reprocess"), &json!({}));
    let failed = env.wait_for_latest_run(id).await;
    let unfinished = server.get_json(&format!("/documents/{id}/compare?to={}", failed.id));
    assert_eq!(reason(&unfinished), (409, "INTERPRETATION_NOT_AVAILABLE"));
}
