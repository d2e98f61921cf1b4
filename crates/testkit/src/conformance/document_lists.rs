//! The list of documents by where they stand: always what the whole list has of it.

use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    Change, Document, DocumentId, DocumentStatus, Failure, Pipeline, Priority, RequeuePolicy, ReviewStatus,
    Run, StepName, WorkerId, status_of,
};
use quire_ports::{
    DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview, NewDocument, RunFilter,
};

use super::fencing::end;
use crate::fixture::{StoreFixture, document, document_run, new_run, start};

/// How many things happen in a story.
const LENGTH: i64 = 250;

/// What has ended has its place only while it is the latest, or a list would have to step over more and more.
const STALE: &str = "SELECT count(*) FROM runs WHERE listed_at IS NOT NULL AND turn IS NULL AND EXISTS ( \
                         SELECT 1 FROM runs later WHERE later.subject_id = runs.subject_id \
                         AND later.pipeline = 'document' AND (later.created_at, later.id) > (runs.created_at, runs.id))";

/// A story that is the same whenever it is told.
struct Story<'b> {
    fixture: &'b StoreFixture,
    worker: WorkerId,
    dice: u64,
    moment: i64,
    documents: Vec<DocumentId>,
}

impl Story<'_> {
    fn dice(&mut self, sides: u64) -> u64 {
        // A linear congruential generator; its high digits are good enough to tell stories with.
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    fn now(&mut self) -> Timestamp {
        // Now and then two things happen at the same moment.
        if self.dice(4) > 0 {
            self.moment += 1;
        }
        start() + SignedDuration::from_millis(self.moment)
    }

    fn some_document(&mut self) -> Option<DocumentId> {
        let count = self.documents.len() as u64;
        if count == 0 {
            return None;
        }
        let chosen = usize::try_from(self.dice(count)).unwrap();
        Some(self.documents[chosen])
    }

    async fn goes_on(&mut self) {
        match self.dice(10) {
            0..3 => self.a_document_comes().await,
            3..5 => self.a_document_is_processed_again().await,
            5..8 => self.a_run_starts_and_perhaps_ends().await,
            8 => self.a_run_is_withdrawn().await,
            _ => self.a_document_is_checked().await,
        }
    }

    async fn a_document_comes(&mut self) {
        let now = self.now();
        let document = Document { created_at: now, ..document(DocumentId::new()) };
        let run = document_run(document.id.into());
        let run = (self.dice(4) > 0).then_some(&run);
        self.fixture.store.documents.add(NewDocument::by("tester", &document, run), now).await.unwrap();
        self.documents.push(document.id);
    }

    async fn a_document_is_processed_again(&mut self) {
        let Some(id) = self.some_document() else { return };
        let now = self.now();
        self.fixture.reprocess(&document_run(id.into()), "tester", now).await.unwrap();
        // What other pipelines do with the same subject has no say.
        let link = new_run(Pipeline::Link, id.into(), Priority::Normal);
        self.fixture.store.queue.enqueue(&link, now).await.unwrap();
    }

    async fn a_run_starts_and_perhaps_ends(&mut self) {
        let now = self.now();
        for run in self.fixture.claim(self.worker, now, 2).await {
            let failure = Failure::permanent("X", "rehearsed");
            let first = run.run.pipeline.steps()[0];
            let change = match self.dice(5) {
                0 | 1 => Change::Complete,
                2 => Change::Fail { step: first, failure, requeue: RequeuePolicy::Never },
                3 => Change::TimeOut,
                _ => continue,
            };
            end(self.fixture, run.run.id, change, now).await;
        }
    }

    async fn a_run_is_withdrawn(&mut self) {
        let queued = RunFilter { state: Some("QUEUED".to_owned()), limit: 100, ..RunFilter::default() };
        let queued: Vec<Run> = self.fixture.store.history.runs(&queued).await.unwrap();
        if queued.is_empty() {
            return;
        }
        let chosen = usize::try_from(self.dice(queued.len() as u64)).unwrap();
        let now = self.now();
        self.fixture.store.queue.withdraw(queued[chosen].id, "local", now).await.unwrap();
    }

    async fn a_document_is_checked(&mut self) {
        let Some(id) = self.some_document() else { return };
        let id = self.fixture.sql.id(id.0);
        let checked = format!(
            "UPDATE documents SET review_status = 'REVIEWED', reviewed_at = updated_at WHERE id = {id}"
        );
        self.fixture.sql.execute(&checked).await.unwrap();
    }
}

async fn part(
    fixture: &StoreFixture,
    of: DocumentFilter,
    after: Option<DocumentCursor>,
    skip: u32,
    limit: u32,
) -> Vec<DocumentOverview> {
    fixture.store.documents.list(DocumentListQuery { of, after, skip, limit }).await.unwrap()
}

fn place(overview: &DocumentOverview) -> DocumentCursor {
    DocumentCursor { created_at: overview.document.created_at, id: overview.document.id }
}

fn belongs(overview: &DocumentOverview, of: DocumentFilter) -> bool {
    match of {
        DocumentFilter::All => true,
        DocumentFilter::Review(review) => overview.document.review_status == review,
        DocumentFilter::Status(DocumentStatus::Uploaded) => false,
        DocumentFilter::Status(status) => {
            status_of(overview.latest_run.as_ref().map(|run| &run.state)).status == status
        }
    }
}

/// Compares every list there is with the whole one, and answers how long each is.
async fn compare(fixture: &StoreFixture) -> Vec<usize> {
    let whole = part(fixture, DocumentFilter::All, None, 0, 1000).await;
    let statuses = DocumentStatus::ALL.map(DocumentFilter::Status);
    let reviews = [ReviewStatus::InReview, ReviewStatus::Reviewed].map(DocumentFilter::Review);
    let mut lengths = Vec::new();
    for of in statuses.into_iter().chain(reviews).chain([DocumentFilter::All]) {
        let expected: Vec<DocumentOverview> = whole.iter().filter(|one| belongs(one, of)).cloned().collect();
        for limit in [1, 7, 1000] {
            let (mut walked, mut after) = (Vec::new(), None);
            loop {
                let read = part(fixture, of, after, 0, limit).await;
                let skip = u32::try_from(walked.len()).unwrap();
                assert_eq!(part(fixture, of, None, skip, limit).await, read, "{of:?} by number");
                let Some(last) = read.last() else { break };
                after = Some(place(last));
                walked.extend(read);
            }
            assert_eq!(walked, expected, "{of:?} by {limit}");
        }
        let count = u32::try_from(expected.len()).unwrap();
        assert_eq!(fixture.store.documents.count(of, 1000).await.unwrap(), count, "{of:?}");
        assert_eq!(fixture.store.documents.count(of, 2).await.unwrap(), count.min(2), "{of:?}");
        lengths.push(expected.len());
    }
    lengths
}

/// Proves R027, R029 and R063: whatever happened, and also when the index is made anew.
pub async fn every_list_is_what_the_whole_list_has_of_it(fixture: &StoreFixture) {
    let mut story = Story {
        fixture,
        worker: fixture.worker(start()).await,
        dice: 2026,
        moment: 0,
        documents: Vec::new(),
    };
    for _ in 0..LENGTH {
        story.goes_on().await;
    }
    let lengths = compare(fixture).await;
    assert!(lengths[1..].iter().all(|length| *length > 1), "the story has some of each: {lengths:?}");
    assert_eq!(fixture.sql.number(STALE).await, 0);

    let versions = fixture.store.migrations.status().await.unwrap();
    let made = versions.iter().find(|migration| migration.name.ends_with("_intake")).unwrap().version;
    fixture.store.migrations.down(made - 1).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(compare(fixture).await, lengths);
    assert_eq!(fixture.sql.number(STALE).await, 0);
}

/// Proves R029 and R063 for runs that are asked for at the same moment.
pub async fn a_document_is_listed_once_however_many_ask_for_its_runs_at_once(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    fixture.store.documents.add(NewDocument::by("tester", &document, None), start()).await.unwrap();
    let worker = fixture.worker(start()).await;
    let at = |millisecond: i64| start() + SignedDuration::from_millis(millisecond);
    for round in 0..5 {
        let wishes: Vec<_> = (0..6)
            .map(|wish| {
                let documents = fixture.store.documents.clone();
                let run = document_run(document.id.into());
                tokio::spawn(async move {
                    let requested = Document::reprocess_requested(&run, "tester", at(round * 100 + wish));
                    documents.reprocess(&run, requested).await
                })
            })
            .collect();
        for wish in wishes {
            wish.await.unwrap().unwrap();
        }
        assert_eq!(
            fixture.store.documents.count(DocumentFilter::Status(DocumentStatus::Processing), 9).await,
            Ok(1)
        );
        compare(fixture).await;
        // Whoever came first is first, whatever the stamps say; the latest stamp decides where the document stands.
        for _ in 0..6 {
            let run = fixture.claim_one(worker, at(round * 100 + 10)).await.run;
            end(fixture, run.id, Change::Complete, at(round * 100 + 10)).await;
            let overview = fixture.store.documents.overview(document.id).await.unwrap();
            let standing = status_of(overview.latest_run.as_ref().map(|run| &run.state)).status;
            for status in [DocumentStatus::Processing, DocumentStatus::Completed] {
                let count = fixture.store.documents.count(DocumentFilter::Status(status), 9).await;
                assert_eq!(count, Ok(u32::from(status == standing)), "{status:?}");
            }
        }
        assert_eq!(fixture.sql.number(STALE).await, 0);
        compare(fixture).await;
    }
}

/// Proves R029 and R063 for a run that is withdrawn while the next one is asked for.
pub async fn a_run_that_is_withdrawn_as_the_next_one_comes_leaves_the_list(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    fixture.store.documents.add(NewDocument::by("tester", &document, None), start()).await.unwrap();
    let at = |millisecond: i64| start() + SignedDuration::from_millis(millisecond);
    let front = document_run(document.id.into());
    fixture.reprocess(&front, "tester", at(0)).await.unwrap();
    let mut last = document_run(document.id.into());
    fixture.reprocess(&last, "tester", at(1)).await.unwrap();
    for round in 2..30 {
        let (next, gone) = (document_run(document.id.into()), last.id);
        let (documents, wanted) = (fixture.store.documents.clone(), next.clone());
        let requested = Document::reprocess_requested(&wanted, "tester", at(round));
        let asking = tokio::spawn(async move { documents.reprocess(&wanted, requested).await });
        fixture.store.queue.withdraw(gone, "local", at(round)).await.unwrap();
        asking.await.unwrap().unwrap();
        assert_eq!(fixture.sql.number(STALE).await, 0, "round {round}");
        let failed = fixture.store.documents.count(DocumentFilter::Status(DocumentStatus::Failed), 9).await;
        assert_eq!(failed, Ok(0), "round {round}");
        last = next;
    }
    compare(fixture).await;
}

/// What has ended gives up its place in the list and nothing else.
pub async fn a_place_in_the_list_is_all_that_changes_on_a_run_that_has_ended(fixture: &StoreFixture) {
    let document = document(DocumentId::new());
    let run = document_run(document.id.into());
    fixture.store.documents.add(NewDocument::by("tester", &document, Some(&run)), start()).await.unwrap();
    let worker = fixture.worker(start()).await;
    let claimed = fixture.claim_one(worker, start()).await.run;
    let failure = Failure::permanent("X", "rehearsed");
    let failed = Change::Fail { step: StepName::Extraction, failure, requeue: RequeuePolicy::Never };
    end(fixture, claimed.id, failed, start()).await;
    let refused =
        fixture.sql.execute("UPDATE runs SET listed_at = NULL, state = 'COMPLETED', failure_type = NULL");
    assert!(refused.await.is_err_and(|said| said.contains("does not change")));
    assert_eq!(fixture.sql.execute("UPDATE runs SET listed_at = NULL").await, Ok(1));
}
