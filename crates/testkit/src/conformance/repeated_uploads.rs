//! The same document twice: wanted, or by mistake.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, EventId, EventType, SchemaRef};
use quire_ports::{AddOutcome, EventFilter, IdempotencyKey, NewDocument, PortError};
use quire_understanding::Schema;

use crate::fixture::{StoreFixture, at, document, document_run};

/// What was done with a new document and its run, under this key.
async fn bring(fixture: &StoreFixture, key: &IdempotencyKey, when: Timestamp) -> (DocumentId, AddOutcome) {
    let document = Document { created_at: when, ..document(DocumentId::new()) };
    let run = document_run(document.id.into());
    let intake =
        NewDocument { idempotency_key: Some(key.clone()), ..NewDocument::by("ana", &document, Some(&run)) };
    let taken = fixture.store.documents.add(intake, when).await.unwrap();
    if !is_added(&taken) {
        let missing = fixture.store.documents.find(document.id).await;
        assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
        assert!(fixture.store.history.run(run.id).await.is_err());
    }
    (document.id, taken)
}

fn is_added(outcome: &AddOutcome) -> bool {
    matches!(outcome, AddOutcome::Added { .. })
}

fn key(name: &str) -> IdempotencyKey {
    IdempotencyKey {
        scope: "ana".to_owned(),
        key: name.to_owned(),
        place: 0,
        fingerprint: [1; 32],
        kept_since: at(0),
    }
}

async fn documents(fixture: &StoreFixture) -> i64 {
    fixture.sql.number("SELECT count(*) FROM documents").await
}

/// Proves R026 and R038 for uploads in the store.
pub async fn a_wish_that_is_repeated_under_its_key_is_fulfilled_once(fixture: &StoreFixture) {
    let (first, taken) = bring(fixture, &key("k"), at(1)).await;
    assert!(is_added(&taken), "{taken:?}");
    let events = fixture.store.history.events(EventId(0), EventFilter::default(), 10).await.unwrap();
    let told: Vec<_> =
        events.iter().map(|told| (told.event.event_type, told.event.actor.as_deref())).collect();
    assert_eq!(told, [(EventType::DocumentUploaded, Some("ana")), (EventType::RunCreated, None)]);
    let run = fixture.store.documents.overview(first).await.unwrap().latest_run.map(|run| run.id);
    for second in [2, 3] {
        assert_eq!(
            bring(fixture, &key("k"), at(second)).await.1,
            AddOutcome::AlreadyAdded { document: first, run }
        );
    }
    assert_eq!(documents(fixture).await, 1);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM runs").await, 1);
    assert_eq!(
        fixture.sql.number("SELECT count(*) FROM events").await,
        2,
        "nothing happened, nothing is told"
    );

    let other = IdempotencyKey { fingerprint: [2; 32], ..key("k") };
    assert_eq!(bring(fixture, &other, at(4)).await.1, AddOutcome::KeyReused);
    assert_eq!(documents(fixture).await, 1);
    for apart in [
        IdempotencyKey { scope: "eva".to_owned(), ..key("k") },
        IdempotencyKey { place: 1, ..key("k") },
        key("K"),
    ] {
        assert!(is_added(&bring(fixture, &apart, at(5)).await.1), "{apart:?}");
    }
}

/// Adding a document answers its run as it is stored: bound to the schema version and the language of its document.
pub async fn an_added_document_answers_its_run_as_it_is_stored(fixture: &StoreFixture) {
    fixture.store.governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    let schema = Schema::built_in_default().name;
    for idempotency_key in [None, Some(key("k"))] {
        let document = Document {
            schema: schema.clone(),
            language_override: Some("es".to_owned()),
            ..document(DocumentId::new())
        };
        let run = document_run(document.id.into());
        let new = NewDocument { idempotency_key, ..NewDocument::by("ana", &document, Some(&run)) };
        let outcome = fixture.store.documents.add(new, at(1)).await.unwrap();
        let AddOutcome::Added { run: Some(answered) } = outcome else { panic!("{outcome:?}") };
        assert_eq!(answered, fixture.store.history.run(run.id).await.unwrap());
        assert_eq!(answered.schema, Some(SchemaRef { name: schema.clone(), version: 1 }));
        assert_eq!(answered.language.as_deref(), Some("es"));
        assert_eq!(answered.clone().as_created(), answered);
    }
}

/// Proves R026 for uploads that are repeated before the first one is answered.
pub async fn of_many_under_the_same_key_at_the_same_time_one_is_taken_in(fixture: &StoreFixture) {
    let tries: Vec<_> = (0..12)
        .map(|_| {
            let documents = fixture.store.documents.clone();
            tokio::spawn(async move {
                let document = document(DocumentId::new());
                let run = document_run(document.id.into());
                let key = key("k");
                let by_ana = NewDocument::by("ana", &document, Some(&run));
                let intake = NewDocument { idempotency_key: Some(key), ..by_ana };
                (document.id, documents.add(intake, at(1)).await.unwrap())
            })
        })
        .collect();
    let (mut taken, mut repeated) = (Vec::new(), Vec::new());
    for one in tries {
        match one.await.unwrap() {
            (id, AddOutcome::Added { .. }) => taken.push(id),
            (_, AddOutcome::AlreadyAdded { document, .. }) => repeated.push(document),
            (_, AddOutcome::KeyReused) => panic!("it is the same wish"),
        }
    }
    assert_eq!((taken.len(), documents(fixture).await), (1, 1));
    assert!(repeated.len() == 11 && repeated.iter().all(|id| *id == taken[0]));
}

/// Keys are kept for a while, and there are never many more than were used in it.
pub async fn a_key_that_has_had_its_time_is_as_good_as_new_and_goes(fixture: &StoreFixture) {
    for number in 0..5 {
        bring(fixture, &key(&number.to_string()), at(1)).await;
    }
    let later = IdempotencyKey { fingerprint: [2; 32], kept_since: at(2), ..key("0") };
    assert!(is_added(&bring(fixture, &later, at(3)).await.1));
    assert_eq!(fixture.sql.number("SELECT count(*) FROM idempotency_keys").await, 1);
    assert!(matches!(bring(fixture, &later, at(4)).await.1, AddOutcome::AlreadyAdded { .. }));
}

/// Nothing answers with what is no longer there.
pub async fn a_document_that_is_purged_takes_its_key_with_it(fixture: &StoreFixture) {
    let (gone, _) = bring(fixture, &key("k"), at(1)).await;
    fixture.store.documents.purge(gone.into(), at(2)).await.unwrap();
    assert!(is_added(&bring(fixture, &key("k"), at(3)).await.1));
}

/// Proves R061 in the store: newest first, and no other.
pub async fn documents_with_the_same_content_name_each_other(fixture: &StoreFixture) {
    let mut same = Vec::new();
    for (second, byte) in [(1, 7), (2, 8), (3, 7), (4, 7)] {
        let new =
            Document { created_at: at(second), content_hash: [byte; 32], ..document(DocumentId::new()) };
        fixture.store.documents.add(NewDocument::by("ana", &new, None), at(second)).await.unwrap();
        if byte == 7 {
            same.insert(0, new);
        } else {
            assert_eq!(fixture.store.documents.duplicates(&new, 10).await.unwrap(), []);
        }
    }
    for document in &same {
        let others: Vec<_> = same.iter().map(|other| other.id).filter(|id| *id != document.id).collect();
        assert_eq!(fixture.store.documents.duplicates(document, 10).await.unwrap(), others);
        assert_eq!(fixture.store.documents.duplicates(document, 1).await.unwrap(), others[..1]);
    }
}

/// Proves R028: asks the database itself for every column that has to do with a status of documents.
pub async fn no_column_of_a_document_holds_where_its_processing_stands(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    let run = document_run(document.id.into());
    fixture.store.documents.add(NewDocument::by("ana", &document, Some(&run)), at(0)).await.unwrap();
    // Each database says in its own way which columns a table has.
    let (columns, name) = if fixture.sql.execute("SELECT 1 FROM pragma_table_info('documents')").await.is_ok()
    {
        ("pragma_table_info('documents')", "name")
    } else {
        let columns = "(SELECT column_name FROM information_schema.columns \
                        WHERE table_name = 'documents' AND table_schema = current_schema()) AS columns";
        (columns, "column_name")
    };
    let all = fixture.sql.number(&format!("SELECT count(*) FROM {columns}")).await;
    assert!(all > 10, "the columns are found: {all}");
    let suspicious = format!(
        "SELECT count(*) FROM {columns} WHERE {name} <> 'review_status' AND ({name} LIKE '%status%' \
         OR {name} LIKE '%state%' OR {name} LIKE '%process%' OR {name} LIKE '%latest%' OR {name} LIKE '%fail%')"
    );
    assert_eq!(fixture.sql.number(&suspicious).await, 0);
    // However far the run comes, the row of its document stays as it is.
    let before = fixture.store.documents.find(document.id).await.unwrap();
    let stamp = "SELECT count(*) FROM documents WHERE updated_at = created_at";
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    super::claiming::complete(fixture, run.id).await;
    assert_eq!(fixture.store.documents.find(document.id).await.unwrap(), before);
    assert_eq!(fixture.sql.number(stamp).await, 1);
}
