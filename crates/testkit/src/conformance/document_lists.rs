//! Lists of documents by processing status and by review status. Each always equals the full list after filtering.

use jiff::SignedDuration;
use quire_domain::{
    Document, DocumentId, DocumentStatus, Failure, RequeuePolicy, ReviewStatus, RunChange, StepName,
    status_of,
};
use quire_ports::{DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview};

use super::random_history::RandomHistory;
use crate::fixture::{StoreFixture, document, document_run, start};

/// How many things happen in the random history.
const STEPS: u32 = 400;

/// Counts ended runs that are still listed although a later run exists. A list would have to skip them all.
const COUNT_STALE: &str = "SELECT count(*) FROM runs WHERE listed_at IS NOT NULL AND turn IS NULL AND EXISTS ( \
                         SELECT 1 FROM runs later WHERE later.subject_id = runs.subject_id \
                         AND later.pipeline = 'document' AND (later.created_at, later.id) > (runs.created_at, runs.id))";

async fn page(
    fixture: &StoreFixture,
    filter: DocumentFilter,
    after: Option<DocumentCursor>,
    skip: u32,
    limit: u32,
) -> Vec<DocumentOverview> {
    fixture.store.documents.list(DocumentListQuery { filter, after, skip, limit }).await.unwrap()
}

fn cursor(overview: &DocumentOverview) -> DocumentCursor {
    DocumentCursor { created_at: overview.document.created_at, id: overview.document.id }
}

fn matches_filter(overview: &DocumentOverview, filter: DocumentFilter) -> bool {
    match filter {
        DocumentFilter::All => true,
        DocumentFilter::Hidden => overview.hidden.is_some(),
        DocumentFilter::Review(review) => overview.document.review_status == review,
        DocumentFilter::Status(DocumentStatus::Uploaded) => false,
        DocumentFilter::Status(status) => {
            status_of(overview.latest_run.as_ref().map(|run| &run.state)).status == status
        }
    }
}

/// Compares every list with the full list. Returns the length of each.
async fn compare(fixture: &StoreFixture) -> Vec<usize> {
    let full = page(fixture, DocumentFilter::All, None, 0, 1000).await;
    let statuses = DocumentStatus::ALL.map(DocumentFilter::Status);
    let reviews = [ReviewStatus::InReview, ReviewStatus::Reviewed].map(DocumentFilter::Review);
    let mut lengths = Vec::new();
    for filter in statuses.into_iter().chain(reviews).chain([DocumentFilter::All]) {
        let expected: Vec<DocumentOverview> =
            full.iter().filter(|one| matches_filter(one, filter)).cloned().collect();
        for limit in [1, 7, 1000] {
            let (mut listed, mut after) = (Vec::new(), None);
            loop {
                let part = page(fixture, filter, after, 0, limit).await;
                let skip = u32::try_from(listed.len()).unwrap();
                assert_eq!(page(fixture, filter, None, skip, limit).await, part, "{filter:?} by offset");
                let Some(last) = part.last() else { break };
                after = Some(cursor(last));
                listed.extend(part);
            }
            assert_eq!(listed, expected, "{filter:?}, {limit} a page");
        }
        let count = u32::try_from(expected.len()).unwrap();
        assert_eq!(fixture.store.documents.count(filter, 1000).await.unwrap(), count, "{filter:?}");
        assert_eq!(fixture.store.documents.count(filter, 2).await.unwrap(), count.min(2), "{filter:?}");
        lengths.push(expected.len());
    }
    lengths
}

/// Proves R027, R029 and R063: after any history, and also when a migration builds the index again.
pub async fn every_filtered_list_equals_the_filtered_full_list(fixture: &StoreFixture) {
    let mut history = RandomHistory::new(fixture, 2026).await;
    for _ in 0..STEPS {
        history.step().await;
    }
    let lengths = compare(fixture).await;
    assert!(
        lengths[1..].iter().all(|length| *length > 1),
        "the history has some documents of each kind: {lengths:?}"
    );
    assert_eq!(fixture.sql.number(COUNT_STALE).await, 0);

    let versions = fixture.store.migrations.status().await.unwrap();
    let created = versions.iter().find(|migration| migration.name.ends_with("_intake")).unwrap().version;
    fixture.store.migrations.down(created - 1).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(compare(fixture).await, lengths);
    assert_eq!(fixture.sql.number(COUNT_STALE).await, 0);
}

/// Proves R029 and R063 for runs that are requested at the same time.
pub async fn a_document_is_listed_once_despite_concurrent_reprocess_requests(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    fixture.add_document(&document, None, start()).await;
    let worker = fixture.worker(start()).await;
    let at = |millisecond: i64| start() + SignedDuration::from_millis(millisecond);
    for round in 0..5 {
        let requests: Vec<_> = (0..6)
            .map(|request| {
                let documents = fixture.store.documents.clone();
                let run = document_run(document.id.into());
                tokio::spawn(async move {
                    documents
                        .reprocess(
                            &run,
                            Document::reprocess_requested(&run, "tester", at(round * 100 + request)),
                        )
                        .await
                })
            })
            .collect();
        for request in requests {
            request.await.unwrap().unwrap();
        }
        assert_eq!(
            fixture.store.documents.count(DocumentFilter::Status(DocumentStatus::Processing), 9).await,
            Ok(1)
        );
        compare(fixture).await;
        // Runs start in the order of their arrival. The run with the latest timestamp decides the status of the document.
        for _ in 0..6 {
            let run = fixture.claim_one(worker, at(round * 100 + 10)).await.run;
            fixture.change_run(run.id, RunChange::Complete, at(round * 100 + 10)).await;
            let overview = fixture.store.documents.overview(document.id).await.unwrap();
            let current = status_of(overview.latest_run.as_ref().map(|run| &run.state)).status;
            for status in [DocumentStatus::Processing, DocumentStatus::Completed] {
                let count = fixture.store.documents.count(DocumentFilter::Status(status), 9).await;
                assert_eq!(count, Ok(u32::from(status == current)), "{status:?}");
            }
        }
        assert_eq!(fixture.sql.number(COUNT_STALE).await, 0);
        compare(fixture).await;
    }
}

/// Proves R029 and R063 for a run that is withdrawn while the next one is requested.
pub async fn a_run_withdrawn_while_the_next_is_enqueued_leaves_the_list(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    fixture.add_document(&document, None, start()).await;
    let at = |millisecond: i64| start() + SignedDuration::from_millis(millisecond);
    let front = document_run(document.id.into());
    fixture.request_run(&front, "tester", at(0)).await.unwrap();
    let mut last = document_run(document.id.into());
    fixture.request_run(&last, "tester", at(1)).await.unwrap();
    for round in 2..30 {
        let (next, withdrawn) = (document_run(document.id.into()), last.id);
        let (documents, requested) = (fixture.store.documents.clone(), next.clone());
        let requesting = tokio::spawn(async move {
            documents
                .reprocess(&requested, Document::reprocess_requested(&requested, "tester", at(round)))
                .await
        });
        fixture.store.queue.withdraw(withdrawn, "local", at(round)).await.unwrap();
        requesting.await.unwrap().unwrap();
        assert_eq!(fixture.sql.number(COUNT_STALE).await, 0, "round {round}");
        let failed = fixture.store.documents.count(DocumentFilter::Status(DocumentStatus::Failed), 9).await;
        assert_eq!(failed, Ok(0), "round {round}");
        last = next;
    }
    compare(fixture).await;
}

/// An ended run can leave the list; nothing else about it can change.
pub async fn only_the_list_position_of_an_ended_run_can_change(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    let run = document_run(document.id.into());
    fixture.add_document(&document, Some(&run), start()).await;
    let worker = fixture.worker(start()).await;
    let claimed = fixture.claim_one(worker, start()).await.run;
    let failure = Failure::permanent("X", "planned failure");
    let failed = RunChange::Fail { step: StepName::Extraction, failure, requeue: RequeuePolicy::Never };
    fixture.change_run(claimed.id, failed, start()).await;
    let refused =
        fixture.sql.execute("UPDATE runs SET listed_at = NULL, state = 'COMPLETED', failure_type = NULL");
    assert!(refused.await.is_err_and(|message| message.contains("does not change")));
    assert_eq!(fixture.sql.execute("UPDATE runs SET listed_at = NULL").await, Ok(1));
}
