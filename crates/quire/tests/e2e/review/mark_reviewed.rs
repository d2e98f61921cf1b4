//! Marking a document as reviewed and reopening it.

use quire_domain::{DocumentId, EventId, EventType};
use quire_ports::EventFilter;
use serde_json::{Value, json};

use crate::record::{active_data, edit, field_id, mark_reviewed, process_record, review, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R026, R032, R033, R034, R038.
    marking_and_reopening_are_idempotent_and_an_edit_reopens,
    /// Proves R032.
    marking_names_the_version_that_was_seen,
    /// Proves R035.
    a_reviewed_document_is_exported_only_as_it_was_signed,
}

async fn marking_and_reopening_are_idempotent_and_an_edit_reopens(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let path = format!("/documents/{id}/reviewed");
    let first = mark_reviewed(&server, id);
    assert_eq!((first.status, &first.body["review_status"]), (200, &json!("REVIEWED")), "{}", first.body);
    assert_eq!((&first.body["document_id"], &first.body["reviewed_by"]), (&json!(id), &json!("local")));
    let again = mark_reviewed(&server, id);
    assert_eq!((again.status, &again.body), (200, &first.body), "the time does not change");
    let detail = server.get_json(&format!("/documents/{id}")).body;
    assert_eq!(detail["reviewed_at"], first.body["reviewed_at"]);

    let nothing = edit(
        &server,
        &run,
        1,
        &json!([{ "op": "UPDATE", "field_id": field_id(&active_data(&server, id), "pet_name"), "value": "Luna" }]),
    );
    assert_eq!(nothing.status, 200, "{}", nothing.body);
    assert_eq!(review(&server, id)["review_status"], "REVIEWED", "an edit without changes does not reopen");
    assert_eq!(edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "breed", "value": "x" }])).status, 201);
    let reopened = review(&server, id);
    assert_eq!(
        (&reopened["review_status"], &reopened["reviewed_at"], &reopened["reviewed_by"]),
        (&json!("IN_REVIEW"), &json!(null), &json!(null))
    );

    assert_eq!(mark_reviewed(&server, id).status, 200);
    for _ in 0..2 {
        let open = server.request_json(&format!("DELETE {path}"), "", "");
        assert_eq!(
            (open.status, &open.body["review_status"], &open.body["reviewed_at"]),
            (200, &json!("IN_REVIEW"), &json!(null))
        );
        assert_eq!(open.body["reviewed_run_id"], json!(null));
        assert_eq!(review(&server, id)["reviewed_by"], json!(null));
    }
    assert_eq!(review(&server, id)["active_interpretation"]["version_number"], 2, "the edit stays");

    let unknown = DocumentId::new();
    let signed = json!({ "run_id": run, "version_number": 2 });
    assert_eq!(server.post_json(&format!("/documents/{unknown}/reviewed"), &signed).status, 404);
    assert_eq!(server.request_json(&format!("DELETE /documents/{unknown}/reviewed"), "", "").status, 404);
    let language = server.request_json(
        &format!("PATCH /documents/{id}/language"),
        "",
        "{\"language_override\": \"es\"}",
    );
    assert_eq!(language.status, 200);

    let filter = EventFilter { run: None, subject: Some(id.into()) };
    let events = env.store.run_reader.events(EventId(0), filter, 1000).await.unwrap();
    let by_people: Vec<_> = events
        .iter()
        .map(|recorded| recorded.event.event_type)
        .filter(|kind| {
            use EventType::{
                DocumentLanguageOverridden, DocumentUploaded, InterpretationEdited, MarkReviewed,
                ReviewReopened,
            };
            matches!(
                kind,
                DocumentUploaded
                    | DocumentLanguageOverridden
                    | MarkReviewed
                    | InterpretationEdited
                    | ReviewReopened
            )
        })
        .map(EventType::as_str)
        .collect();
    assert_eq!(
        by_people,
        [
            "DOCUMENT_UPLOADED",
            "MARK_REVIEWED",
            "INTERPRETATION_EDITED",
            "REVIEW_REOPENED",
            "MARK_REVIEWED",
            "REVIEW_REOPENED",
            "DOCUMENT_LANGUAGE_OVERRIDDEN",
        ]
    );
}

async fn marking_names_the_version_that_was_seen(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    assert_eq!(edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "breed", "value": "x" }])).status, 201);
    let path = format!("/documents/{id}/reviewed");
    for (wrong, parameter) in [
        (json!({}), "run_id"),
        (json!({ "run_id": run }), "version_number"),
        (json!({ "version_number": 2 }), "run_id"),
        (json!({ "run_id": run, "version_number": 0 }), "version_number"),
        (json!({ "run_id": run, "version_number": "2" }), "version_number"),
        (json!({ "run_id": 7, "version_number": 2 }), "run_id"),
        (json!({ "run_id": run, "version_number": 2, "version": 2 }), "body"),
    ] {
        let refused = server.post_json(&path, &wrong);
        let named = &refused.body["details"]["parameter"];
        assert_eq!((refused.status, named), (400, &json!(parameter)), "{wrong}");
    }
    assert_eq!(server.post(&path).status, 400, "without a body");

    // Version 1 is what the person saw; version 2 is what another person made of it.
    for (other, number) in [(run.clone(), 1), (run.clone(), 3), (DocumentId::new().to_string(), 2)] {
        let stale = server.post_json(&path, &json!({ "run_id": other, "version_number": number }));
        assert_eq!((stale.status, &stale.body["error_code"]), (409, &json!("CONFLICT")));
        let active = json!({ "reason": "STALE_INTERPRETATION_VERSION", "run_id": run, "version_number": 2 });
        assert_eq!(stale.body["details"], active);
    }
    assert_eq!(review(&server, id)["review_status"], "IN_REVIEW");
    let marked = server.post_json(&path, &json!({ "run_id": run, "version_number": 2 }));
    assert_eq!(marked.status, 200, "{}", marked.body);
    assert_eq!(
        (&marked.body["reviewed_run_id"], &marked.body["reviewed_version_number"]),
        (&json!(run), &json!(2))
    );
    let empty: Vec<&str> =
        marked.body["empty_critical_keys"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(empty.contains(&"sex") && !empty.contains(&"pet_name") && !empty.contains(&"breed"), "{empty:?}");

    let blank = upload_lines(&server, &["x"]);
    env.wait_for_latest_run(blank).await;
    let none = server
        .post_json(&format!("/documents/{blank}/reviewed"), &json!({ "run_id": run, "version_number": 1 }));
    assert_eq!((none.status, &none.body["details"]["reason"]), (409, &json!("NO_COMPLETED_RUN")));
}

/// What was seen before: a corrected value was marked, the document reprocessed, and the export of reviewed documents gave
/// the machine's new value under the person's name.
async fn a_reviewed_document_is_exported_only_as_it_was_signed(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let name = field_id(&active_data(&server, id), "pet_name");
    let corrected = json!([{ "op": "UPDATE", "field_id": name, "value": "Lola" }]);
    assert_eq!(edit(&server, &run, 1, &corrected).status, 201);
    assert_eq!(mark_reviewed(&server, id).status, 200);
    let exported = || server.get("/documents/export?format=csv&review_status=REVIEWED").body;
    assert!(exported().contains("Lola"));

    assert_eq!(server.post_json(&format!("/documents/{id}/reprocess"), &json!({})).status, 201);
    env.wait_for_latest_run(id).await;
    let shown = review(&server, id);
    assert_eq!(
        (&shown["review_status"], &shown["reviewed_by"], &shown["reviewed_at"]),
        (&json!("IN_REVIEW"), &json!(null), &json!(null))
    );
    assert!(!exported().contains("Luna"), "nobody has reviewed the new value: {}", exported());
    let stale = server
        .post_json(&format!("/documents/{id}/reviewed"), &json!({ "run_id": run, "version_number": 2 }));
    assert_eq!(
        (stale.status, &stale.body["details"]["reason"]),
        (409, &json!("STALE_INTERPRETATION_VERSION"))
    );

    let filter = EventFilter { run: None, subject: Some(id.into()) };
    let events = env.store.run_reader.events(EventId(0), filter, 1000).await.unwrap();
    let reopened = events.iter().find(|one| one.event.event_type == EventType::ReviewReopened).unwrap();
    assert_eq!(reopened.event.reason.as_deref(), Some("REPROCESSED"));
    assert_eq!(
        reopened.event.run.map(|run| run.to_string()),
        shown["latest_completed_run"]["run_id"].as_str().map(str::to_owned)
    );
    let log = server.stop().stderr;
    let parts = ["REVIEW_REOPENED", "REPROCESSED", &id.to_string()];
    assert!(log.lines().any(|line| parts.iter().all(|part| line.contains(part))), "also in the log: {log}");
}
