//! Every access to a document is recorded in the history.

use quire_domain::{DocumentId, Event, EventType};

use super::upload;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    every_access_to_a_document_is_recorded_with_its_actor,
    accesses_just_before_a_shutdown_are_recorded,
}

/// All recorded accesses, oldest first.
pub(super) async fn accesses(env: &TestEnv) -> Vec<Event> {
    let names = ["VIEW", "ACCESS"];
    let is_access = |kind: EventType| names.iter().any(|name| kind.as_str().contains(name));
    env.events().await.into_iter().filter(|event| is_access(event.event_type)).collect()
}

async fn every_access_to_a_document_is_recorded_with_its_actor(env: &TestEnv) {
    let (operator, reader) = (env.create_key("operator", "operate"), env.create_key("alma", "read"));
    let server = env.cli.serve();
    let id = upload(&server, &operator).document_id();
    let run = env.wait_for_latest_run(id).await.id;
    let unknown = DocumentId::new();
    let document = format!("/documents/{id}");
    for (path, status) in [
        ("/documents".to_owned(), 200),
        ("/documents?limit=0".to_owned(), 400),
        (document.clone(), 200),
        (format!("{document}/processing-history"), 200),
        (format!("{document}/download"), 200),
        (format!("/documents/{unknown}/download"), 404),
        (format!("/runs/{run}/artifacts/raw-text"), 200),
        (format!("/runs/{unknown}/artifacts/raw-text"), 404),
        ("/search?q=luna".to_owned(), 200),
        (format!("{document}/hits?q=luna"), 200),
    ] {
        assert_eq!(server.request(&format!("GET {path}"), &reader).status, status, "{path}");
        assert_eq!(server.request(&format!("GET {path}"), "").status, 401, "without a key");
    }
    wait_until(async || accesses(env).await.len() >= 10).await;
    let accesses = accesses(env).await;
    let (subject, unknown_subject) = (Some(id.into()), Some(unknown.into()));
    let expected = [
        (EventType::DocumentListViewed, None, None),
        (EventType::DocumentListViewFailed, None, Some("INVALID_REQUEST")),
        (EventType::DocumentMetadataViewed, subject, None),
        (EventType::DocumentProcessingHistoryViewed, subject, None),
        (EventType::DocumentOriginalAccessed, subject, None),
        (EventType::DocumentOriginalAccessFailed, unknown_subject, Some("NOT_FOUND")),
        (EventType::RawTextAccessed, subject, None),
        (EventType::RawTextAccessFailed, None, Some("NOT_FOUND")),
        (EventType::DocumentListViewed, None, None),
        (EventType::RawTextAccessed, subject, None),
    ];
    let recorded: Vec<_> =
        accesses.iter().map(|event| (event.event_type, event.subject, event.error_code())).collect();
    assert_eq!(recorded, expected);
    assert!(accesses.iter().all(|event| event.actor.as_deref() == Some("alma")), "{accesses:?}");
    assert_eq!(accesses[6].run, Some(run));
}

async fn accesses_just_before_a_shutdown_are_recorded(env: &TestEnv) {
    let server = env.cli.serve();
    for _ in 0..20 {
        assert_eq!(server.request("GET /documents", "").status, 200);
    }
    assert_eq!(server.stop().status.code(), Some(0));
    let accesses = accesses(env).await;
    assert_eq!(accesses.len(), 20);
    assert!(accesses.iter().all(|event| event.actor.as_deref() == Some("local")), "without authentication");
}
