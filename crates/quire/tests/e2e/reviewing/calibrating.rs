//! What reviews teach about confidence, and that it never stands in anybody's way.

use quire_domain::DocumentId;
use serde_json::{Value, json};

use super::{ask, edit, field, get, post, review, understood};
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R113, R114, R115, R116.
    reviews_move_the_confidence_of_what_is_found_the_same_way,
    /// Proves R117, R118.
    low_confidence_is_shown_as_such_and_blocks_nothing
        with [("QUIRE_CONFIDENCE_LOW_MAX", "0.999"), ("VET_RECORDS_CONFIDENCE_MID_MAX", "1.0")],
    /// Proves R117.
    cut_offs_that_overlap_stop_the_start,
}

fn mark(server: &Server, id: DocumentId) {
    assert_eq!(post(server, &format!("/documents/{id}/reviewed"), &json!({})).status, 200);
}

fn reopen(server: &Server, id: DocumentId) {
    assert_eq!(ask(server, &format!("DELETE /documents/{id}/reviewed"), "", "").status, 200);
}

/// What is known of a key, found in any way.
fn known(server: &Server, key: &str) -> Value {
    let got = get(server, &format!("/calibration?field_key={key}"));
    assert_eq!(got.status, 200, "{}", got.body);
    got.body["items"][0].clone()
}

/// The name of the patient, as it is shown.
fn luna(server: &Server, id: DocumentId) -> Value {
    field(&review(server, id)["active_interpretation"]["data"], "pet_name").clone()
}

/// Holds what is shown against what it was composed of.
fn composed(field: &Value, points: f64) {
    let number = |name: &str| field[name].as_f64().unwrap();
    assert!((number("review_history_adjustment") - points).abs() < 1e-9, "{field}");
    let sum = (number("candidate_confidence") + points / 100.0).clamp(0.0, 1.0);
    assert!((number("confidence") - sum).abs() < 1e-9, "{field}");
}

async fn reviews_move_the_confidence_of_what_is_found_the_same_way(scene: &Scene) {
    let server = scene.quire.serve();
    let mut documents = Vec::new();
    for _ in 0..3 {
        let (id, _) = understood(scene, &server).await;
        composed(&luna(&server, id), 0.0);
        documents.push(id);
    }
    assert_eq!(get(&server, "/calibration").body["items"], json!([]));
    for id in &documents {
        mark(&server, *id);
        mark(&server, *id);
    }
    let name = known(&server, "pet_name");
    assert_eq!(
        name["total"],
        json!({ "accepts": 3, "edits": 0, "volume": 3, "share_accepted": 1.0 }),
        "{name}"
    );
    let way = &name["mappings"][0];
    assert_eq!(way["mapping_id"], luna(&server, documents[0])["mapping_id"]);
    assert_eq!((&way["adjustment"], &way["standing"]), (&json!(9.0), &json!("neutral")), "{way}");
    let bins = way["bins"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["accepts"].as_u64().unwrap()).sum::<u64>(), 3, "{way}");

    let (fourth, run) = understood(scene, &server).await;
    let moved = luna(&server, fourth);
    composed(&moved, 9.0);
    assert_eq!(moved["candidate_confidence"], luna(&server, documents[0])["candidate_confidence"]);
    composed(&luna(&server, documents[0]), 0.0);
    let grouped = get(&server, &format!("/documents/{fourth}/review?view=visits")).body;
    let grouped = &grouped["active_interpretation"]["data"];
    let grouped_name = field(grouped, "pet_name");
    assert_eq!(grouped_name["field_mapping_confidence"], moved["confidence"]);
    assert_eq!(grouped_name["field_review_history_adjustment"], json!(9.0));
    assert_eq!(
        (&grouped["context_key"], &grouped_name["policy_version"]),
        (&name["context_key"], &json!("v1"))
    );

    reopen(&server, documents[0]);
    reopen(&server, documents[0]);
    assert_eq!(known(&server, "pet_name")["total"]["accepts"], 2);
    let (fifth, _) = understood(scene, &server).await;
    composed(&luna(&server, fifth), 0.0);
    composed(&luna(&server, fourth), 9.0);

    // A person's word counts as an edit, and what is empty as nothing.
    let changes = json!([
        { "op": "UPDATE", "field_id": moved["field_id"], "value": "Lola" },
        { "op": "ADD", "key": "claim_id", "value": null },
        { "op": "ADD", "key": "breed", "value": "Beagle" },
    ]);
    let edited = edit(&server, &run, 1, &changes);
    assert_eq!(edited.status, 201, "{}", edited.body);
    let lola = field(&edited.body["data"], "pet_name");
    composed(lola, 0.0);
    assert_eq!(lola["candidate_confidence"], moved["candidate_confidence"]);
    assert_eq!(field(&edited.body["data"], "breed")["confidence"], 0.5);
    mark(&server, fourth);
    let total = |key: &str| {
        let known = known(&server, key);
        (known["total"]["accepts"].as_u64(), known["total"]["edits"].as_u64())
    };
    assert_eq!(total("pet_name"), (Some(2), Some(1)));
    assert_eq!(total("breed"), (Some(0), Some(1)));
    assert_eq!(total("claim_id"), (None, None));
    // The edit of a marked document takes all of that back by itself.
    let undone = edit(&server, &run, 2, &json!([{ "op": "ADD", "key": "age", "value": "4" }]));
    assert_eq!(undone.status, 201, "{}", undone.body);
    assert_eq!((total("pet_name"), total("breed")), ((Some(2), Some(0)), (None, None)));

    let said = scene.quire.says(&["calibration", "--json", "--field-key", "pet_name"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said, get(&server, "/calibration?field_key=pet_name").body);
    let table = scene.quire.says(&["calibration"]);
    assert!(table.starts_with("CONTEXT") && table.contains("pet_name"), "{table}");
    let context = name["context_key"].as_str().unwrap().to_owned();
    let here = get(&server, &format!("/calibration?context={context}&limit=1")).body;
    assert_eq!((here["items"].as_array().unwrap().len(), &here["limit"]), (1, &json!(1)));
    assert_eq!(get(&server, "/calibration?context=elsewhere").body["items"], json!([]));
    assert_eq!(get(&server, "/calibration?policy_version=v2").body["items"], json!([]));
    assert_eq!(get(&server, "/calibration?limit=0").status, 400);
}

async fn low_confidence_is_shown_as_such_and_blocks_nothing(scene: &Scene) {
    let server = scene.quire.serve();
    let (id, run) = understood(scene, &server).await;
    let seen = review(&server, id);
    assert_eq!(
        seen["confidence_policy"],
        json!({ "policy_version": "v1", "band_cutoffs": { "low_max": 0.999, "mid_max": 1.0 } })
    );
    let fields = seen["active_interpretation"]["data"]["fields"].as_array().unwrap().clone();
    assert!(!fields.is_empty() && fields.iter().all(|field| field["band"] == "low"), "{fields:?}");
    for path in [
        format!("/documents/{id}/review?view=visits"),
        format!("/runs/{run}/interpretations"),
        format!("/documents/{id}/pages/1"),
    ] {
        assert_eq!(get(&server, &path).status, 200, "{path}");
    }
    // As it was got, with all that it says of itself.
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

async fn cut_offs_that_overlap_stop_the_start(scene: &Scene) {
    for (settings, key) in [
        ("[confidence]\nlow_max = 0.8\n", "confidence.low_max"),
        ("[confidence]\nmid_max = 1.5\n", "confidence.mid_max"),
        ("[confidence]\ndemoted_exit = 0.9\n", "confidence.demoted_exit"),
        ("[confidence]\npolicy_version = \"\"\n", "confidence.policy_version"),
    ] {
        scene.quire.write("quire.toml", settings);
        let refused = scene.quire.refuses(&["serve"]);
        assert!(refused.contains(key) && refused.contains("must"), "{refused}");
    }
}
