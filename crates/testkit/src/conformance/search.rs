//! Search for documents by the values of their interpretations.

use quire_domain::DocumentId;
use quire_understanding::search_query;

use super::interpretations::{add_field, default_fields, edit};
use crate::fixture::{StoreFixture, at};

async fn search(fixture: &StoreFixture, among: &[DocumentId], words: &str) -> Vec<DocumentId> {
    fixture.store.reviews.search(among, &search_query(words)).await.unwrap()
}

/// Proves R063 for values: the words change with each version, and a query is not a pattern.
pub async fn a_document_is_found_by_the_values_of_its_active_version(fixture: &StoreFixture) {
    let (first, run, _) = fixture.interpreted_document().await;
    let (second, _, _) = fixture.interpreted_document().await;
    let both = [second, DocumentId::new(), first];
    assert_eq!(search(fixture, &both, "LUNA").await, [second, first], "in the order of the given documents");
    assert!(search(fixture, &both, "siamés").await.is_empty());
    for pattern in ["%", "L_na", "*"] {
        assert!(search(fixture, &both, pattern).await.is_empty(), "{pattern}");
    }
    let base = fixture.active_version(run).await;
    let edited = edit(&base, &[add_field("breed", "Siamés")], at(9));
    fixture.store.reviews.save(&edited).await.unwrap().unwrap();
    assert_eq!(search(fixture, &both, "siames").await, [first]);
    assert_eq!(search(fixture, &both, "\u{1f43e} \"X\"").await, [second, first]);
    assert!(search(fixture, &[], "luna").await.is_empty());
    fixture.store.documents.purge(first.into(), at(20)).await.unwrap();
    assert!(search(fixture, &both, "siames").await.is_empty());
    assert_eq!(fixture.count("run_search_text").await, 1);
}

/// Proves R070 for the search: it finds the values that the review shows.
pub async fn only_the_latest_completed_run_is_searched(fixture: &StoreFixture) {
    let (document, first, _) = fixture.interpreted_document().await;
    let second = fixture.enqueue(document.into(), at(5)).await;
    assert_eq!(search(fixture, &[document], "luna").await, [document], "while another run is queued");
    fixture.complete_next_run(second, Some(default_fields()), 0).await;
    fixture.edit_active_version(first, &[add_field("breed", "galgo")], at(9)).await;
    assert!(search(fixture, &[document], "galgo").await.is_empty(), "an older run was edited");
    let third = fixture.enqueue(document.into(), at(10)).await;
    fixture.complete_next_run(third, None, 0).await;
    assert!(search(fixture, &[document], "luna").await.is_empty(), "the newest run has no interpretation");
}
