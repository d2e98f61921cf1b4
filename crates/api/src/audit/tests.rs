use quire_domain::{DocumentId, EventId};
use quire_ports::EventFilter;
use quire_sqlite::testing::bed;

use super::*;

fn alma() -> Caller {
    Caller("alma".to_owned())
}

#[tokio::test]
async fn what_was_told_is_in_the_history_when_the_writer_has_finished() {
    let bed = bed().await;
    let (audit, writer) = Audit::start(bed.store.clone());
    let subject = SubjectId::from(DocumentId::new());
    for _ in 0..600 {
        audit.tell(alma(), EventType::DocumentMetadataViewed, Some(subject), None);
    }
    writer.finish().await;
    let filter = EventFilter { run: None, subject: Some(subject) };
    let events = bed.store.history.events(EventId(0), filter, 1000).await.unwrap();
    assert_eq!(events.len(), 600);
    assert!(events.iter().all(|recorded| recorded.event.actor.as_deref() == Some("alma")));
    audit.tell(alma(), EventType::DocumentListViewed, None, None);
    assert_eq!(audit.lost.load(Ordering::Relaxed), 1, "nobody writes any more, and nobody waits");
}

#[tokio::test]
async fn what_there_is_no_room_for_is_counted_and_nobody_waits() {
    let bed = bed().await;
    let (waiting, _received) = mpsc::channel(2);
    let audit = Audit { waiting, lost: Arc::default(), clock: bed.store.clock.clone() };
    for _ in 0..5 {
        audit.tell(alma(), EventType::DocumentListViewed, None, None);
    }
    assert_eq!(audit.lost.load(Ordering::Relaxed), 3);
}

#[test]
fn a_path_names_a_document_or_a_run() {
    let id = Uuid::now_v7();
    assert_eq!(whose(&format!("/documents/{id}/download")), (Some(SubjectId(id)), None));
    assert_eq!(whose(&format!("/runs/{id}/artifacts/raw-text")), (None, Some(RunId(id))));
    for nobodys in ["/documents", "/documents/export", "/documents/x", "/", ""] {
        assert_eq!(whose(nobodys), (None, None), "{nobodys}");
    }
}
