//! Calibration: reviews change the confidence of later values. Low confidence blocks nothing.

use quire_domain::DocumentId;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::record::{active_data, edit, field, mark_reviewed, process_record, review};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R113, R114, R115, R116.
    reviews_change_the_confidence_of_values_found_by_the_same_rule,
    /// Proves R115 for corrections that are undone.
    a_correction_that_is_undone_counts_as_the_value_that_stands,
    /// Proves R117, R118.
    low_confidence_is_shown_and_blocks_nothing
        with [("QUIRE_CONFIDENCE_LOW_MAX", "0.999"), ("VET_RECORDS_CONFIDENCE_MID_MAX", "1.0")],
    /// Proves R117.
    overlapping_confidence_limits_stop_the_start,
}

fn mark(server: &TestServer, id: DocumentId) {
    assert_eq!(mark_reviewed(server, id).status, 200);
}

fn reopen(server: &TestServer, id: DocumentId) {
    assert_eq!(server.request_json(&format!("DELETE /documents/{id}/reviewed"), "", "").status, 200);
}

/// The calibration of a key.
fn calibration_of(server: &TestServer, key: &str) -> Value {
    let got = server.get_json(&format!("/calibration?field_key={key}"));
    assert_eq!(got.status, 200, "{}", got.body);
    got.body["items"][0].clone()
}

/// The shown field with the name of the patient.
fn name_field(server: &TestServer, id: DocumentId) -> Value {
    field(&active_data(server, id), "pet_name").clone()
}

/// Checks that the confidence is the candidate's plus these points.
fn assert_adjusted(field: &Value, points: f64) {
    let number = |name: &str| field[name].as_f64().unwrap();
    assert!((number("review_history_adjustment") - points).abs() < 1e-9, "{field}");
    let sum = (number("candidate_confidence") + points / 100.0).clamp(0.0, 1.0);
    assert!((number("confidence") - sum).abs() < 1e-9, "{field}");
}

async fn reviews_change_the_confidence_of_values_found_by_the_same_rule(env: &TestEnv) {
    let server = env.cli.serve();
    let mut documents = Vec::new();
    for _ in 0..3 {
        let (id, _) = process_record(env, &server).await;
        assert_adjusted(&name_field(&server, id), 0.0);
        documents.push(id);
    }
    assert_eq!(server.get_json("/calibration").body["items"], json!([]));
    for id in &documents {
        mark(&server, *id);
        mark(&server, *id);
    }
    let name = calibration_of(&server, "pet_name");
    assert_eq!(
        name["total"],
        json!({ "accepts": 3, "edits": 0, "volume": 3, "share_accepted": 1.0 }),
        "{name}"
    );
    let rule = &name["mappings"][0];
    assert_eq!(rule["mapping_id"], name_field(&server, documents[0])["mapping_id"]);
    assert_eq!((&rule["adjustment"], &rule["standing"]), (&json!(9.0), &json!("neutral")), "{rule}");
    let bins = rule["bins"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["accepts"].as_u64().unwrap()).sum::<u64>(), 3, "{rule}");

    let (fourth, run) = process_record(env, &server).await;
    let adjusted = name_field(&server, fourth);
    assert_adjusted(&adjusted, 9.0);
    assert_eq!(adjusted["candidate_confidence"], name_field(&server, documents[0])["candidate_confidence"]);
    assert_adjusted(&name_field(&server, documents[0]), 0.0);
    let grouped = server.get_json(&format!("/documents/{fourth}/review?view=visits")).body;
    let grouped = &grouped["active_interpretation"]["data"];
    let grouped_name = field(grouped, "pet_name");
    assert_eq!(grouped_name["field_mapping_confidence"], adjusted["confidence"]);
    assert_eq!(grouped_name["field_review_history_adjustment"], json!(9.0));
    assert_eq!(
        (&grouped["context_key"], &grouped_name["policy_version"]),
        (&name["context_key"], &json!("v1"))
    );

    reopen(&server, documents[0]);
    reopen(&server, documents[0]);
    assert_eq!(calibration_of(&server, "pet_name")["total"]["accepts"], 2);
    let (fifth, _) = process_record(env, &server).await;
    assert_adjusted(&name_field(&server, fifth), 0.0);
    assert_adjusted(&name_field(&server, fourth), 9.0);

    // A value that a person enters counts as an edit; an empty one does not count.
    let changes = json!([
        { "op": "UPDATE", "field_id": adjusted["field_id"], "value": "Lola" },
        { "op": "ADD", "key": "claim_id", "value": null },
        { "op": "ADD", "key": "breed", "value": "Beagle" },
    ]);
    let edited = edit(&server, &run, 1, &changes);
    assert_eq!(edited.status, 201, "{}", edited.body);
    let lola = field(&edited.body["data"], "pet_name");
    assert_adjusted(lola, 0.0);
    assert_eq!(lola["candidate_confidence"], adjusted["candidate_confidence"]);
    assert_eq!(field(&edited.body["data"], "breed")["confidence"], 0.5);
    mark(&server, fourth);
    let total = |key: &str| {
        let calibration = calibration_of(&server, key);
        (calibration["total"]["accepts"].as_u64(), calibration["total"]["edits"].as_u64())
    };
    assert_eq!(total("pet_name"), (Some(2), Some(1)));
    assert_eq!(total("breed"), (Some(0), Some(1)));
    assert_eq!(total("claim_id"), (None, None));
    // Editing a reviewed document takes its counts back.
    let undone = edit(&server, &run, 2, &json!([{ "op": "ADD", "key": "age", "value": "4" }]));
    assert_eq!(undone.status, 201, "{}", undone.body);
    assert_eq!((total("pet_name"), total("breed")), ((Some(2), Some(0)), (None, None)));

    let printed = env.cli.run_json(&["calibration", "--json", "--field-key", "pet_name"]);
    assert_eq!(printed, server.get_json("/calibration?field_key=pet_name").body);
    let table = env.cli.run_ok(&["calibration"]);
    assert!(table.starts_with("CONTEXT") && table.contains("pet_name"), "{table}");
    let context = name["context_key"].as_str().unwrap().to_owned();
    let here = server.get_json(&format!("/calibration?context={context}&limit=1")).body;
    assert_eq!((here["items"].as_array().unwrap().len(), &here["limit"]), (1, &json!(1)));
    assert_eq!(server.get_json("/calibration?context=elsewhere").body["items"], json!([]));
    assert_eq!(server.get_json("/calibration?policy_version=v2").body["items"], json!([]));
    assert_eq!(server.get_json("/calibration?limit=0").status, 400);
}

async fn a_correction_that_is_undone_counts_as_the_value_that_stands(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let found = name_field(&server, id);
    let set = |base: u64, value: &Value| {
        let change = json!([{ "op": "UPDATE", "field_id": found["field_id"], "value": value }]);
        let edited = edit(&server, &run, base, &change);
        assert_eq!(edited.status, 201, "{}", edited.body);
        field(&edited.body["data"], "pet_name").clone()
    };
    let counted = || {
        let total = &calibration_of(&server, "pet_name")["total"];
        (total["accepts"].as_u64(), total["edits"].as_u64())
    };
    assert_eq!(set(1, &json!("Lola"))["origin"], "human");
    mark(&server, id);
    assert_eq!(counted(), (Some(0), Some(1)), "the correction stands");
    assert_eq!(set(2, &found["value"]), found, "the undone field is as it was found");
    assert_eq!(counted(), (None, None), "the edit reopened the document");
    mark(&server, id);
    assert_eq!(counted(), (Some(1), Some(0)), "what was found stands");
    reopen(&server, id);
    assert_eq!(counted(), (None, None));
    assert_eq!(set(3, &json!("Lola"))["origin"], "human");
    mark(&server, id);
    assert_eq!(counted(), (Some(0), Some(1)), "the correction stands again");
}

async fn low_confidence_is_shown_and_blocks_nothing(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let shown = review(&server, id);
    assert_eq!(
        shown["confidence_policy"],
        json!({ "policy_version": "v1", "band_cutoffs": { "low_max": 0.999, "mid_max": 1.0 } })
    );
    let fields = shown["active_interpretation"]["data"]["fields"].as_array().unwrap().clone();
    assert!(!fields.is_empty() && fields.iter().all(|field| field["band"] == "low"), "{fields:?}");
    for path in [
        format!("/documents/{id}/review?view=visits"),
        format!("/runs/{run}/interpretations"),
        format!("/documents/{id}/pages/1"),
    ] {
        assert_eq!(server.get_json(&path).status, 200, "{path}");
    }
    // The field is sent back with all members that it came with.
    let mut back = fields[0].clone();
    back["op"] = json!("UPDATE");
    back["value"] = json!("otra cosa");
    let edited = edit(&server, &run, 1, &json!([back]));
    assert_eq!(edited.status, 201, "{}", edited.body);
    mark(&server, id);
    assert_eq!(review(&server, id)["review_status"], "REVIEWED");
    let exported = server.send("GET /documents/export?format=csv&review_status=REVIEWED", "", "");
    assert_eq!(exported.status, 200);
    let exported = String::from_utf8_lossy(&exported.body).into_owned();
    assert!(exported.contains("otra cosa"), "{exported}");
    reopen(&server, id);
    assert_eq!(review(&server, id)["review_status"], "IN_REVIEW");
}

async fn overlapping_confidence_limits_stop_the_start(env: &TestEnv) {
    for (settings, key) in [
        ("[confidence]\nlow_max = 0.8\n", "confidence.low_max"),
        ("[confidence]\nmid_max = 1.5\n", "confidence.mid_max"),
        ("[confidence]\ndemoted_exit = 0.9\n", "confidence.demoted_exit"),
        ("[confidence]\npolicy_version = \"\"\n", "confidence.policy_version"),
    ] {
        env.cli.write("quire.toml", settings);
        let refused = env.cli.run_err(&["serve"]);
        assert!(refused.contains(key) && refused.contains("must"), "{refused}");
    }
}
