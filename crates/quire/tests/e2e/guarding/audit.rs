//! Who looked at what is in the history, though nobody waits for it.

use quire_domain::{DocumentId, Event, EventType};

use super::{ask, upload};
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    every_look_at_a_document_is_remembered_with_whoever_looked,
    what_was_seen_just_before_the_end_is_remembered,
}

impl Scene {
    /// Every look that is in the history, oldest first.
    async fn looks(&self) -> Vec<Event> {
        let names = ["VIEW", "ACCESS"];
        let is_look = |kind: EventType| names.iter().any(|name| kind.as_str().contains(name));
        self.events().await.into_iter().filter(|event| is_look(event.event_type)).collect()
    }
}

async fn every_look_at_a_document_is_remembered_with_whoever_looked(scene: &Scene) {
    let (operator, reader) = (scene.key("operator", "operate"), scene.key("alma", "read"));
    let server = scene.quire.serve();
    let id = upload(&server, &operator).document();
    let run = scene.ended(id).await.id;
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
    ] {
        assert_eq!(ask(&server, &format!("GET {path}"), &reader).status, status, "{path}");
        assert_eq!(ask(&server, &format!("GET {path}"), "").status, 401, "who is not let in sees nothing");
    }
    wait_until(async || scene.looks().await.len() >= 8).await;
    let looks = scene.looks().await;
    let (subject, nobodys) = (Some(id.into()), Some(unknown.into()));
    let expected = [
        (EventType::DocumentListViewed, None, None),
        (EventType::DocumentListViewFailed, None, Some("INVALID_REQUEST")),
        (EventType::DocumentMetadataViewed, subject, None),
        (EventType::DocumentProcessingHistoryViewed, subject, None),
        (EventType::DocumentOriginalAccessed, subject, None),
        (EventType::DocumentOriginalAccessFailed, nobodys, Some("NOT_FOUND")),
        (EventType::RawTextAccessed, subject, None),
        (EventType::RawTextAccessFailed, None, Some("NOT_FOUND")),
    ];
    let told: Vec<_> =
        looks.iter().map(|event| (event.event_type, event.subject, event.error_code())).collect();
    assert_eq!(told, expected);
    assert!(looks.iter().all(|event| event.actor.as_deref() == Some("alma")), "{looks:?}");
    assert_eq!(looks[6].run, Some(run));
}

async fn what_was_seen_just_before_the_end_is_remembered(scene: &Scene) {
    let server = scene.quire.serve();
    for _ in 0..20 {
        assert_eq!(ask(&server, "GET /documents", "").status, 200);
    }
    assert_eq!(server.stop().status.code(), Some(0));
    let looks = scene.looks().await;
    assert_eq!(looks.len(), 20);
    assert!(looks.iter().all(|event| event.actor.as_deref() == Some("local")), "nobody was asked");
}
