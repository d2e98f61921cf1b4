//! Documents, found by what was understood of them.

use quire_domain::DocumentId;
use quire_understanding::search_query;

use super::reviews::{active, add, edit, finish, understood_document, usual};
use crate::fixture::{Bed, at};

async fn found(bed: &Bed, among: &[DocumentId], words: &str) -> Vec<DocumentId> {
    bed.store.reviews.found_by(among, &search_query(words)).await.unwrap()
}

/// Proves R063 for values: the words come with each version, go with it, and hold no patterns.
pub async fn a_document_is_found_by_what_its_active_version_says(bed: &Bed) {
    let (first, run, _) = understood_document(bed).await;
    let (second, _, _) = understood_document(bed).await;
    let both = [second, DocumentId::new(), first];
    assert_eq!(found(bed, &both, "LUNA").await, [second, first], "in the order in which they were asked for");
    assert!(found(bed, &both, "siamés").await.is_empty());
    for pattern in ["%", "L_na", "*"] {
        assert!(found(bed, &both, pattern).await.is_empty(), "{pattern}");
    }
    let base = active(bed, run).await;
    let edited = edit(run, &base, &[add("breed", "Siamés")], 9);
    bed.store.reviews.save(&edited).await.unwrap().unwrap();
    assert_eq!(found(bed, &both, "siames").await, [first]);
    assert_eq!(found(bed, &both, "\u{1f43e} \"X\"").await, [second, first]);
    assert!(found(bed, &[], "luna").await.is_empty());
    bed.store.documents.purge(first.into(), at(20)).await.unwrap();
    assert!(found(bed, &both, "siames").await.is_empty());
    assert_eq!(bed.sql.number("SELECT count(*) FROM run_search_text").await, 1);
}

/// Proves R070 for the search: it finds what the review shows.
pub async fn only_the_latest_run_that_completed_is_looked_at(bed: &Bed) {
    let (document, first, _) = understood_document(bed).await;
    let second = bed.enqueue(document.into(), at(5)).await;
    assert_eq!(found(bed, &[document], "luna").await, [document], "while another waits");
    finish(bed, second, Some(usual())).await;
    let base = active(bed, first).await;
    bed.store.reviews.save(&edit(first, &base, &[add("breed", "galgo")], 9)).await.unwrap().unwrap();
    assert!(found(bed, &[document], "galgo").await.is_empty(), "an older run was edited");
    let third = bed.enqueue(document.into(), at(10)).await;
    finish(bed, third, None).await;
    assert!(found(bed, &[document], "luna").await.is_empty(), "the newest has understood nothing");
}
