//! Comparing versions of what was understood, field by field.

use quire_domain::{DocumentId, EventType, RunId};
use quire_testkit::documents::{Pdf, text_page};
use serde_json::{Value, json};

use super::{RECORD, edit, field, get, post, reason, review, understood};
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    an_edit_is_compared_with_what_was_there_before,
    two_runs_of_a_document_are_compared_by_what_they_say,
    what_cannot_be_compared_says_why,
}

/// What differs: key, how, and the values of both sides.
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

async fn an_edit_is_compared_with_what_was_there_before(scene: &Scene) {
    let server = scene.quire.serve();
    let (id, run) = understood(scene, &server).await;
    let alone = get(&server, &format!("/documents/{id}/compare"));
    assert_eq!(reason(&alone), (409, "NOTHING_TO_COMPARE"));

    let data = review(&server, id)["active_interpretation"]["data"].clone();
    let (luna, notes) = (&field(&data, "pet_name")["field_id"], &field(&data, "notes")["field_id"]);
    let changes = json!([
        { "op": "UPDATE", "field_id": luna, "value": "Lola" },
        { "op": "ADD", "key": "breed", "value": "Beagle" },
        { "op": "DELETE", "field_id": notes },
    ]);
    assert_eq!(edit(&server, &run, 1, &changes).status, 201);
    let got = get(&server, &format!("/documents/{id}/compare"));
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

    // Turned round by name, and a version with itself.
    let back = get(&server, &format!("/documents/{id}/compare?from={run}:2&to={run}:1")).body;
    assert_eq!(
        differences(&back).iter().map(|row| (row.0, row.1)).collect::<Vec<_>>(),
        [("pet_name", "changed"), ("breed", "removed"), ("notes", "added")]
    );
    let itself = get(&server, &format!("/documents/{id}/compare?from={run}&to={run}:2")).body;
    assert!(differences(&itself).is_empty() && all(&itself) > 0, "{itself}");

    wait_until(async || {
        let seen = |event: &&quire_domain::Event| event.event_type == EventType::DocumentReviewViewed;
        scene.events().await.iter().filter(seen).count() >= 4
    })
    .await;
}

async fn two_runs_of_a_document_are_compared_by_what_they_say(scene: &Scene) {
    let server = scene.quire.serve();
    let (id, first) = understood(scene, &server).await;
    // From now on its file says something else.
    let mut lines = RECORD;
    lines[1] = "Paciente: Nube";
    lines[8] = "";
    let file = Pdf::of_pages(&[text_page(&lines)]).file();
    std::fs::write(scene.folder().join(format!("{id}/original.pdf")), file).unwrap();
    assert_eq!(post(&server, &format!("/documents/{id}/reprocess"), &json!({})).status, 201);
    let second = scene.ended(id).await;
    assert_eq!(second.state.as_str(), "COMPLETED");

    let got = get(&server, &format!("/documents/{id}/compare")).body;
    assert_eq!((&got["from"]["run_id"], &got["to"]["run_id"]), (&json!(first), &json!(second.id)));
    let (luna, nube, notes) = (json!("Luna"), json!("Nube"), json!("vuelve dentro de dos semanas"));
    assert_eq!(
        differences(&got),
        [("pet_name", "changed", &luna, &nube), ("notes", "removed", &notes, &json!(null))]
    );
    let diagnosis = got["fields"].as_array().unwrap().iter().find(|row| row["key"] == "diagnosis").unwrap();
    assert_eq!((&diagnosis["change"], &diagnosis["visit_id"]), (&json!("same"), &json!("visit-001")));
    assert_ne!(diagnosis["from"]["field_id"], diagnosis["to"]["field_id"], "no id in common");
    let named = get(&server, &format!("/documents/{id}/compare?from={first}")).body;
    assert_eq!(named, got);
}

async fn what_cannot_be_compared_says_why(scene: &Scene) {
    let server = scene.quire.serve();
    let (id, run) = understood(scene, &server).await;
    let (_, strange) = understood(scene, &server).await;
    let unknown = RunId::new();
    for (query, status) in [
        (format!("to={run}:7"), 404),
        (format!("from={unknown}"), 404),
        (format!("to={strange}"), 404),
        (format!("from={run}:0"), 400),
        (format!("from={run}:x"), 400),
        ("to=latest".to_owned(), 400),
        (format!("versus={run}"), 400),
    ] {
        let refused = get(&server, &format!("/documents/{id}/compare?{query}"));
        assert_eq!(refused.status, status, "{query}: {}", refused.body);
        let code = if status == 404 { "NOT_FOUND" } else { "INVALID_REQUEST" };
        assert_eq!(refused.body["error_code"], code);
    }
    let nobody = get(&server, &format!("/documents/{}/compare", DocumentId::new()));
    assert_eq!((nobody.status, &nobody.body["error_code"]), (404, &json!("NOT_FOUND")));

    // Its file is gone, so that the next run fails.
    std::fs::remove_file(scene.folder().join(format!("{id}/original.pdf"))).unwrap();
    post(&server, &format!("/documents/{id}/reprocess"), &json!({}));
    let failed = scene.ended(id).await;
    let unfinished = get(&server, &format!("/documents/{id}/compare?to={}", failed.id));
    assert_eq!(reason(&unfinished), (409, "INTERPRETATION_NOT_AVAILABLE"));
}
