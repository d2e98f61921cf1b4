//! Marking a document as reviewed and reopening it.

use quire_domain::{DocumentId, EventId, EventType};
use quire_ports::EventFilter;
use serde_json::json;

use crate::record::{active_data, edit, field_id, process_record, review};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R026, R032, R033, R034, R035, R038.
    marking_and_reopening_are_idempotent_and_an_edit_reopens,
}

async fn marking_and_reopening_are_idempotent_and_an_edit_reopens(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let path = format!("/documents/{id}/reviewed");
    let first = server.post_json(&path, &json!({}));
    assert_eq!((first.status, &first.body["review_status"]), (200, &json!("REVIEWED")), "{}", first.body);
    assert_eq!((&first.body["document_id"], &first.body["reviewed_by"]), (&json!(id), &json!("local")));
    let again = server.post_json(&path, &json!({}));
    assert_eq!((again.status, &again.body), (200, &first.body), "the time does not change");
    let detail = server.get_json(&format!("/documents/{id}")).body;
    assert_eq!(detail["reviewed_at"], first.body["reviewed_at"]);

    // Reprocessing does not change the review status.
    assert_eq!(server.post_json(&format!("/documents/{id}/reprocess"), &json!({})).status, 201);
    env.wait_for_latest_run(id).await;
    assert_eq!(server.get_json(&format!("/documents/{id}")).body["review_status"], "REVIEWED");

    let run = review(&server, id)["latest_completed_run"]["run_id"].as_str().map_or(run, str::to_owned);
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

    server.post_json(&path, &json!({}));
    for _ in 0..2 {
        let open = server.request_json(&format!("DELETE {path}"), "", "");
        assert_eq!(
            (open.status, &open.body["review_status"], &open.body["reviewed_at"]),
            (200, &json!("IN_REVIEW"), &json!(null))
        );
        assert_eq!(review(&server, id)["reviewed_by"], json!(null));
    }
    assert_eq!(review(&server, id)["active_interpretation"]["version_number"], 2, "the edit stays");

    let unknown = DocumentId::new();
    assert_eq!(server.post_json(&format!("/documents/{unknown}/reviewed"), &json!({})).status, 404);
    assert_eq!(server.request_json(&format!("DELETE /documents/{unknown}/reviewed"), "", "").status, 404);
    let language = server.request_json(
        &format!("PATCH /documents/{id}/language"),
        "",
        "{\"language_override\": \"es\"}",
    );
    assert_eq!(language.status, 200);

    let filter = EventFilter { run: None, subject: Some(id.into()) };
    let events = env.store.history.events(EventId(0), filter, 1000).await.unwrap();
    let by_people: Vec<_> = events
        .iter()
        .map(|recorded| recorded.event.event_type)
        .filter(|kind| {
            use EventType::{
                DocumentLanguageOverridden, DocumentUploaded, InterpretationEdited, MarkReviewed,
                ReprocessRequested, ReviewReopened,
            };
            matches!(
                kind,
                DocumentUploaded
                    | ReprocessRequested
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
            "REPROCESS_REQUESTED",
            "INTERPRETATION_EDITED",
            "REVIEW_REOPENED",
            "MARK_REVIEWED",
            "REVIEW_REOPENED",
            "DOCUMENT_LANGUAGE_OVERRIDDEN",
        ]
    );
}
