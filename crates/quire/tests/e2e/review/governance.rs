//! Governance: edits of many documents suggest changes of the schema.

use quire_domain::CandidateId;
use serde_json::{Value, json};

use crate::record::{RECORD, active_data, edit, field, field_id, process_record, review, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R126, R127, R128, R129, R130, R131.
    edits_become_a_candidate_and_an_approval_creates_a_schema_version,
}

#[allow(clippy::too_many_lines)] // One sequence of steps.
async fn edits_become_a_candidate_and_an_approval_creates_a_schema_version(env: &TestEnv) {
    let server = env.cli.serve();
    let mut documents = Vec::new();
    for _ in 0..3 {
        let lines = [&RECORD[..], &["Grupo sanguíneo: A"]].concat();
        let id = upload_lines(&server, &lines);
        let run = env.wait_until_completed(id).await.id.to_string();
        let edited = edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "blood_group", "value": "A" }]));
        assert_eq!(edited.status, 201, "{}", edited.body);
        let shown = format!("{}{}", edited.body, review(&server, id));
        for word in ["pending_review", "governance", "reviewer_id", "candidate_id"] {
            assert!(!shown.contains(word), "{word} is shown to an editor");
        }
        documents.push((id, run));
    }
    let notes = field_id(&active_data(&server, documents[0].0), "notes");
    assert_eq!(
        edit(&server, &documents[0].1, 2, &json!([{ "op": "DELETE", "field_id": notes }])).status,
        201
    );

    let listed = server.get_json("/reviewer/structural-changes").body;
    let items = listed["items"].as_array().unwrap();
    let candidates: Vec<_> = items
        .iter()
        .map(|item| (&item["change_type"], &item["target_key"], &item["occurrence_count"], &item["status"]))
        .collect();
    assert_eq!(
        candidates,
        [
            (&json!("NEW_KEY"), &json!("blood_group"), &json!(3), &json!("PENDING")),
            (&json!("KEY_DEPRECATION"), &json!("notes"), &json!(1), &json!("PENDING")),
        ]
    );
    assert_eq!(items[0]["evidence_samples"].as_array().unwrap().len(), 3);
    let sample = &items[1]["evidence_samples"][0];
    assert_eq!((&sample["page"], &sample["document_id"]), (&json!(1), &json!(documents[0].0)));
    assert!(sample["snippet"].as_str().unwrap().starts_with("Notas:"));
    let only =
        server.get_json("/reviewer/structural-changes?change_type=KEY_DEPRECATION&status=PENDING").body;
    assert_eq!(only["items"].as_array().unwrap().len(), 1);
    for wrong in ["status=OPEN", "change_type=x", "is_critical=perhaps", "limit=0"] {
        assert_eq!(server.get_json(&format!("/reviewer/structural-changes?{wrong}")).status, 400, "{wrong}");
    }

    let before = server.get_json("/reviewer/schema/current").body;
    assert_eq!(before["version_number"], 1);
    let state = |server: &crate::program::TestServer| -> Vec<Value> {
        documents
            .iter()
            .map(|(id, _)| json!([review(server, *id), server.get_json(&format!("/documents/{id}")).body]))
            .collect()
    };
    let before_decisions = state(&server);
    let decision_path = |item: &Value| {
        format!("/reviewer/structural-changes/{}/decision", item["candidate_id"].as_str().unwrap())
    };
    let mut decisions = Vec::new();
    for (path, decision, status) in [
        (decision_path(&items[0]), "DEFER", "DEFERRED"),
        (decision_path(&items[0]), "FLAG_CRITICAL", "PENDING"),
        (decision_path(&items[1]), "REJECT", "REJECTED"),
        (decision_path(&items[0]), "APPROVE", "APPROVED"),
    ] {
        let got = server.post_json(&path, &json!({ "decision_type": decision, "reason": "seen often" }));
        assert_eq!((got.status, &got.body["decision_type"]), (200, &json!(decision)), "{}", got.body);
        assert_eq!(got.body["schema_version_id"].is_string(), decision == "APPROVE");
        assert!(got.body["created_at"].is_string() && got.body["candidate_id"].is_string());
        let key = if path == decision_path(&items[0]) { "blood_group" } else { "notes" };
        let now = server.get_json("/reviewer/structural-changes").body;
        let now =
            now["items"].as_array().unwrap().iter().find(|one| one["target_key"] == key).unwrap().clone();
        assert_eq!(now["status"], status, "{decision}");
        decisions.push(got.body["decision_id"].clone());
    }
    let again = server.post_json(&decision_path(&items[0]), &json!({ "decision_type": "REJECT" }));
    assert_eq!((again.status, &again.body["details"]["reason"]), (409, &json!("CANDIDATE_DECIDED")));
    // A decision that names the status it was based on is refused if that has changed.
    let seen = |status: &str| json!({ "decision_type": "DEFER", "seen_status": status });
    let meanwhile = server.post_json(&decision_path(&items[1]), &seen("PENDING"));
    assert_eq!((meanwhile.status, &meanwhile.body["details"]["reason"]), (409, &json!("CANDIDATE_DECIDED")));
    assert_eq!(server.post_json(&decision_path(&items[1]), &seen("ELSEWHERE")).status, 400);
    let flagged = json!({ "decision_type": "DEFER", "seen_critical": true });
    assert_eq!(server.post_json(&decision_path(&items[1]), &flagged).status, 409);
    let unknown = format!("/reviewer/structural-changes/{}/decision", CandidateId::new());
    assert_eq!(server.post_json(&unknown, &json!({ "decision_type": "REJECT" })).status, 404);
    for wrong in [
        json!({}),
        json!({ "decision_type": "MAYBE" }),
        json!({ "decision_type": "REJECT", "reason": "x".repeat(2001) }),
    ] {
        assert_eq!(server.post_json(&decision_path(&items[1]), &wrong).status, 400, "{wrong}");
    }
    assert_eq!(state(&server), before_decisions, "no document, run or interpretation has changed");

    let current = server.get_json("/reviewer/schema/current").body;
    assert_eq!(current["version_number"], 2);
    // The words before the value in the documents became labels of the key.
    let summary = current["change_summary"].as_str().unwrap();
    assert_eq!(summary, "added blood_group with the labels grupo sanguineo");
    let (id, run) = process_record(env, &server).await;
    let used =
        |id| server.get_json(&format!("/documents/{id}")).body["latest_run"]["schema_version_used"].clone();
    assert_eq!((used(documents[0].0), used(id)), (json!(1), json!(2)));
    let critical = edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "blood_group", "value": "B" }]));
    assert_eq!(field(&critical.body["data"], "blood_group")["is_critical"], true);

    let trail = server.get_json("/reviewer/governance/audit-trail").body;
    let listed: Vec<_> =
        trail["items"].as_array().unwrap().iter().map(|one| one["decision_id"].clone()).collect();
    assert_eq!(listed, decisions, "every decision, oldest first");
    assert_eq!(
        (&trail["items"][0]["reviewer_id"], &trail["items"][0]["reason"]),
        (&json!("local"), &json!("seen often"))
    );
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let refused = server.request_json(&format!("{method} /reviewer/governance/audit-trail"), "", "");
        assert_eq!(refused.status, 405, "{method}");
    }
}
