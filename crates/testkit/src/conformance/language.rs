//! The language of a document and of its runs.

use quire_domain::{Document, DocumentId, EventType, Pipeline, Priority, SubjectId};
use quire_ports::{EventFilter, PortError};

use crate::fixture::{StoreFixture, at, document, document_run, new_run};

/// The last version of the database in which runs have no language.
const VERSION_WITHOUT: u32 = 4;

/// Proves R083 for queued, running and ended runs.
pub async fn a_run_keeps_the_language_that_was_set_when_it_was_created(fixture: &StoreFixture) {
    let document = Document { language_override: Some("es".to_owned()), ..document(DocumentId::new()) };
    let (id, subject) = (document.id, SubjectId::from(document.id));
    let first = document_run(subject);
    fixture.add_document(&document, Some(&first), at(0)).await;
    fixture.set_language(id, Some("fr"), "local", at(1)).await.unwrap();
    let accepted = fixture.store.queue.enqueue(&document_run(subject), at(2)).await.unwrap();
    assert_eq!(accepted.language.as_deref(), Some("fr"), "the returned run has it already");
    fixture.set_language(id, None, "local", at(3)).await.unwrap();
    let last = fixture.enqueue(subject, at(4)).await;

    let worker = fixture.worker(at(5)).await;
    for (run, language) in [(first.id, Some("es")), (accepted.id, Some("fr")), (last, None)] {
        fixture.set_language(id, Some("de"), "local", at(5)).await.unwrap();
        let claimed = fixture.claim_one(worker, at(5)).await.run;
        assert_eq!((claimed.id, claimed.language.as_deref()), (run, language), "the claimed run");
        fixture.complete_run(run).await;
        let stored = fixture.run(run).await;
        assert_eq!(stored.language.as_deref(), language, "the ended run");
    }
}

/// A subject may have runs of other pipelines, and it need not be a document.
pub async fn only_document_runs_get_the_language_of_a_document(fixture: &StoreFixture) {
    let document = Document { language_override: Some("es".to_owned()), ..document(DocumentId::new()) };
    fixture.add_document(&document, None, at(0)).await;
    let link = new_run(Pipeline::Link, document.id.into(), Priority::Normal);
    let without_document = document_run(SubjectId::new());
    for new in [link, without_document] {
        let accepted = fixture.store.queue.enqueue(&new, at(1)).await.unwrap();
        let stored = fixture.run(new.id).await;
        assert_eq!((accepted.language, stored.language), (None, None));
    }
    let run = document_run(document.id.into());
    let accepted = fixture.store.queue.enqueue(&run, at(2)).await.unwrap();
    let again = fixture.store.queue.enqueue(&run, at(3)).await.unwrap();
    assert_eq!(accepted, again, "enqueueing again returns the same run with its language");
}

/// Proves R083: a change only records an event of the document.
pub async fn changing_the_language_is_recorded_and_creates_no_run(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    fixture.add_document(&document, None, at(0)).await;
    fixture.set_language(document.id, Some("en"), "local", at(1)).await.unwrap();
    let stored = fixture.store.documents.find(document.id).await.unwrap();
    assert_eq!(stored, Document { language_override: Some("en".to_owned()), ..document.clone() });
    assert_eq!(fixture.count("runs").await, 0);
    let moved = "SELECT count(*) FROM documents WHERE updated_at > created_at";
    assert_eq!(fixture.sql.number(moved).await, 1);
    let filter = EventFilter { run: None, subject: Some(document.id.into()) };
    let events = fixture.events_of(filter).await;
    let recorded = &events.last().unwrap().event;
    assert_eq!(
        *recorded,
        Document::event_by(EventType::DocumentLanguageOverridden, document.id, "local", at(1))
    );

    let missing = fixture.set_language(DocumentId::new(), Some("en"), "local", at(2)).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    let after = fixture.events().await;
    assert_eq!(after.len(), events.len(), "a refused change records nothing");
}

/// Proves R083 in the database.
pub async fn the_database_refuses_to_change_the_language_of_a_run(fixture: &StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let changed = fixture.sql.execute("UPDATE runs SET language = 'xx'").await;
    assert!(changed.as_ref().is_err_and(|message| message.contains("does not change")), "{changed:?}");
}

/// Older databases have no language on runs. The migration takes it from the document.
pub async fn queued_runs_get_their_language_when_the_database_is_migrated(fixture: &StoreFixture) {
    let document = Document { language_override: Some("es".to_owned()), ..document(DocumentId::new()) };
    let run = document_run(document.id.into());
    fixture.add_document(&document, Some(&run), at(0)).await;
    fixture.store.migrations.down(VERSION_WITHOUT).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(fixture.run(run.id).await.language.as_deref(), Some("es"));
}
