//! The language that a person asks for, and the runs that it is for.

use quire_domain::{Document, DocumentId, EventId, EventType, Pipeline, Priority, SubjectId};
use quire_ports::{EventFilter, NewDocument, PortError};

use super::claiming::complete;
use crate::fixture::{StoreFixture, at, document, document_run, new_run};

/// The last version of the schema in which runs have no language.
const VERSION_WITHOUT: u32 = 4;

/// Proves R083 for runs that wait, work and have ended.
pub async fn a_run_keeps_the_language_that_was_set_when_it_was_created(fixture: &StoreFixture) {
    let document = Document { language_override: Some("es".to_owned()), ..document(DocumentId::new()) };
    let (id, subject) = (document.id, SubjectId::from(document.id));
    let first = document_run(subject);
    fixture.store.documents.add(NewDocument::by("tester", &document, Some(&first)), at(0)).await.unwrap();
    fixture.set_language(id, Some("fr"), "local", at(1)).await.unwrap();
    let accepted = fixture.store.queue.enqueue(&document_run(subject), at(2)).await.unwrap();
    assert_eq!(accepted.language.as_deref(), Some("fr"), "the answer says it already");
    fixture.set_language(id, None, "local", at(3)).await.unwrap();
    let last = fixture.enqueue(subject, at(4)).await;

    let worker = fixture.worker(at(5)).await;
    for (run, language) in [(first.id, Some("es")), (accepted.id, Some("fr")), (last, None)] {
        fixture.set_language(id, Some("de"), "local", at(5)).await.unwrap();
        let claimed = fixture.claim_one(worker, at(5)).await.run;
        assert_eq!(
            (claimed.id, claimed.language.as_deref()),
            (run, language),
            "as it is handed to the steps"
        );
        complete(fixture, run).await;
        let stored = fixture.store.history.run(run).await.unwrap();
        assert_eq!(stored.language.as_deref(), language, "as it stays");
    }
}

/// A subject may have runs of several pipelines, and need not be a document at all.
pub async fn only_runs_of_documents_have_the_language_of_a_document(fixture: &StoreFixture) {
    let document = Document { language_override: Some("es".to_owned()), ..document(DocumentId::new()) };
    fixture.store.documents.add(NewDocument::by("tester", &document, None), at(0)).await.unwrap();
    let link = new_run(Pipeline::Link, document.id.into(), Priority::Normal);
    let elsewhere = document_run(SubjectId::new());
    for new in [link, elsewhere] {
        let accepted = fixture.store.queue.enqueue(&new, at(1)).await.unwrap();
        let stored = fixture.store.history.run(new.id).await.unwrap();
        assert_eq!((accepted.language, stored.language), (None, None));
    }
    let run = document_run(document.id.into());
    let accepted = fixture.store.queue.enqueue(&run, at(2)).await.unwrap();
    let again = fixture.store.queue.enqueue(&run, at(3)).await.unwrap();
    assert_eq!(accepted, again, "asking again answers the same run, language included");
}

/// Proves R083: a change is an event of the document and nothing more.
pub async fn changing_the_language_is_told_and_creates_no_run(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    fixture.store.documents.add(NewDocument::by("tester", &document, None), at(0)).await.unwrap();
    fixture.set_language(document.id, Some("en"), "local", at(1)).await.unwrap();
    let stored = fixture.store.documents.find(document.id).await.unwrap();
    assert_eq!(stored, Document { language_override: Some("en".to_owned()), ..document.clone() });
    assert_eq!(fixture.sql.number("SELECT count(*) FROM runs").await, 0);
    let moved = "SELECT count(*) FROM documents WHERE updated_at > created_at";
    assert_eq!(fixture.sql.number(moved).await, 1);
    let filter = EventFilter { run: None, subject: Some(document.id.into()) };
    let events = fixture.store.history.events(EventId(0), filter, 10).await.unwrap();
    let told = &events.last().unwrap().event;
    assert_eq!(*told, Document::event_by(EventType::DocumentLanguageOverridden, document.id, "local", at(1)));

    let missing = fixture.set_language(DocumentId::new(), Some("en"), "local", at(2)).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    let after = fixture.store.history.events(EventId(0), EventFilter::default(), 10).await.unwrap();
    assert_eq!(after.len(), events.len(), "what did not happen is not told");
}

/// Proves R083 in the database.
pub async fn the_database_itself_refuses_to_change_the_language_of_a_run(fixture: &StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let changed = fixture.sql.execute("UPDATE runs SET language = 'xx'").await;
    assert!(changed.as_ref().is_err_and(|said| said.contains("does not change")), "{changed:?}");
}

/// Before there was a column for it, a document's language was that of its runs.
pub async fn runs_that_wait_have_their_language_after_the_schema_is_brought_up_to_date(
    fixture: &StoreFixture,
) {
    let document = Document { language_override: Some("es".to_owned()), ..document(DocumentId::new()) };
    let run = document_run(document.id.into());
    fixture.store.documents.add(NewDocument::by("tester", &document, Some(&run)), at(0)).await.unwrap();
    fixture.store.migrations.down(VERSION_WITHOUT).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(fixture.store.history.run(run.id).await.unwrap().language.as_deref(), Some("es"));
}
