//! The search index follows the state of documents at once, and forgets what they no longer say.

use quire_domain::{DocumentId, DocumentStatus, Failure, RequeuePolicy, ReviewStatus, RunChange, StepName};
use quire_ports::{DocumentCondition, DocumentProperty, FindQuery, OutdatedDocument, VocabularyQuery};
use quire_understanding::edit::EditOperation;
use quire_understanding::search::resemblance;

use super::interpretations::add_field;
use super::search::{MODEL, add_text, find, indexed_text, missing_text, query, search};
use super::writes::transition_write;
use crate::fixture::{StoreFixture, at};

async fn is_known(fixture: &StoreFixture, word: &str) -> bool {
    let query = VocabularyQuery { word: word.to_owned(), stems: Vec::new(), similar: None };
    fixture.store.search.vocabulary(&[query]).await.unwrap().remove(0).is_known
}

/// A word may be the name of a person. It leaves the vocabulary with the last text or value that has it, not only with a purge.
pub async fn words_that_left_every_document_leave_the_vocabulary(fixture: &StoreFixture) {
    let (id, run) = add_text(fixture, "es", &["Vacunas de Esternocleida", "El gato come."]).await;
    let (other, other_run) = add_text(fixture, "es", &["Gato"]).await;
    fixture.edit_active_version(run, &[add_field("owner_name", "Wenceslao")], at(9)).await;
    assert!(is_known(fixture, "wenceslao").await && is_known(fixture, "esternocleida").await);
    let base = fixture.active_version(run).await;
    let field = base.data.fields.iter().find(|field| field.key == "owner_name").unwrap();
    let remove = EditOperation::Delete { field: field.field_id };
    fixture.edit_active_version(run, &[remove], at(10)).await;
    assert!(!is_known(fixture, "wenceslao").await, "an edit removed the value");
    let again = indexed_text("es", &["Vacunas"]);
    let document = OutdatedDocument { id, run: Some(run) };
    assert!(fixture.store.search.reindex(document, Some(&again)).await.unwrap());
    assert!(!is_known(fixture, "esternocleida").await, "the document was read again");
    assert!(is_known(fixture, "vacunas").await && is_known(fixture, "luna").await);
    assert!(is_known(fixture, "gato").await, "another document has it");
    let document = OutdatedDocument { id: other, run: Some(other_run) };
    assert!(fixture.store.search.reindex(document, None).await.unwrap());
    assert!(!is_known(fixture, "gato").await);
    assert_eq!(fixture.count("documents WHERE embedding IS NOT NULL").await, 1, "its vector left as well");
}

/// Proves R070 for the search: a mark, a reopening, a failed run and a withdrawn one show in the very next search.
pub async fn search_follows_reviews_and_failed_runs(fixture: &StoreFixture) {
    let (id, _) = add_text(fixture, "es", &["otitis"]).await;
    let of = |property: DocumentProperty| FindQuery {
        conditions: vec![DocumentCondition { property, is_negated: false }],
        ..query("luna otitis")
    };
    let reviewed = of(DocumentProperty::Review(ReviewStatus::Reviewed));
    for (to, found) in [(ReviewStatus::Reviewed, 1), (ReviewStatus::InReview, 0)] {
        let mark = fixture.review_request(id, to, "ana", at(11)).await;
        fixture.store.reviews.set_review_status(&mark).await.unwrap().unwrap();
        assert_eq!(find(fixture, &reviewed).await.len(), found, "{to:?}");
        assert_eq!(search(fixture, "luna otitis").await, [id], "{to:?}");
    }
    let completed = of(DocumentProperty::Status(DocumentStatus::Completed));
    let failed = of(DocumentProperty::Status(DocumentStatus::Failed));
    let run = fixture.reprocess(id, at(12)).await;
    assert!(find(fixture, &completed).await.is_empty(), "it is being processed again");
    let worker = fixture.worker(at(13)).await;
    let claimed = fixture.claim_one(worker, at(13)).await.run;
    assert_eq!(claimed.id, run);
    let failure = Failure::permanent("NO_TEXT_LAYER", "broken");
    let fail = RunChange::Fail { step: StepName::Extraction, failure, requeue: RequeuePolicy::Never };
    fixture.write(transition_write(&claimed, fail, at(14))).await;
    assert_eq!(find(fixture, &failed).await.len(), 1, "the earlier run is still the one that is shown");
    assert_eq!(search(fixture, "luna otitis").await, [id]);
    assert!(
        fixture.store.search.outdated(&missing_text(None)).await.unwrap().is_empty(),
        "a failed run leaves nothing to index"
    );
}

/// Documents that have most of their text in common are found by it, and no longer when one of them is gone.
pub async fn documents_with_almost_the_same_text_are_found(fixture: &StoreFixture) {
    let words: Vec<String> = (0..200).map(|number| format!("palabra{number}")).collect();
    let changed = [&words[..100], &["otra".to_owned()], &words[101..]].concat();
    let (one, run) = add_text(fixture, "es", &[&words.join(" ")]).await;
    let (like, _) = add_text(fixture, "es", &[&changed.join(" ")]).await;
    let (unlike, _) = add_text(fixture, "es", &["Un texto corto que no se parece a nada"]).await;
    let mine = fixture.store.search.fingerprint(one).await.unwrap().unwrap();
    assert_eq!(mine.model.as_deref(), Some(MODEL));
    assert_eq!(mine.embedding.as_ref().map(Vec::len), Some(256));
    assert!(fixture.store.search.fingerprint(unlike).await.unwrap().unwrap().signature.is_empty());
    assert_eq!(fixture.store.search.fingerprint(DocumentId::new()).await.unwrap(), None);
    let sharing = fixture.store.search.sharing_bands(one, 10).await.unwrap();
    assert_eq!(sharing.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [like]);
    assert!(resemblance(&mine.signature, &sharing[0].1) > 0.8);
    let document = OutdatedDocument { id: one, run: Some(run) };
    let again = indexed_text("es", &["nada más"]);
    assert!(fixture.store.search.reindex(document, Some(&again)).await.unwrap());
    assert!(fixture.store.search.sharing_bands(like, 10).await.unwrap().is_empty(), "it was read again");
    fixture.store.documents.purge(like.into(), at(40)).await.unwrap();
    assert_eq!(fixture.count("search_bands").await, 0);
}
