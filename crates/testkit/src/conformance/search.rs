//! Documents, found by what was understood of them.

use quire_domain::DocumentId;
use quire_understanding::search_query;

use super::reviews::{active, add, edit, finish, interpreted_document, usual};
use crate::fixture::{StoreFixture, at};

async fn found(fixture: &StoreFixture, among: &[DocumentId], words: &str) -> Vec<DocumentId> {
    fixture.store.reviews.found_by(among, &search_query(words)).await.unwrap()
}

/// Proves R063 for values: the words come with each version, go with it, and hold no patterns.
pub async fn a_document_is_found_by_what_its_active_version_says(fixture: &StoreFixture) {
    let (first, run, _) = interpreted_document(fixture).await;
    let (second, _, _) = interpreted_document(fixture).await;
    let both = [second, DocumentId::new(), first];
    assert_eq!(
        found(fixture, &both, "LUNA").await,
        [second, first],
        "in the order in which they were asked for"
    );
    assert!(found(fixture, &both, "siamés").await.is_empty());
    for pattern in ["%", "L_na", "*"] {
        assert!(found(fixture, &both, pattern).await.is_empty(), "{pattern}");
    }
    let base = active(fixture, run).await;
    let edited = edit(run, &base, &[add("breed", "Siamés")], 9);
    fixture.store.reviews.save(&edited).await.unwrap().unwrap();
    assert_eq!(found(fixture, &both, "siames").await, [first]);
    assert_eq!(found(fixture, &both, "\u{1f43e} \"X\"").await, [second, first]);
    assert!(found(fixture, &[], "luna").await.is_empty());
    fixture.store.documents.purge(first.into(), at(20)).await.unwrap();
    assert!(found(fixture, &both, "siames").await.is_empty());
    assert_eq!(fixture.sql.number("SELECT count(*) FROM run_words").await, 1);
}

/// Proves R070 for the search: it finds what the review shows.
pub async fn only_the_latest_run_that_completed_is_looked_at(fixture: &StoreFixture) {
    let (document, first, _) = interpreted_document(fixture).await;
    let second = fixture.enqueue(document.into(), at(5)).await;
    assert_eq!(found(fixture, &[document], "luna").await, [document], "while another waits");
    finish(fixture, second, Some(usual())).await;
    let base = active(fixture, first).await;
    fixture.store.reviews.save(&edit(first, &base, &[add("breed", "galgo")], 9)).await.unwrap().unwrap();
    assert!(found(fixture, &[document], "galgo").await.is_empty(), "an older run was edited");
    let third = fixture.enqueue(document.into(), at(10)).await;
    finish(fixture, third, None).await;
    assert!(found(fixture, &[document], "luna").await.is_empty(), "the newest has understood nothing");
}
