//! Hidden documents: out of every list and search at once, and back at once, with nothing lost.

use quire_domain::{DocumentId, DocumentStatus, EventType, Hidden, HideChange, ReviewStatus, RunChange};
use quire_ports::{
    DocumentCondition, DocumentFilter, DocumentListQuery, DocumentProperty, FindQuery, FoundOrder,
    HideOutcome, HideRequest, LeastConfidentQuery, PortError,
};

use super::random_history::RandomHistory;
use super::search::{add_text, find, query, search};
use crate::fixture::{StoreFixture, at};

async fn set(fixture: &StoreFixture, document: DocumentId, change: HideChange, second: i64) -> HideOutcome {
    let request = HideRequest { document, change, actor: "ana".to_owned(), at: at(second) };
    fixture.store.documents.set_hidden(&request).await.unwrap()
}

async fn listed(fixture: &StoreFixture, filter: DocumentFilter) -> Vec<DocumentId> {
    let part = DocumentListQuery { filter, after: None, skip: 0, limit: 1000 };
    let found = fixture.store.documents.list(part).await.unwrap();
    let count = fixture.store.documents.count(filter, 1000).await.unwrap();
    assert_eq!(count as usize, found.len(), "{filter:?}");
    found.into_iter().map(|overview| overview.document.id).collect()
}

async fn waiting(fixture: &StoreFixture) -> Vec<DocumentId> {
    let part = LeastConfidentQuery { limit: 1000, ..LeastConfidentQuery::default() };
    let found = fixture.store.documents.least_confident(part).await.unwrap();
    let count = fixture.store.documents.count_awaiting_review(1000).await.unwrap();
    assert_eq!(count as usize, found.len());
    found.into_iter().map(|overview| overview.document.id).collect()
}

fn of_hidden(query: FindQuery) -> FindQuery {
    let hidden = DocumentCondition { property: DocumentProperty::Hidden, is_negated: false };
    FindQuery { conditions: vec![hidden], ..query }
}

/// Hiding is recorded once with its actor, keeps who hid the document first, and is undone.
pub async fn hiding_is_recorded_once_and_undone(fixture: &StoreFixture) {
    let (id, run, _) = fixture.interpreted_document().await;
    let before = fixture.store.documents.overview(id).await.unwrap();
    let newest = fixture.store.run_reader.newest_event().await.unwrap();
    let hidden = Some(Hidden { at: at(20), by: "ana".to_owned() });
    let first = set(fixture, id, HideChange::Hide, 20).await;
    assert_eq!(first.hidden, hidden);
    let again = set(fixture, id, HideChange::Hide, 21).await;
    assert_eq!(again, HideOutcome { hidden: hidden.clone(), recorded: None });
    let overview = fixture.store.documents.overview(id).await.unwrap();
    assert_eq!((overview.hidden, overview.updated_at), (hidden, at(20)));
    assert_eq!(fixture.store.reviews.version(run, None).await.unwrap().unwrap().number, 1);
    let shown = set(fixture, id, HideChange::Unhide, 22).await;
    assert_eq!(shown.hidden, None);
    assert_eq!(set(fixture, id, HideChange::Unhide, 23).await, HideOutcome { hidden: None, recorded: None });
    let after = fixture.store.documents.overview(id).await.unwrap();
    assert_eq!((after.updated_at, after.hidden), (at(22), None));
    assert_eq!((after.document, after.latest_run), (before.document, before.latest_run));
    let events: Vec<_> = fixture.events().await.into_iter().filter(|one| one.id > newest).collect();
    let told: Vec<_> =
        events.iter().map(|one| (one.event.event_type, one.event.actor.as_deref(), one.event.at)).collect();
    let ana = Some("ana");
    assert_eq!(told, [(EventType::DocumentHidden, ana, at(20)), (EventType::DocumentUnhidden, ana, at(22))]);
    let request = HideRequest {
        document: DocumentId::new(),
        change: HideChange::Hide,
        actor: String::new(),
        at: at(0),
    };
    let missing = fixture.store.documents.set_hidden(&request).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
}

/// Proves R070 for hiding: the very next search, list, queue and list of duplicates is right.
pub async fn a_hidden_document_is_found_nowhere_and_comes_back_at_once(fixture: &StoreFixture) {
    let words: Vec<String> = (0..60).map(|number| format!("palabra{number}")).collect();
    let (id, run) = add_text(fixture, "es", &[&words.join(" ")]).await;
    let (other, _) = add_text(fixture, "es", &[&words.join(" ")]).await;
    let content = fixture.store.documents.find(other).await.unwrap();
    let completed = DocumentFilter::Status(DocumentStatus::Completed);
    let unreviewed = DocumentFilter::Review(ReviewStatus::InReview);
    let among = |documents: &[DocumentId]| FindQuery {
        among: Some(documents.to_vec()),
        order: FoundOrder::Newest(None),
        ..query("")
    };
    for (change, second) in [(HideChange::Hide, 20), (HideChange::Unhide, 21), (HideChange::Hide, 22)] {
        set(fixture, id, change, second).await;
        let is_hidden = change == HideChange::Hide;
        let (mut expected, hidden) =
            if is_hidden { (vec![other], vec![id]) } else { (vec![id, other], Vec::new()) };
        expected.sort();
        let sorted = |mut ids: Vec<DocumentId>| {
            ids.sort();
            ids
        };
        for filter in [DocumentFilter::All, completed, unreviewed] {
            assert_eq!(sorted(listed(fixture, filter).await), expected, "{change:?} {filter:?}");
        }
        assert_eq!(listed(fixture, DocumentFilter::Hidden).await, hidden, "{change:?}");
        assert_eq!(sorted(waiting(fixture).await), expected, "{change:?}");
        assert_eq!(search(fixture, "palabra7").await, expected, "{change:?}");
        assert_eq!(search(fixture, "palabra7 palabra8").await, expected, "{change:?}");
        for asked in [among(&[id, other]), query("pet_name:luna")] {
            let found = find(fixture, &asked).await.into_iter().map(|found| found.id).collect();
            assert_eq!(sorted(found), expected, "{change:?}");
        }
        let found = find(fixture, &of_hidden(query("palabra7"))).await;
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), hidden, "{change:?}");
        let duplicates = fixture.store.documents.duplicates(&content, 9).await.unwrap();
        assert_eq!(duplicates.is_empty(), is_hidden, "{change:?}");
    }
    // An edit or a new run of a hidden document does not bring it back.
    fixture.edit_active_version(run, &[super::interpretations::add_field("owner_name", "Eva")], at(30)).await;
    assert!(search(fixture, "eva").await.is_empty());
    let again = fixture.reprocess(id, at(31)).await;
    assert_eq!(listed(fixture, DocumentFilter::Status(DocumentStatus::Processing)).await, []);
    let worker = fixture.worker(at(32)).await;
    assert_eq!(fixture.claim_one(worker, at(32)).await.run.id, again);
    fixture.change_run(again, RunChange::Complete, at(33)).await;
    assert_eq!(fixture.state(again).await, "COMPLETED");
    assert_eq!(listed(fixture, completed).await, [other]);
    set(fixture, id, HideChange::Unhide, 34).await;
    assert_eq!(listed(fixture, completed).await.len(), 2);
}

/// After any history, each list is the list of all documents, hidden or not, without the hidden ones.
pub async fn every_list_leaves_out_hidden_documents_after_any_history(fixture: &StoreFixture) {
    let mut history = RandomHistory::new(fixture, 69).await;
    for _ in 0..200 {
        history.step().await;
    }
    let filters = || {
        let statuses = DocumentStatus::ALL.map(DocumentFilter::Status).into_iter();
        let reviews = ReviewStatus::ALL.map(DocumentFilter::Review);
        statuses.chain(reviews).chain([DocumentFilter::All])
    };
    let mut before = Vec::new();
    for filter in filters() {
        before.push(listed(fixture, filter).await);
    }
    let queue = waiting(fixture).await;
    let all = listed(fixture, DocumentFilter::All).await;
    let hidden: Vec<DocumentId> = all.iter().copied().step_by(3).collect();
    for id in &hidden {
        set(fixture, *id, HideChange::Hide, 500).await;
    }
    let visible = |ids: &[DocumentId]| -> Vec<DocumentId> {
        ids.iter().copied().filter(|id| !hidden.contains(id)).collect()
    };
    for (filter, before) in filters().zip(&before) {
        assert_eq!(listed(fixture, filter).await, visible(before), "{filter:?}");
    }
    assert_eq!(waiting(fixture).await, visible(&queue));
    assert_eq!(listed(fixture, DocumentFilter::Hidden).await, hidden);
    let parts = DocumentListQuery { filter: DocumentFilter::Hidden, after: None, skip: 2, limit: 3 };
    let part = fixture.store.documents.list(parts).await.unwrap();
    assert_eq!(part.iter().map(|one| one.document.id).collect::<Vec<_>>(), hidden[2..5]);
    assert!(part.iter().all(|one| one.hidden.is_some()));
}
