//! The list of documents that wait for a person, the least certain first: always what their active versions say.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quire_domain::review::{interpretation_edited, review_marked};
use quire_domain::{
    Change, Document, DocumentId, EventType, InterpretationId, ReviewStatus, Run, StepName, WorkerId,
};
use quire_ports::{
    AdvanceOutcome, ConfidenceCursor, DocumentListQuery, DocumentOverview, FirstVersion,
    InterpretationVersion, LeastConfidentQuery, NewDocument, NewInterpretationVersion, ReviewMarkRequest,
};
use quire_understanding::edit::{EditOperation, VisitAssignment, apply_edits};
use quire_understanding::{
    Field, Interpretation, NEUTRAL_CONFIDENCE, Origin, Schema, Value, ValueType, document_confidence,
};

use super::fencing::{end, end_write, step_write};
use crate::fixture::{StoreFixture, document, document_run, start};

/// How many things happen in a story.
const LENGTH: i64 = 200;

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
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    fn now(&mut self) -> Timestamp {
        self.moment += 1;
        start() + SignedDuration::from_millis(self.moment)
    }

    fn some_document(&mut self) -> Option<DocumentId> {
        let count = self.documents.len() as u64;
        let chosen = usize::try_from(self.dice(count.max(1))).unwrap();
        self.documents.get(chosen).copied()
    }

    async fn goes_on(&mut self) {
        match self.dice(8) {
            0 | 1 => self.a_document_comes().await,
            2 => self.a_document_is_processed_again().await,
            3 | 4 => self.a_field_is_corrected().await,
            5 | 6 => self.a_document_is_checked_or_reopened().await,
            _ => self.a_document_is_purged().await,
        }
    }

    async fn a_document_comes(&mut self) {
        let now = self.now();
        let document = Document { created_at: now, ..document(DocumentId::new()) };
        let run = document_run(document.id.into());
        self.fixture
            .store
            .documents
            .add(NewDocument::by("tester", &document, Some(&run)), now)
            .await
            .unwrap();
        self.documents.push(document.id);
        self.the_next_run_ends().await;
    }

    async fn a_document_is_processed_again(&mut self) {
        let Some(id) = self.some_document() else { return };
        let now = self.now();
        self.fixture.reprocess(&document_run(id.into()), "tester", now).await.unwrap();
        self.the_next_run_ends().await;
    }

    /// With a version or without, at once or a step later, well or not.
    async fn the_next_run_ends(&mut self) {
        let now = self.now();
        let run = self.fixture.claim_one(self.worker, now).await.run;
        let fields = (0..self.dice(3)).map(|_| self.field()).collect();
        let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Interpretation, now);
        write.interpretation = (self.dice(5) > 0).then(|| first(&run, fields, now));
        let ends_at_once = self.dice(2) == 0;
        if ends_at_once {
            write.end = end_write(&run, Change::Complete, now).end;
        }
        assert_eq!(self.fixture.store.queue.advance(write).await.unwrap(), AdvanceOutcome::Accepted);
        if !ends_at_once {
            let change = if self.dice(3) > 0 { Change::Complete } else { Change::TimeOut };
            let now = self.now();
            end(self.fixture, run.id, change, now).await;
        }
    }

    fn field(&mut self) -> Field {
        // Few numbers, so that some documents are as certain as others.
        let sure = [0.25, 0.5, 0.66, 1.0 / 3.0][usize::try_from(self.dice(4)).unwrap()];
        let value = Value::Text("x".to_owned());
        let field = Field::new("breed", value, ValueType::String, Origin::Machine, sure);
        Field { is_critical: self.dice(4) > 0, ..field }
    }

    async fn a_field_is_corrected(&mut self) {
        let Some(id) = self.some_document() else { return };
        let review = self.fixture.store.reviews.review(id).await.unwrap();
        let Some(active) = review.active else { return };
        let now = self.now();
        let change = match active.data.fields.iter().find(|field| field.origin == Origin::Machine) {
            Some(field) => EditOperation::Update {
                field: field.field_id,
                value: Some(Value::Text(format!("y{}", self.moment))),
                value_type: None,
                visit_id: None::<VisitAssignment>,
            },
            None => EditOperation::Add {
                key: "species".to_owned(),
                value: Value::Text("canino".to_owned()),
                value_type: None,
                visit_id: None,
            },
        };
        let new = edited(&active, &change, now);
        self.fixture.store.reviews.save(&new).await.unwrap().unwrap();
    }

    async fn a_document_is_checked_or_reopened(&mut self) {
        let Some(id) = self.some_document() else { return };
        let now = self.now();
        let to = if self.dice(3) > 0 { ReviewStatus::Reviewed } else { ReviewStatus::InReview };
        self.fixture.store.reviews.mark(&marking(id, to, now)).await.unwrap();
    }

    async fn a_document_is_purged(&mut self) {
        // Seldom, or the story would have none left.
        if self.dice(3) == 0
            && let Some(id) = self.some_document()
        {
            let now = self.now();
            self.fixture.store.documents.purge(id.into(), now).await.unwrap();
            self.documents.retain(|one| *one != id);
        }
    }
}

fn first(run: &Run, fields: Vec<Field>, at: Timestamp) -> FirstVersion {
    let data = Interpretation {
        schema_version: Interpretation::V0.to_owned(),
        document_id: DocumentId(run.subject.0),
        processing_run_id: run.id,
        created_at: at,
        context_key: None,
        policy_version: None,
        fields,
    };
    FirstVersion { id: InterpretationId::new(), data, made_by: None }
}

fn edited(base: &InterpretationVersion, change: &EditOperation, at: Timestamp) -> NewInterpretationVersion {
    let edited = apply_edits(
        &base.data.fields,
        &Schema::built_in_default(),
        NEUTRAL_CONFIDENCE,
        std::slice::from_ref(change),
    )
    .unwrap();
    NewInterpretationVersion {
        id: InterpretationId::new(),
        run: base.data.processing_run_id,
        base: base.number,
        data: Interpretation { created_at: at, fields: edited.fields, ..base.data.clone() },
        changes: edited.changes,
        structure: edited.structure,
        actor: "tester".to_owned(),
        at,
        policy: Arc::default(),
        edited: interpretation_edited(base.data.document_id, base.data.processing_run_id, "tester", at),
        reopened: review_marked(base.data.document_id, ReviewStatus::InReview, "tester", at),
    }
}

fn marking(document: DocumentId, to: ReviewStatus, at: Timestamp) -> ReviewMarkRequest {
    ReviewMarkRequest {
        document,
        to,
        actor: "tester".to_owned(),
        at,
        policy: Arc::default(),
        event: review_marked(document, to, "tester", at),
    }
}

async fn part(
    fixture: &StoreFixture,
    after: Option<ConfidenceCursor>,
    skip: u32,
    limit: u32,
) -> Vec<DocumentOverview> {
    fixture.store.documents.least_confident(LeastConfidentQuery { after, skip, limit }).await.unwrap()
}

/// Compares the list with what the versions say, and answers how long it is.
async fn compare(fixture: &StoreFixture) -> usize {
    let all = DocumentListQuery { limit: 1000, ..DocumentListQuery::default() };
    let all = fixture.store.documents.list(all).await.unwrap();
    let ids: Vec<_> = all.iter().map(|one| one.document.id).collect();
    let versions = fixture.store.reviews.active_versions(&ids).await.unwrap();
    let says = |id| {
        versions
            .iter()
            .find(|(of, _)| *of == id)
            .map(|(_, version)| document_confidence(&version.data.fields))
    };
    for overview in &all {
        assert_eq!(overview.confidence, says(overview.document.id), "{overview:?}");
    }
    let mut expected: Vec<DocumentOverview> = all;
    expected.retain(|one| one.confidence.is_some() && one.document.review_status == ReviewStatus::InReview);
    let order = |one: &DocumentOverview| (one.confidence.unwrap_or_default(), one.document.id.0);
    expected.sort_by(|one, other| order(one).partial_cmp(&order(other)).unwrap());
    for limit in [1, 7, 1000] {
        let (mut walked, mut after) = (Vec::new(), None);
        loop {
            let read = part(fixture, after, 0, limit).await;
            let skip = u32::try_from(walked.len()).unwrap();
            assert_eq!(part(fixture, None, skip, limit).await, read, "by number");
            let Some(last) = read.last() else { break };
            after = last
                .confidence
                .map(|certainty| ConfidenceCursor { confidence: certainty, id: last.document.id });
            walked.extend(read);
        }
        assert_eq!(walked, expected, "by {limit}");
    }
    let count = u32::try_from(expected.len()).unwrap();
    assert_eq!(fixture.store.documents.count_open(1000).await.unwrap(), count);
    assert_eq!(fixture.store.documents.count_open(2).await.unwrap(), count.min(2));
    expected.len()
}

/// Whatever happened, and also when the numbers are made anew from the versions.
pub async fn the_least_certain_come_first_whatever_happened(fixture: &StoreFixture) {
    let mut story = Story {
        fixture,
        worker: fixture.worker(start()).await,
        dice: 1976,
        moment: 0,
        documents: Vec::new(),
    };
    for turn in 0..LENGTH {
        story.goes_on().await;
        if turn % 20 == 0 {
            compare(fixture).await;
        }
    }
    let length = compare(fixture).await;
    assert!(length > 5, "the story has some: {length}");
    let left = "SELECT count(*) FROM certainties WHERE document_id NOT IN (SELECT id FROM documents)";
    assert_eq!(fixture.sql.number(left).await, 0, "nothing is kept of what was purged");

    let versions = fixture.store.migrations.status().await.unwrap();
    let made = versions.iter().find(|migration| migration.name.ends_with("_certainty")).unwrap().version;
    fixture.store.migrations.down(made - 1).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(compare(fixture).await, length);
}

/// Checking, editing and completing at the same moment leave what the last of them made of it.
pub async fn a_document_that_many_change_at_once_is_listed_as_it_is(fixture: &StoreFixture) {
    let mut story =
        Story { fixture, worker: fixture.worker(start()).await, dice: 7, moment: 0, documents: Vec::new() };
    for _ in 0..3 {
        story.a_document_comes().await;
    }
    for round in 0..20 {
        let now = story.now();
        let id = story.documents[round % 3];
        fixture.reprocess(&document_run(id.into()), "tester", now).await.unwrap();
        let run = fixture.claim_one(story.worker, now).await.run;
        let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Interpretation, now);
        write.interpretation = Some(first(&run, vec![story.field()], now));
        write.end = end_write(&run, Change::Complete, now).end;
        let (queue, reviews) = (fixture.store.queue.clone(), fixture.store.reviews.clone());
        let completing = tokio::spawn(async move { queue.advance(write).await });
        let checking = tokio::spawn(async move {
            let to = if round % 2 == 0 { ReviewStatus::Reviewed } else { ReviewStatus::InReview };
            reviews.mark(&marking(id, to, now)).await
        });
        assert_eq!(completing.await.unwrap().unwrap(), AdvanceOutcome::Accepted);
        checking.await.unwrap().unwrap();
        compare(fixture).await;
    }
}
