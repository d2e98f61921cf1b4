//! A random history of documents, runs and reviews. The same seed always gives the same history.

use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    Document, DocumentId, EventType, Failure, Pipeline, Priority, RequeuePolicy, ReviewStatus, Run,
    RunChange, RunStateName, StepName, WorkerId,
};
use quire_ports::{EditBlocked, MarkBlocked, PortError, RunFilter};
use quire_understanding::{Field, Origin, Value, ValueType};

use super::interpretations::{add_field, edit, first_version, set_value};
use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, document, document_run, new_run, start};

/// A linear congruential generator. Its high bits are random enough for tests.
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 up to, but not including, `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// One of these items, if there are any.
    pub(super) fn choose<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        let count = u64::try_from(items.len()).unwrap();
        items.get(usize::try_from(self.below(count.max(1))).unwrap())
    }
}

/// Makes a random history in the store of a fixture.
pub(super) struct RandomHistory<'f> {
    fixture: &'f StoreFixture,
    pub(super) worker: WorkerId,
    random: SeededRandom,
    millisecond: i64,
    pub(super) documents: Vec<DocumentId>,
}

impl<'f> RandomHistory<'f> {
    pub(super) async fn new(fixture: &'f StoreFixture, seed: u64) -> Self {
        let worker = fixture.worker(start()).await;
        let random = SeededRandom::new(seed);
        Self { fixture, worker, random, millisecond: 0, documents: Vec::new() }
    }

    /// Lets one thing happen.
    pub(super) async fn step(&mut self) {
        match self.random.below(24) {
            0..3 => self.add_document().await,
            3..6 => self.reprocess_document().await,
            6..11 => self.start_runs().await,
            11..13 => self.end_running_run().await,
            13 => self.withdraw_run().await,
            14..19 => self.edit_document().await,
            19..23 => self.mark_or_reopen_document().await,
            _ => self.purge_document().await,
        }
    }

    /// The time of the next write. Now and then two writes have the same time.
    pub(super) fn next_time(&mut self) -> Timestamp {
        if self.random.below(4) > 0 {
            self.millisecond += 1;
        }
        start() + SignedDuration::from_millis(self.millisecond)
    }

    /// A field with one of a few confidences, so that some documents have the same one.
    pub(super) fn random_field(&mut self) -> Field {
        let confidence = *self.random.choose(&[0.25, 0.5, 0.66, 1.0 / 3.0]).unwrap();
        let value = Value::Text("x".to_owned());
        let field = Field::new("breed", value, ValueType::String, Origin::Machine, confidence);
        Field { is_critical: self.random.below(4) > 0, ..field }
    }

    fn random_document(&mut self) -> Option<DocumentId> {
        self.random.choose(&self.documents).copied()
    }

    async fn random_run(&mut self, state: RunStateName) -> Option<Run> {
        let filter = RunFilter { state: Some(state), limit: 100, ..RunFilter::default() };
        let runs = self.fixture.store.run_reader.runs(&filter).await.unwrap();
        self.random.choose(&runs).cloned()
    }

    /// Adds a document, most often with a run.
    pub(super) async fn add_document(&mut self) {
        let now = self.next_time();
        let document = Document { created_at: now, ..document(DocumentId::new()) };
        let run = document_run(document.id.into());
        let run = (self.random.below(4) > 0).then_some(&run);
        self.fixture.add_document(&document, run, now).await;
        self.documents.push(document.id);
    }

    async fn reprocess_document(&mut self) {
        let Some(id) = self.random_document() else { return };
        let now = self.next_time();
        self.fixture.reprocess(id, now).await;
        // A run of another pipeline on the same subject must not change the lists of documents.
        let link = new_run(Pipeline::Link, id.into(), Priority::Normal);
        self.fixture.store.queue.enqueue(&link, now).await.unwrap();
    }

    /// Starts up to two runs. A document run may store an interpretation, and a run may end at once.
    async fn start_runs(&mut self) {
        let now = self.next_time();
        for claimed in self.fixture.claim(self.worker, now, 2).await {
            let run = claimed.run;
            if run.pipeline != Pipeline::Document {
                self.fixture.change_run(run.id, RunChange::Complete, now).await;
                continue;
            }
            let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Interpretation, now);
            let fields = (0..self.random.below(3)).map(|_| self.random_field()).collect();
            let has_interpretation = self.random.below(5) > 0;
            write.interpretation = has_interpretation.then(|| first_version(&run, fields, now));
            if self.random.below(3) > 0 {
                write.transition = transition_write(&run, self.random_end(), now).transition;
            }
            self.fixture.write(write).await;
        }
    }

    fn random_end(&mut self) -> RunChange {
        match self.random.below(5) {
            0..3 => RunChange::Complete,
            3 => {
                let failure = Failure::permanent("X", "planned failure");
                RunChange::Fail { step: StepName::Extraction, failure, requeue: RequeuePolicy::Never }
            }
            _ => RunChange::TimeOut { continued_by: None },
        }
    }

    async fn end_running_run(&mut self) {
        let Some(run) = self.random_run(RunStateName::Running).await else { return };
        let (change, now) = (self.random_end(), self.next_time());
        self.fixture.change_run(run.id, change, now).await;
    }

    async fn withdraw_run(&mut self) {
        let Some(run) = self.random_run(RunStateName::Queued).await else { return };
        let now = self.next_time();
        self.fixture.store.queue.withdraw(run.id, "local", now).await.unwrap();
    }

    /// Corrects a field of a document, or adds one. A document with a running run cannot be edited.
    async fn edit_document(&mut self) {
        let Some(id) = self.random_document() else { return };
        let Some(active) = self.fixture.store.reviews.review(id).await.unwrap().active else { return };
        let now = self.next_time();
        let operation = match active.data.fields.iter().find(|field| field.origin == Origin::Machine) {
            Some(field) => set_value(field, &format!("y{}", self.millisecond)),
            None => add_field("species", "canino"),
        };
        let saved = self.fixture.store.reviews.save(&edit(&active, &[operation], now)).await.unwrap();
        assert!(matches!(saved, Ok(_) | Err(EditBlocked::RunRunning)), "{saved:?}");
    }

    async fn mark_or_reopen_document(&mut self) {
        let Some(id) = self.random_document() else { return };
        let now = self.next_time();
        let to = if self.random.below(3) > 0 { ReviewStatus::Reviewed } else { ReviewStatus::InReview };
        let request = self.fixture.review_request(id, to, "tester", now).await;
        let marked = self.fixture.store.reviews.set_review_status(&request).await.unwrap();
        assert!(!matches!(marked, Err(MarkBlocked::Stale(_))) || to == ReviewStatus::InReview, "{marked:?}");
    }

    /// Purges a document, unless a run of it is running. This happens seldom, or no documents would be left.
    async fn purge_document(&mut self) {
        if self.random.below(3) == 0
            && let Some(id) = self.random_document()
        {
            let now = self.next_time();
            match self.fixture.store.documents.purge(id.into(), now).await {
                Ok(_) => self.documents.retain(|one| *one != id),
                Err(error) => assert!(matches!(error, PortError::Conflict(_)), "{error:?}"),
            }
        }
    }
}
