//! Repeated uploads: idempotency keys and documents with the same content.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, EventType, SchemaRef};
use quire_ports::{AddOutcome, IdempotencyKey, NewDocument, PortError};
use quire_understanding::Schema;

use crate::fixture::{StoreFixture, at, document, document_run};

/// Uploads a new document with a run under this key. If the store adds nothing, neither exists afterwards.
async fn upload(fixture: &StoreFixture, key: &IdempotencyKey, when: Timestamp) -> (DocumentId, AddOutcome) {
    let document = Document { created_at: when, ..document(DocumentId::new()) };
    let run = document_run(document.id.into());
    let new = NewDocument {
        idempotency_key: Some(key.clone()),
        ..NewDocument::uploaded_by("ana", &document, Some(&run))
    };
    let outcome = fixture.store.documents.add(new, when).await.unwrap();
    if !is_added(&outcome) {
        let missing = fixture.store.documents.find(document.id).await;
        assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
        assert!(fixture.store.run_reader.run(run.id).await.is_err());
    }
    (document.id, outcome)
}

fn is_added(outcome: &AddOutcome) -> bool {
    matches!(outcome, AddOutcome::Added { .. })
}

fn key(name: &str) -> IdempotencyKey {
    IdempotencyKey {
        owner: "ana".to_owned(),
        key: name.to_owned(),
        position: 0,
        fingerprint: [1; 32],
        expired_before: at(0),
    }
}

async fn documents(fixture: &StoreFixture) -> i64 {
    fixture.count("documents").await
}

/// Proves R026 and R038 for uploads in the store.
pub async fn an_upload_repeated_with_its_idempotency_key_is_added_once(fixture: &StoreFixture) {
    let (first, outcome) = upload(fixture, &key("k"), at(1)).await;
    assert!(is_added(&outcome), "{outcome:?}");
    let events = fixture.events().await;
    let recorded: Vec<_> =
        events.iter().map(|one| (one.event.event_type, one.event.actor.as_deref())).collect();
    assert_eq!(recorded, [(EventType::DocumentUploaded, Some("ana")), (EventType::RunCreated, None)]);
    let run = fixture.store.documents.overview(first).await.unwrap().latest_run.map(|run| run.id);
    for second in [2, 3] {
        assert_eq!(
            upload(fixture, &key("k"), at(second)).await.1,
            AddOutcome::AlreadyAdded { document: first, run }
        );
    }
    assert_eq!(documents(fixture).await, 1);
    assert_eq!(fixture.count("runs").await, 1);
    assert_eq!(fixture.count("events").await, 2, "a repetition records nothing");

    let other = IdempotencyKey { fingerprint: [2; 32], ..key("k") };
    assert_eq!(upload(fixture, &other, at(4)).await.1, AddOutcome::KeyReused);
    assert_eq!(documents(fixture).await, 1);
    for other in [
        IdempotencyKey { owner: "eva".to_owned(), ..key("k") },
        IdempotencyKey { position: 1, ..key("k") },
        key("K"),
    ] {
        assert!(is_added(&upload(fixture, &other, at(5)).await.1), "{other:?}");
    }
}

/// Proves R026 for uploads that are repeated before the first one has an answer.
pub async fn concurrent_uploads_with_the_same_key_add_one_document(fixture: &StoreFixture) {
    let uploads: Vec<_> = (0..12)
        .map(|_| {
            let documents = fixture.store.documents.clone();
            tokio::spawn(async move {
                let document = document(DocumentId::new());
                let run = document_run(document.id.into());
                let key = key("k");
                let new = NewDocument {
                    idempotency_key: Some(key),
                    ..NewDocument::uploaded_by("ana", &document, Some(&run))
                };
                (document.id, documents.add(new, at(1)).await.unwrap())
            })
        })
        .collect();
    let (mut added, mut repeated) = (Vec::new(), Vec::new());
    for one in uploads {
        match one.await.unwrap() {
            (id, AddOutcome::Added { .. }) => added.push(id),
            (_, AddOutcome::AlreadyAdded { document, .. }) => repeated.push(document),
            (_, AddOutcome::KeyReused) => panic!("the request is the same"),
        }
    }
    assert_eq!((added.len(), documents(fixture).await), (1, 1));
    assert!(repeated.len() == 11 && repeated.iter().all(|id| *id == added[0]));
}

/// Adding a document returns its run as stored: bound to the schema version and the language of its document.
pub async fn an_added_document_returns_its_run_as_stored(fixture: &StoreFixture) {
    fixture.store.governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    let schema = Schema::built_in_default().name;
    for idempotency_key in [None, Some(key("k"))] {
        let document = Document {
            schema: schema.clone(),
            language_override: Some("es".to_owned()),
            ..document(DocumentId::new())
        };
        let run = document_run(document.id.into());
        let new = NewDocument { idempotency_key, ..NewDocument::uploaded_by("ana", &document, Some(&run)) };
        let outcome = fixture.store.documents.add(new, at(1)).await.unwrap();
        let AddOutcome::Added { run: Some(returned) } = outcome else { panic!("{outcome:?}") };
        assert_eq!(returned, fixture.store.run_reader.run(run.id).await.unwrap());
        assert_eq!(returned.schema, Some(SchemaRef { name: schema.clone(), version: 1 }));
        assert_eq!(returned.language.as_deref(), Some("es"));
        assert_eq!(returned.clone().as_created(), returned);
    }
}

/// Adding a document deletes expired keys, so that their number stays bounded.
pub async fn an_expired_idempotency_key_can_be_used_again(fixture: &StoreFixture) {
    for number in 0..5 {
        upload(fixture, &key(&number.to_string()), at(1)).await;
    }
    let later = IdempotencyKey { fingerprint: [2; 32], expired_before: at(2), ..key("0") };
    assert!(is_added(&upload(fixture, &later, at(3)).await.1));
    assert_eq!(fixture.count("idempotency_keys").await, 1);
    assert!(matches!(upload(fixture, &later, at(4)).await.1, AddOutcome::AlreadyAdded { .. }));
}

/// A key never leads to a document that no longer exists.
pub async fn purging_a_document_deletes_its_idempotency_key(fixture: &StoreFixture) {
    let (purged, _) = upload(fixture, &key("k"), at(1)).await;
    fixture.store.documents.purge(purged.into(), at(2)).await.unwrap();
    assert!(is_added(&upload(fixture, &key("k"), at(3)).await.1));
}

/// Proves R061 in the store: newest first, without the document itself.
pub async fn documents_with_the_same_content_are_listed_as_duplicates(fixture: &StoreFixture) {
    let mut same = Vec::new();
    for (second, byte) in [(1, 7), (2, 8), (3, 7), (4, 7)] {
        let new =
            Document { created_at: at(second), content_hash: [byte; 32], ..document(DocumentId::new()) };
        fixture.store.documents.add(NewDocument::uploaded_by("ana", &new, None), at(second)).await.unwrap();
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

/// Proves R028: the database has no column for the processing status of a document.
pub async fn no_column_of_documents_stores_a_processing_status(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    let run = document_run(document.id.into());
    fixture.store.documents.add(NewDocument::uploaded_by("ana", &document, Some(&run)), at(0)).await.unwrap();
    // SQLite and PostgreSQL list the columns of a table in different ways.
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
    // The progress of a run does not change the row of its document.
    let before = fixture.store.documents.find(document.id).await.unwrap();
    let stamp = "SELECT count(*) FROM documents WHERE updated_at = created_at";
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    fixture.complete_run(run.id).await;
    assert_eq!(fixture.store.documents.find(document.id).await.unwrap(), before);
    assert_eq!(fixture.sql.number(stamp).await, 1);
}
