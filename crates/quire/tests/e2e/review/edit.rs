//! Editing the fields of a document.

use quire_domain::{DocumentId, RunId};
use serde_json::json;

use super::reason;
use crate::reading::ocr::scan;
use crate::record::{active_data, edit, field, field_id, process_record, review};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R089, R119, R123, R124, R125.
    an_edit_creates_a_version_with_its_changes,
    /// Proves R120, R122, R075.
    a_stale_or_invalid_edit_changes_nothing,
    /// Proves R121.
    a_running_run_blocks_edits_and_a_queued_one_does_not,
    /// Proves R081.
    a_body_that_is_too_large_is_refused,
    visits_are_added_filled_and_deleted_by_edits,
}

async fn an_edit_creates_a_version_with_its_changes(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let data = active_data(&server, id);
    let (luna, notes) = (field_id(&data, "pet_name"), field_id(&data, "notes"));

    let same = edit(
        &server,
        &run,
        1,
        &json!([{ "op": "UPDATE", "field_id": luna, "value": " Luna ", "value_type": "string" }]),
    );
    assert_eq!(
        (same.status, &same.body["version_number"]),
        (200, &json!(1)),
        "nothing changed: {}",
        same.body
    );

    let changes = json!([
        { "op": "UPDATE", "field_id": luna, "value": "Lola", "value_type": "string", "is_critical": false },
        { "op": "ADD", "key": "breed", "value": "Beagle" },
        { "op": "DELETE", "field_id": notes },
    ]);
    let edited = edit(&server, &run, 1, &changes);
    assert_eq!(edited.status, 201, "{}", edited.body);
    assert!(edited.head.contains("etag: \"v2\""), "{}", edited.head);
    assert_eq!((&edited.body["run_id"], &edited.body["version_number"]), (&json!(run), &json!(2)));
    let new = &edited.body["data"];
    let lola = field(new, "pet_name");
    assert_eq!((&lola["value"], &lola["origin"]), (&json!("Lola"), &json!("human")));
    assert_eq!(lola["is_critical"], true, "the schema decides, not the request");
    assert_eq!(field(new, "species")["origin"], "machine");
    assert_eq!(field(new, "breed")["origin"], "human");
    assert!(!edited.body.to_string().contains("pending_review"));
    assert_eq!(review(&server, id)["active_interpretation"]["data"], *new);

    // By If-Match instead of the version number.
    let request = json!({ "changes": [{ "op": "ADD", "key": "weight", "value": "4,2 kg" }] }).to_string();
    let path = format!("POST /runs/{run}/interpretations");
    let tagged = server.request_json(&path, "If-Match: \"v2\"\r\n", &request);
    assert_eq!((tagged.status, &tagged.body["version_number"]), (201, &json!(3)));
    let stale = server.request_json(&path, "If-Match: \"v2\"\r\n", &request);
    assert_eq!(reason(&stale), (409, "STALE_INTERPRETATION_VERSION"));

    let versions = server.get_json(&format!("/runs/{run}/interpretations")).body;
    let versions = versions["versions"].as_array().unwrap();
    let flags: Vec<_> = versions
        .iter()
        .map(|one| (one["version_number"].as_u64().unwrap(), one["is_active"].as_bool().unwrap()))
        .collect();
    assert_eq!(flags, [(1, false), (2, false), (3, true)]);
    let log: Vec<_> = versions[1]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            (
                change["change_type"].as_str().unwrap(),
                change["field_key"].as_str().unwrap(),
                change["field_path"].as_str().unwrap(),
            )
        })
        .collect();
    let added = field_id(new, "breed");
    assert_eq!(
        log,
        [
            ("UPDATE", "pet_name", format!("fields.{luna}.value").as_str()),
            ("ADD", "breed", format!("fields.{added}.value").as_str()),
            ("DELETE", "notes", format!("fields.{notes}.value").as_str()),
        ]
    );
    let change = &versions[1]["changes"][0];
    assert_eq!((&change["old_value"], &change["new_value"]), (&json!("Luna"), &json!("Lola")));
    assert_eq!(versions[1]["created_by"], "local");
}

async fn a_stale_or_invalid_edit_changes_nothing(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let before = review(&server, id);
    let luna = field_id(&before["active_interpretation"]["data"], "pet_name");
    let stale = edit(&server, &run, 7, &json!([{ "op": "ADD", "key": "breed", "value": "x" }]));
    assert_eq!(reason(&stale), (409, "STALE_INTERPRETATION_VERSION"));
    assert_eq!(stale.body["error_code"], "CONFLICT");

    let good = json!({ "op": "UPDATE", "field_id": luna, "value": "Lola" });
    let unknown = DocumentId::new();
    for (bad, part) in [
        (json!({ "op": "MERGE" }), "changes[1].op"),
        (json!({ "op": "ADD", "key": "Not A Key", "value": "x" }), "changes[1].key"),
        (json!({ "op": "ADD", "key": "breed", "value": { "a": 1 } }), "changes[1].value"),
        (json!({ "op": "ADD", "key": "visit_date", "value": "01/02/2024" }), "changes[1].value"),
        (json!({ "op": "ADD", "key": "breed", "value": "x", "value_type": "text" }), "changes[1].value_type"),
        (json!({ "op": "UPDATE", "field_id": "7", "value": "x" }), "changes[1].field_id"),
        (json!({ "op": "DELETE", "field_id": unknown }), "changes[1].field_id_not_found"),
    ] {
        let refused = edit(&server, &run, 1, &json!([good, bad]));
        assert_eq!(reason(&refused), (400, part), "{bad}");
        assert_eq!(
            (&refused.body["error_code"], &refused.body["details"]["index"]),
            (&json!("INVALID_REQUEST"), &json!(1))
        );
    }
    for request in [
        json!({}),
        json!({ "base_version_number": 1 }),
        json!({ "base_version_number": 0, "changes": [good] }),
        json!({ "base_version_number": 1, "changes": [] }),
        json!([]),
    ] {
        let refused = server.post_json(&format!("/runs/{run}/interpretations"), &request);
        assert_eq!(
            (refused.status, &refused.body["error_code"]),
            (400, &json!("INVALID_REQUEST")),
            "{request}"
        );
    }
    let missing = edit(&server, &RunId::new().to_string(), 1, &json!([good]));
    assert_eq!((missing.status, &missing.body["error_code"]), (404, &json!("NOT_FOUND")));
    assert_eq!(review(&server, id), before, "no edit was applied");

    // Concurrent edits of the same version: one is stored.
    let outcomes: Vec<u16> = std::thread::scope(|scope| {
        let edits: Vec<_> = (0..8)
            .map(|n| {
                let (server, run, luna) = (&server, &run, &luna);
                scope.spawn(move || {
                    edit(
                        server,
                        run,
                        1,
                        &json!([{ "op": "UPDATE", "field_id": luna, "value": format!("L{n}") }]),
                    )
                    .status
                })
            })
            .collect();
        edits.into_iter().map(|edit| edit.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|status| **status == 201).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|status| **status == 409).count(), 7, "{outcomes:?}");
    assert_eq!(review(&server, id)["active_interpretation"]["version_number"], 2);
}

/// Installs a tesseract that waits until the returned function is called, and then fails.
pub(crate) fn blocking_tesseract(env: &TestEnv) -> impl FnOnce() {
    let (program, released) = (env.cli.path("tesseract"), env.cli.path("released"));
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then echo List; echo spa; exit 0; fi\n\
         while [ ! -e {} ]; do sleep 0.02; done\nexit 1\n",
        released.display()
    );
    env.cli.write("tesseract", &script);
    std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    let settings = format!("[engine]\nslots = 1\n[reading.ocr]\nprogram = \"{}\"\n", program.display());
    env.cli.write("quire.toml", &settings);
    move || std::fs::write(released, "").unwrap()
}

async fn a_running_run_blocks_edits_and_a_queued_one_does_not(env: &TestEnv) {
    let release = blocking_tesseract(env);
    let server = env.cli.serve();
    let (other, _) = process_record(env, &server).await;
    let (id, run) = process_record(env, &server).await;
    // The file becomes a scan, whose OCR blocks until it is released.
    env.replace_original(id, &scan()).await;
    let reprocess = |id: DocumentId| -> RunId {
        let accepted = server.post_json(&format!("/documents/{id}/reprocess"), &json!({})).body;
        accepted["run_id"].as_str().unwrap().parse().unwrap()
    };
    let running = reprocess(id);
    env.wait_until_running(running, true).await;
    // The only slot is busy, so that this run stays queued.
    let queued = reprocess(other);
    let change = |value: &str| json!([{ "op": "ADD", "key": "breed", "value": value }]);
    assert_eq!(reason(&edit(&server, &run, 1, &change("a"))), (409, "REVIEW_BLOCKED_BY_ACTIVE_RUN"));
    let unfinished = edit(&server, &queued.to_string(), 1, &change("b"));
    assert_eq!(reason(&unfinished), (409, "INTERPRETATION_NOT_AVAILABLE"));
    let of_other = review(&server, other)["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(edit(&server, &of_other, 1, &change("c")).status, 201, "a queued run does not block edits");
    release();
    env.wait_until_running(running, false).await;
    assert_eq!(edit(&server, &run, 1, &change("a")).status, 201, "edits are accepted after the run");
}

async fn a_body_that_is_too_large_is_refused(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let large = json!({ "base_version_number": 1, "changes": [{ "op": "ADD", "key": "notes", "value": "x".repeat(1 << 20) }] });
    for path in [format!("/runs/{run}/interpretations"), format!("/documents/{id}/reviewed")] {
        let refused = server.post_json(&path, &large);
        assert_eq!(
            (refused.status, &refused.body["error_code"]),
            (413, &json!("REQUEST_BODY_TOO_LARGE")),
            "{path}"
        );
        assert_eq!(refused.body["details"]["max_bytes"], 1 << 20);
    }
    assert_eq!(review(&server, id)["review_status"], "IN_REVIEW");
}

async fn visits_are_added_filled_and_deleted_by_edits(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let data = active_data(&server, id);
    let diagnosis = field_id(&data, "diagnosis");
    let edited = edit(
        &server,
        &run,
        1,
        &json!([
            { "op": "ADD", "visit_id": "second", "visit": { "visit_date": "2024-03-01", "reason_for_visit": "control" } },
            { "op": "UPDATE", "field_id": diagnosis, "visit_id": "second" },
            { "op": "ADD", "key": "medication", "value": "nada", "visit_id": "second" },
        ]),
    );
    assert_eq!(edited.status, 201, "{}", edited.body);
    let grouped = || {
        let got = server.get_json(&format!("/documents/{id}/review?view=visits")).body;
        got["active_interpretation"]["data"]["visits"].clone()
    };
    let visits = grouped();
    assert_eq!(visits.as_array().unwrap().len(), 2);
    assert_eq!(
        (&visits[1]["visit_date"], &visits[1]["reason_for_visit"]),
        (&json!("2024-03-01"), &json!("control"))
    );
    assert_eq!(field(&visits[1], "diagnosis")["value"], "otitis externa");
    let nowhere = edit(
        &server,
        &run,
        2,
        &json!([{ "op": "ADD", "key": "medication", "value": "x", "visit_id": "third" }]),
    );
    assert_eq!(reason(&nowhere), (400, "changes[0].visit_id_not_found"));
    let gone = edit(&server, &run, 2, &json!([{ "op": "DELETE", "visit_id": "second" }]));
    assert_eq!(gone.status, 201, "{}", gone.body);
    assert_eq!(grouped().as_array().unwrap().len(), 1);
}
