//! How edits of many documents change the schema.

use quire_domain::CandidateId;
use serde_json::{Value, json};

use super::{ask, edit, get, post, review, understood};
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R126, R127, R128, R129, R130, R131.
    edits_become_a_candidate_and_an_approval_a_schema_version_for_later_runs,
}

#[allow(clippy::too_many_lines)] // One story, told in order.
async fn edits_become_a_candidate_and_an_approval_a_schema_version_for_later_runs(scene: &Scene) {
    let server = scene.quire.serve();
    let mut documents = Vec::new();
    for _ in 0..3 {
        let (id, run) = understood(scene, &server).await;
        let made = edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "blood_group", "value": "A" }]));
        assert_eq!(made.status, 201, "{}", made.body);
        let shown = format!("{}{}", made.body, review(&server, id));
        for word in ["pending_review", "governance", "reviewer_id", "candidate_id"] {
            assert!(!shown.contains(word), "{word} is not for those who edit");
        }
        documents.push((id, run));
    }
    let notes = review(&server, documents[0].0);
    let notes = super::field(&notes["active_interpretation"]["data"], "notes")["field_id"].clone();
    assert_eq!(
        edit(&server, &documents[0].1, 2, &json!([{ "op": "DELETE", "field_id": notes }])).status,
        201
    );

    let listed = get(&server, "/reviewer/structural-changes").body;
    let items = listed["items"].as_array().unwrap();
    let told: Vec<_> = items
        .iter()
        .map(|one| (&one["change_type"], &one["target_key"], &one["occurrence_count"], &one["status"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("NEW_KEY"), &json!("blood_group"), &json!(3), &json!("PENDING")),
            (&json!("KEY_DEPRECATION"), &json!("notes"), &json!(1), &json!("PENDING")),
        ]
    );
    assert_eq!(items[0]["evidence_samples"].as_array().unwrap().len(), 3);
    let sample = &items[1]["evidence_samples"][0];
    assert_eq!((&sample["page"], &sample["document_id"]), (&json!(1), &json!(documents[0].0)));
    assert!(sample["snippet"].as_str().unwrap().starts_with("Notas:"));
    let only = get(&server, "/reviewer/structural-changes?change_type=KEY_DEPRECATION&status=PENDING").body;
    assert_eq!(only["items"].as_array().unwrap().len(), 1);
    for wrong in ["status=OPEN", "change_type=x", "is_critical=perhaps", "limit=0"] {
        assert_eq!(get(&server, &format!("/reviewer/structural-changes?{wrong}")).status, 400, "{wrong}");
    }

    let before = get(&server, "/reviewer/schema/current").body;
    assert_eq!(before["version_number"], 1);
    let state = |server: &crate::program::Server| -> Vec<Value> {
        documents
            .iter()
            .map(|(id, _)| json!([review(server, *id), get(server, &format!("/documents/{id}")).body]))
            .collect()
    };
    let untouched = state(&server);
    let about = |item: &Value| {
        format!("/reviewer/structural-changes/{}/decision", item["candidate_id"].as_str().unwrap())
    };
    let mut made = Vec::new();
    for (path, decision, status) in [
        (about(&items[0]), "DEFER", "DEFERRED"),
        (about(&items[0]), "FLAG_CRITICAL", "PENDING"),
        (about(&items[1]), "REJECT", "REJECTED"),
        (about(&items[0]), "APPROVE", "APPROVED"),
    ] {
        let got = post(&server, &path, &json!({ "decision_type": decision, "reason": "seen often" }));
        assert_eq!((got.status, &got.body["decision_type"]), (200, &json!(decision)), "{}", got.body);
        assert_eq!(got.body["schema_version_id"].is_string(), decision == "APPROVE");
        assert!(got.body["created_at"].is_string() && got.body["candidate_id"].is_string());
        let key = if path == about(&items[0]) { "blood_group" } else { "notes" };
        let now = get(&server, "/reviewer/structural-changes").body;
        let now =
            now["items"].as_array().unwrap().iter().find(|one| one["target_key"] == key).unwrap().clone();
        assert_eq!(now["status"], status, "{decision}");
        made.push(got.body["decision_id"].clone());
    }
    let again = post(&server, &about(&items[0]), &json!({ "decision_type": "REJECT" }));
    assert_eq!((again.status, &again.body["error_code"]), (409, &json!("CONFLICT")));
    // Whoever says what they saw decides about that, and about nothing else.
    let seen = |status: &str| json!({ "decision_type": "DEFER", "seen_status": status });
    let meanwhile = post(&server, &about(&items[1]), &seen("PENDING"));
    assert_eq!((meanwhile.status, &meanwhile.body["error_code"]), (409, &json!("CONFLICT")));
    assert_eq!(post(&server, &about(&items[1]), &seen("ELSEWHERE")).status, 400);
    let flagged = json!({ "decision_type": "DEFER", "seen_critical": true });
    assert_eq!(post(&server, &about(&items[1]), &flagged).status, 409);
    let unknown = format!("/reviewer/structural-changes/{}/decision", CandidateId::new());
    assert_eq!(post(&server, &unknown, &json!({ "decision_type": "REJECT" })).status, 404);
    for wrong in [
        json!({}),
        json!({ "decision_type": "MAYBE" }),
        json!({ "decision_type": "REJECT", "reason": "x".repeat(2001) }),
    ] {
        assert_eq!(post(&server, &about(&items[1]), &wrong).status, 400, "{wrong}");
    }
    assert_eq!(state(&server), untouched, "no document, run or interpretation has changed");

    let current = get(&server, "/reviewer/schema/current").body;
    assert_eq!(current["version_number"], 2);
    assert!(current["change_summary"].as_str().unwrap().contains("blood_group"));
    let (id, run) = understood(scene, &server).await;
    let used =
        |id| get(&server, &format!("/documents/{id}")).body["latest_run"]["schema_version_used"].clone();
    assert_eq!((used(documents[0].0), used(id)), (json!(1), json!(2)));
    let made_critical = edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "blood_group", "value": "B" }]));
    assert_eq!(super::field(&made_critical.body["data"], "blood_group")["is_critical"], true);

    let trail = get(&server, "/reviewer/governance/audit-trail").body;
    let listed: Vec<_> =
        trail["items"].as_array().unwrap().iter().map(|one| one["decision_id"].clone()).collect();
    assert_eq!(listed, made, "every decision, in the order of time");
    assert_eq!(
        (&trail["items"][0]["reviewer_id"], &trail["items"][0]["reason"]),
        (&json!("local"), &json!("seen often"))
    );
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let refused = ask(&server, &format!("{method} /reviewer/governance/audit-trail"), "", "");
        assert_eq!(refused.status, 405, "{method}");
    }
}
