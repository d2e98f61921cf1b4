//! Edits of a version that is no longer the active one.

use serde_json::{Value, json};

use super::reason;
use crate::http::Response;
use crate::program::TestServer;
use crate::record::{edit, field, process_record, review};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R120.
    a_stale_edit_reports_what_became_of_each_change,
    an_edit_that_is_sent_twice_is_done,
    an_edit_of_an_older_run_can_be_limited_to_the_newest_run,
}

/// Edits with `latest_run_only`.
fn edit_latest(server: &TestServer, run: &str, base: u64, changes: &Value) -> Response<Value> {
    let body = json!({ "base_version_number": base, "latest_run_only": true, "changes": changes });
    server.post_json(&format!("/runs/{run}/interpretations"), &body)
}

fn id_of(data: &Value, key: &str) -> Value {
    field(data, key)["field_id"].clone()
}

fn update(field: &Value, value: &str) -> Value {
    json!({ "op": "UPDATE", "field_id": field, "value": value })
}

/// The statuses of the changes, in order.
fn statuses(refused: &Response<Value>) -> Vec<&str> {
    assert_eq!(reason(refused), (409, "STALE_INTERPRETATION_VERSION"), "{}", refused.body);
    let conflicts = refused.body["details"]["conflicts"].as_array().unwrap().iter();
    conflicts.map(|conflict| conflict["status"].as_str().unwrap()).collect()
}

/// The changes that make the refused ones on top of the active version.
fn retries(refused: &Response<Value>) -> Value {
    let conflicts = refused.body["details"]["conflicts"].as_array().unwrap().iter();
    conflicts.map(|conflict| conflict["retry"].clone()).filter(|retry| !retry.is_null()).collect()
}

async fn a_stale_edit_reports_what_became_of_each_change(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let data = review(&server, id)["active_interpretation"]["data"].clone();
    let [luna, notes, owner, diagnosis] =
        ["pet_name", "notes", "owner_name", "diagnosis"].map(|key| id_of(&data, key));
    let theirs = json!([
        update(&luna, "Lola"),
        { "op": "DELETE", "field_id": notes },
        { "op": "ADD", "key": "breed", "value": "beagle" },
        update(&diagnosis, "rinitis"),
    ]);
    assert_eq!(edit(&server, &run, 1, &theirs).status, 201);

    let mine = json!([
        update(&luna, "Luz"),
        update(&notes, "llamar"),
        update(&owner, "Otra Persona"),
        { "op": "ADD", "key": "breed", "value": "beagle" },
    ]);
    let refused = edit(&server, &run, 1, &mine);
    assert_eq!(statuses(&refused), ["CONFLICT", "CONFLICT", "FREE", "DONE"]);
    let details = &refused.body["details"];
    assert_eq!((&details["run_id"], &details["version_number"]), (&json!(run), &json!(2)));
    assert_eq!((&details["changed_by"], &details["other_changes"]), (&json!("local"), &json!(1)));
    assert!(details["changed_at"].is_string());
    let conflict = &details["conflicts"][0];
    let expected = json!({
        "index": 0, "status": "CONFLICT", "key": "pet_name", "title": conflict["title"], "visit_id": null,
        "was": "Luna", "theirs": "Lola", "theirs_deleted": false, "requested": "Luz", "retry": update(&luna, "Luz"),
    });
    assert_eq!(conflict, &expected);
    assert_eq!(conflict["title"]["es"], "Nombre");
    let deleted = &details["conflicts"][1];
    assert_eq!((&deleted["theirs"], &deleted["theirs_deleted"]), (&Value::Null, &json!(true)));
    assert_eq!(
        (&deleted["retry"]["op"], &deleted["retry"]["key"], &deleted["retry"]["value"]),
        (&json!("ADD"), &json!("notes"), &json!("llamar"))
    );
    assert_eq!(details["conflicts"][3]["retry"], Value::Null);

    // Insisting makes all of them on top of the other person's version.
    let insisted = edit(&server, &run, 2, &retries(&refused));
    assert_eq!(insisted.status, 201, "{}", insisted.body);
    let data = review(&server, id)["active_interpretation"]["data"].clone();
    for (key, value) in [
        ("pet_name", "Luz"),
        ("notes", "llamar"),
        ("owner_name", "Otra Persona"),
        ("breed", "beagle"),
        ("diagnosis", "rinitis"),
    ] {
        assert_eq!(field(&data, key)["value"], value, "{key}");
    }
    assert_eq!(statuses(&edit(&server, &run, 1, &mine)), ["DONE"; 4]);

    // A base that never existed is reported like any other.
    assert_eq!(statuses(&edit(&server, &run, 99, &json!([update(&luna, "Sol")]))), ["CONFLICT"]);
}

/// A client whose response was lost sends the same request again.
async fn an_edit_that_is_sent_twice_is_done(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let data = review(&server, id)["active_interpretation"]["data"].clone();
    let changes = json!([
        update(&id_of(&data, "pet_name"), "Lola"),
        { "op": "DELETE", "field_id": id_of(&data, "notes") },
        { "op": "ADD", "key": "medication", "value": "nada", "visit_id": "visit-001" },
        { "op": "ADD", "visit_id": "second", "visit": { "visit_date": "2024-03-01" } },
        { "op": "UPDATE", "field_id": id_of(&data, "diagnosis"), "visit_id": "second" },
    ]);
    assert_eq!(edit_latest(&server, &run, 1, &changes).status, 201);
    let again = edit_latest(&server, &run, 1, &changes);
    assert_eq!(statuses(&again), ["DONE"; 5]);
    assert_eq!(
        (&again.body["details"]["version_number"], &again.body["details"]["other_changes"]),
        (&json!(2), &json!(0))
    );
    let versions = server.get_json(&format!("/runs/{run}/interpretations")).body;
    assert_eq!(versions["versions"].as_array().map_or(0, Vec::len), 2, "{versions}");
}

async fn an_edit_of_an_older_run_can_be_limited_to_the_newest_run(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, older) = process_record(env, &server).await;
    let data = review(&server, id)["active_interpretation"]["data"].clone();
    let added = json!([{ "op": "ADD", "key": "breed", "value": "beagle" }]);
    let breed = edit(&server, &older, 1, &added).body;
    let breed = id_of(&breed["data"], "breed");
    assert_eq!(server.post_json(&format!("/documents/{id}/reprocess"), &json!({})).status, 201);
    env.wait_for_all_runs(id).await;
    let seen = review(&server, id);
    let newer = seen["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    assert_ne!(newer, older);

    // Without the limit, an older run is edited as before.
    let luna = id_of(&data, "pet_name");
    assert_eq!(edit(&server, &older, 2, &json!([update(&luna, "Lola")])).status, 201);

    let refused = edit_latest(&server, &older, 3, &json!([update(&luna, "Luz"), update(&breed, "galgo")]));
    // The newer run reads Luna again, and knows nothing of the breed.
    assert_eq!(statuses(&refused), ["CONFLICT", "CONFLICT"]);
    let details = &refused.body["details"];
    assert_eq!((&details["run_id"], &details["version_number"]), (&json!(newer), &json!(1)));
    assert_eq!(details["changed_by"], Value::Null, "a run made that version");
    assert_eq!(
        (&details["conflicts"][0]["was"], &details["conflicts"][0]["theirs"]),
        (&json!("Lola"), &json!("Luna"))
    );
    assert_eq!(details["conflicts"][1]["theirs_deleted"], true);
    let read_again = id_of(&seen["active_interpretation"]["data"], "pet_name");
    assert_eq!(details["conflicts"][0]["retry"]["field_id"], read_again);
    assert_eq!(statuses(&edit_latest(&server, &older, 1, &json!([update(&luna, "Luz")]))), ["FREE"]);

    let insisted = edit_latest(&server, &newer, 1, &retries(&refused));
    assert_eq!(insisted.status, 201, "{}", insisted.body);
    let data = review(&server, id)["active_interpretation"]["data"].clone();
    assert_eq!(
        (&field(&data, "pet_name")["value"], &field(&data, "breed")["value"]),
        (&json!("Luz"), &json!("galgo"))
    );
}
