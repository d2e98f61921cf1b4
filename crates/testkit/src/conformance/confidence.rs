//! The list of documents in review, lowest confidence first. It always equals what the active versions say.

use quire_domain::{DocumentId, EventType, ReviewStatus, RunChange, StepName};
use quire_ports::{
    ConfidenceCursor, DocumentListQuery, DocumentOverview, LeastConfidentQuery, RunWriteOutcome,
};
use quire_understanding::document_confidence;

use super::interpretations::first_version;
use super::random_history::RandomHistory;
use super::review_marks::assert_reviewed_documents_are_signed;
use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, at, document};

/// How many things happen in the random history.
const STEPS: u32 = 400;

async fn page(
    fixture: &StoreFixture,
    after: Option<ConfidenceCursor>,
    skip: u32,
    limit: u32,
) -> Vec<DocumentOverview> {
    fixture.store.documents.least_confident(LeastConfidentQuery { after, skip, limit }).await.unwrap()
}

/// Compares the list with the active versions. Returns its length.
async fn compare(fixture: &StoreFixture) -> usize {
    let all = DocumentListQuery { limit: 1000, ..DocumentListQuery::default() };
    let all = fixture.store.documents.list(all).await.unwrap();
    let ids: Vec<_> = all.iter().map(|one| one.document.id).collect();
    let versions = fixture.store.reviews.active_versions(&ids).await.unwrap();
    let confidence = |id| {
        versions
            .iter()
            .find(|(document, _)| *document == id)
            .map(|(_, version)| document_confidence(&version.data.fields))
    };
    assert_reviewed_documents_are_signed(fixture).await;
    for overview in &all {
        assert_eq!(overview.confidence, confidence(overview.document.id), "{overview:?}");
    }
    let mut expected: Vec<DocumentOverview> = all;
    expected.retain(|one| one.confidence.is_some() && one.document.review_status == ReviewStatus::InReview);
    let order = |one: &DocumentOverview| (one.confidence.unwrap_or_default(), one.document.id.0);
    expected.sort_by(|one, other| order(one).partial_cmp(&order(other)).unwrap());
    for limit in [1, 7, 1000] {
        let (mut listed, mut after) = (Vec::new(), None);
        loop {
            let part = page(fixture, after, 0, limit).await;
            let skip = u32::try_from(listed.len()).unwrap();
            assert_eq!(page(fixture, None, skip, limit).await, part, "by offset");
            let Some(last) = part.last() else { break };
            after = last.confidence.map(|confidence| ConfidenceCursor { confidence, id: last.document.id });
            listed.extend(part);
        }
        assert_eq!(listed, expected, "{limit} a page");
    }
    let count = u32::try_from(expected.len()).unwrap();
    assert_eq!(fixture.store.documents.count_awaiting_review(1000).await.unwrap(), count);
    assert_eq!(fixture.store.documents.count_awaiting_review(2).await.unwrap(), count.min(2));
    expected.len()
}

/// The list is right after any history, and also when a migration computes the confidences again from the versions.
pub async fn documents_are_listed_by_lowest_confidence_after_any_history(fixture: &StoreFixture) {
    let mut history = RandomHistory::new(fixture, 1976).await;
    for step in 0..STEPS {
        history.step().await;
        if step % 25 == 0 {
            compare(fixture).await;
        }
    }
    let length = compare(fixture).await;
    assert!(length > 5, "the history leaves documents to list: {length}");
    let orphaned =
        "SELECT count(*) FROM document_confidence WHERE document_id NOT IN (SELECT id FROM documents)";
    assert_eq!(fixture.sql.number(orphaned).await, 0, "a purge deletes the confidence of its document");

    let versions = fixture.store.migrations.status().await.unwrap();
    let created = versions.iter().find(|migration| migration.name.ends_with("_certainty")).unwrap().version;
    fixture.store.migrations.down(created - 1).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(compare(fixture).await, length);
}

/// A run completes while its document is marked or reopened.
pub async fn concurrent_changes_leave_the_list_correct(fixture: &StoreFixture) {
    let mut history = RandomHistory::new(fixture, 7).await;
    for second in 0..3 {
        let document = document(DocumentId::new());
        fixture.add_document(&document, None, at(second)).await;
        history.documents.push(document.id);
    }
    for round in 0..20 {
        let now = history.next_time();
        let id = history.documents[round % 3];
        fixture.reprocess(id, now).await;
        let run = fixture.claim_one(history.worker, now).await.run;
        let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Interpretation, now);
        write.interpretation = Some(first_version(&run, vec![history.random_field()], now));
        write.transition = transition_write(&run, RunChange::Complete, now).transition;
        let (queue, reviews) = (fixture.store.queue.clone(), fixture.store.reviews.clone());
        let to = if round % 4 == 3 { ReviewStatus::InReview } else { ReviewStatus::Reviewed };
        let request = fixture.review_request(id, to, "tester", now).await;
        let completing = tokio::spawn(async move { queue.write(write).await });
        let marking = tokio::spawn(async move { reviews.set_review_status(&request).await });
        let completed = completing.await.unwrap().unwrap();
        assert!(matches!(completed, RunWriteOutcome::Accepted(_)), "{completed:?}");
        // A mark may come before the run or after it, and is refused then.
        let _ = marking.await.unwrap().unwrap();
        compare(fixture).await;
    }
}
