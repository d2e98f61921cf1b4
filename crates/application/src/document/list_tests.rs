//! Lists of a few documents, with a scan limit of ten.

use std::sync::Arc;

use jiff::SignedDuration;
use quire_domain::{Document, DocumentId};
use quire_ports::NewDocument;
use quire_testkit::FakeClock;
use quire_testkit::fixture::{StoreFixture, at, document};

use super::filter::list_by_ids;
use super::*;

/// This many documents, the newest with the name `last`; every third has a queued run.
async fn fixture_with(count: i64) -> StoreFixture {
    let fixture = quire_sqlite::testing::store_fixture().await;
    for number in 0..count {
        let original_filename =
            if number + 1 == count { "LAST.pdf".to_owned() } else { format!("{number}.pdf") };
        let document = Document { created_at: at(number), original_filename, ..document(DocumentId::new()) };
        fixture
            .store
            .documents
            .add(NewDocument::uploaded_by("tester", &document, None), at(number))
            .await
            .unwrap();
        if number % 3 == 0 {
            fixture.enqueue(document.id.into(), at(number)).await;
        }
    }
    fixture
}

fn names(list: &DocumentList) -> Vec<&str> {
    list.items.iter().map(|item| item.overview.document.original_filename.as_str()).collect()
}

/// All pages of a list; each continues at the cursor of the page before.
async fn follow(fixture: &StoreFixture, mut request: ListRequest) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let part = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap();
        assert_eq!(part.total.is_some(), request.after.is_none());
        all.extend(names(&part).into_iter().map(str::to_owned));
        let Some(next) = part.next else { return all };
        request = ListRequest { after: Some(next), offset: 0, ..request };
    }
}

/// Proves R063: the count is exact up to the limit, and then a lower bound.
#[tokio::test]
async fn the_total_is_exact_up_to_a_bound() {
    for (documents, expected) in [
        (0, DocumentCount { count: 0, is_lower_bound: false }),
        (10, DocumentCount { count: 10, is_lower_bound: false }),
        (11, DocumentCount { count: 10, is_lower_bound: true }),
    ] {
        let fixture = fixture_with(documents).await;
        let request = ListRequest { limit: 3, ..ListRequest::default() };
        let part = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap();
        assert_eq!(part.total, Some(expected));
        assert_eq!(part.next.is_some(), documents > 3);
    }
}

/// Proves R063: consecutive pages are the whole list, newest first.
#[tokio::test]
async fn pages_follow_one_another_without_gap_or_repetition() {
    let fixture = fixture_with(8).await;
    for limit in [1, 3, 8, 9] {
        let all = follow(&fixture, ListRequest { limit, ..ListRequest::default() }).await;
        assert_eq!(all, ["LAST.pdf", "6.pdf", "5.pdf", "4.pdf", "3.pdf", "2.pdf", "1.pdf", "0.pdf"]);
    }
    let passed_over = ListRequest { limit: 2, offset: 6, ..ListRequest::default() };
    assert_eq!(
        names(&list_page(&fixture.store, &CountCache::default(), &passed_over).await.unwrap()),
        ["1.pdf", "0.pdf"]
    );
}

#[tokio::test]
async fn a_filter_finds_by_status_and_by_name_whether_in_capitals_or_not() {
    let fixture = fixture_with(9).await;
    let processing =
        ListRequest { limit: 2, status: Some(DocumentStatus::Processing), ..ListRequest::default() };
    let part = list_page(&fixture.store, &CountCache::default(), &processing).await.unwrap();
    assert_eq!(names(&part), ["6.pdf", "3.pdf"]);
    assert_eq!(part.total, Some(DocumentCount { count: 3, is_lower_bound: false }));
    assert!(!part.is_cut_short);
    assert_eq!(follow(&fixture, processing.clone()).await, ["6.pdf", "3.pdf", "0.pdf"]);
    assert_eq!(follow(&fixture, ListRequest { limit: 1, ..processing.clone() }).await.len(), 3);
    let second = ListRequest { offset: 2, ..processing };
    assert_eq!(names(&list_page(&fixture.store, &CountCache::default(), &second).await.unwrap()), ["0.pdf"]);
    for name in ["last", "LAST", "las", "last.P", "\"last pdf\"", "last -7"] {
        let request = ListRequest { limit: 5, words: Some(name.to_owned()), ..ListRequest::default() };
        assert_eq!(
            names(&list_page(&fixture.store, &CountCache::default(), &request).await.unwrap()),
            ["LAST.pdf"],
            "{name}"
        );
    }
}

/// Proves R063 for values, and that a filtered set equals the filtered list.
#[tokio::test]
async fn a_document_is_found_by_what_was_understood_of_it() {
    let fixture = fixture_with(0).await;
    let found = |words: &'static str| {
        let fixture = &fixture;
        async move {
            let request = ListRequest { limit: 5, words: Some(words.to_owned()), ..ListRequest::default() };
            let listed = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap();
            let ids: Vec<_> = follow_ids(fixture).await;
            let some = list_by_ids(&fixture.store, &ids, &request).await.unwrap();
            assert_eq!(listed.items, some);
            assert_eq!(
                listed.total,
                Some(DocumentCount { count: u32::try_from(some.len()).unwrap(), is_lower_bound: false })
            );
            listed.items.len()
        }
    };
    assert_eq!(found("luna").await, 0);
    fixture.interpreted_document().await;
    assert_eq!(
        (found("LÚNA").await, found("lun xyz").await, found(".PDF").await, found("%").await),
        (1, 0, 1, 0)
    );
}

/// Every document, and an id without a document.
async fn follow_ids(fixture: &StoreFixture) -> Vec<DocumentId> {
    let request = ListRequest { limit: 5, ..ListRequest::default() };
    let all = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap().items;
    all.iter().map(|view| view.overview.document.id).chain([DocumentId::new()]).collect()
}

#[tokio::test]
async fn a_scan_that_reaches_its_limit_returns_the_cursor_to_continue_from() {
    let fixture = fixture_with(25).await;
    let request = ListRequest { limit: 7, status: Some(DocumentStatus::Uploaded), ..ListRequest::default() };
    let part = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap();
    assert_eq!(names(&part).first(), Some(&"23.pdf"));
    assert!(part.is_cut_short && part.next.is_some());
    assert_eq!(
        part.total,
        Some(DocumentCount { count: 6, is_lower_bound: true }),
        "the rest is too far down"
    );
    let without_a_run = (0..25).rev().filter(|number| number % 3 != 0).map(|number| format!("{number}.pdf"));
    assert_eq!(follow(&fixture, request).await, without_a_run.collect::<Vec<_>>());
}

/// Proves R063 for a list by words: pages follow one another, and the count is that of all documents.
#[tokio::test]
async fn a_list_by_words_is_found_in_the_index_whatever_its_length() {
    let fixture = fixture_with(25).await;
    let request = ListRequest { limit: 7, words: Some("pdf".to_owned()), ..ListRequest::default() };
    let part = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap();
    assert_eq!(part.total, Some(DocumentCount { count: 25, is_lower_bound: false }));
    assert_eq!(follow(&fixture, request.clone()).await.len(), 25);
    let last = ListRequest { offset: 21, ..request };
    assert_eq!(
        names(&list_page(&fixture.store, &CountCache::default(), &last).await.unwrap()),
        ["3.pdf", "2.pdf", "1.pdf", "0.pdf"]
    );
}

/// Proves R063: counts below the limit are exact each time; a count above it is cached for a minute.
#[tokio::test]
async fn more_than_is_counted_is_remembered_for_a_while_and_less_is_counted_each_time() {
    let fixture = fixture_with(11).await;
    let clock = Arc::new(FakeClock::at(at(0)));
    let store = Store { clock: clock.clone(), ..fixture.store.clone() };
    let counts = CountCache::default();
    let processing =
        ListRequest { limit: 1, status: Some(DocumentStatus::Processing), ..ListRequest::default() };
    let all = ListRequest { limit: 1, ..ListRequest::default() };
    let total =
        async |request: &ListRequest| list_page(&store, &counts, request).await.unwrap().total.unwrap();
    let bound = DocumentCount { count: 10, is_lower_bound: true };
    assert_eq!(total(&all).await, bound);
    assert_eq!(total(&processing).await, DocumentCount { count: 4, is_lower_bound: false });
    fixture.sql.execute("DELETE FROM documents WHERE original_filename IN ('1.pdf', '2.pdf')").await.unwrap();
    fixture
        .sql
        .execute("UPDATE runs SET listed_at = NULL WHERE created_at = (SELECT min(created_at) FROM runs)")
        .await
        .unwrap();
    assert_eq!(total(&all).await, bound, "it is believed");
    assert_eq!(total(&processing).await, DocumentCount { count: 3, is_lower_bound: false }, "each time");
    clock.advance(SignedDuration::from_secs(61));
    assert_eq!(total(&all).await, DocumentCount { count: 9, is_lower_bound: false });
}

/// Proves R063 for two filters at once, and for documents without a run.
#[tokio::test]
async fn filters_without_a_common_index_scan_the_list() {
    let fixture = fixture_with(9).await;
    let reviewed = "UPDATE documents SET review_status = 'REVIEWED', reviewed_at = updated_at, reviewed_version = 1 \
                    WHERE original_filename IN ('3.pdf', '4.pdf', '6.pdf')";
    fixture.sql.execute(reviewed).await.unwrap();
    let request = |status, review| ListRequest { limit: 2, status, review, ..ListRequest::default() };
    let (processing, uploaded) = (Some(DocumentStatus::Processing), Some(DocumentStatus::Uploaded));
    let (checked, open) = (Some(ReviewStatus::Reviewed), Some(ReviewStatus::InReview));
    for (request, expected) in [
        (request(None, checked), &["6.pdf", "4.pdf", "3.pdf"][..]),
        (request(processing, checked), &["6.pdf", "3.pdf"]),
        (request(processing, open), &["0.pdf"]),
        (request(uploaded, checked), &["4.pdf"]),
        (request(uploaded, None), &["LAST.pdf", "7.pdf", "5.pdf", "4.pdf", "2.pdf", "1.pdf"]),
        (request(Some(DocumentStatus::Failed), None), &[]),
    ] {
        assert_eq!(follow(&fixture, request.clone()).await, expected, "{request:?}");
        let total = list_page(&fixture.store, &CountCache::default(), &request).await.unwrap().total.unwrap();
        assert_eq!(
            total,
            DocumentCount { count: u32::try_from(expected.len()).unwrap(), is_lower_bound: false }
        );
    }
}
