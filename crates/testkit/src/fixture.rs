//! The fixture of every conformance suite: a store on an empty, migrated database of its own. Direct SQL access lets a
//! case try what the ports would never do.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    ClaimScope, Document, DocumentId, Event, EventId, NewRun, Pipeline, PipelinePlan, Priority,
    RecordedEvent, ReviewStatus, Run, RunId, StepName, SubjectId, WorkerId,
};
use quire_ports::{
    AddOutcome, ClaimRequest, ClaimedRun, EventFilter, Lease, NewDocument, PortResult, ProposalRequest,
    ProposalScope, RunAttempt, StepProgress, Store, Worker,
};
use uuid::Uuid;

/// Sends SQL straight to the database, without the store.
#[async_trait]
pub trait RawSql: Send + Sync {
    /// Runs a statement. Returns the number of changed rows, or the database's error message.
    async fn execute(&self, statement: &str) -> Result<u64, String>;

    /// The single number that a query returns.
    async fn number(&self, query: &str) -> i64;

    /// An id as an SQL literal of this database.
    fn id(&self, id: Uuid) -> String;

    /// Describes every table, column, constraint, index, view, trigger and function, each in a line, sorted.
    async fn schema(&self) -> Vec<String>;

    /// Makes the database refuse updates of rows of a table for which the condition about `NEW` holds.
    async fn refuse_updates(&self, table: &str, condition: &str);

    /// Ends [`RawSql::refuse_updates`].
    async fn allow_updates(&self, table: &str);

    /// The names of all tables, without those of the migrations themselves.
    async fn tables(&self) -> Vec<String>;
}

/// A store on a database of its own.
pub struct StoreFixture {
    /// The store under test.
    pub store: Store,
    /// Direct access to its database.
    pub sql: Arc<dyn RawSql>,
    /// Dropped with the fixture: a temporary folder, a database schema.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// The start time of every test.
pub fn start() -> Timestamp {
    Timestamp::from_second(1_900_000_000).unwrap()
}

/// `second` seconds after [`start`].
pub fn at(second: i64) -> Timestamp {
    start() + SignedDuration::from_secs(second)
}

/// A document that was uploaded at [`start`].
pub fn document(id: DocumentId) -> Document {
    Document {
        id,
        original_filename: "record.pdf".to_owned(),
        content_type: "application/pdf".to_owned(),
        file_size: 1234,
        content_hash: [7; 32],
        storage_path: format!("{id}/original.pdf"),
        created_at: start(),
        review_status: ReviewStatus::InReview,
        language_override: None,
        schema: quire_understanding::Schema::DEFAULT.to_owned(),
    }
}

/// A new document run on a subject.
pub fn document_run(subject: SubjectId) -> NewRun {
    new_run(Pipeline::Document, subject, Priority::Normal)
}

/// A new run on a subject.
pub fn new_run(pipeline: Pipeline, subject: SubjectId, priority: Priority) -> NewRun {
    NewRun {
        id: RunId::new(),
        pipeline,
        subject,
        priority,
        correlation_id: Some("corr-1".to_owned()),
        requested_by: None,
        extractor: None,
        continues: None,
    }
}

/// An idea for a full review.
pub fn proposal_request(idea: &str) -> ProposalRequest {
    ProposalRequest {
        scope: ProposalScope::Full,
        parent: None,
        key_id: None,
        input_idea: idea.to_owned(),
        extra_context: None,
        model: "test-model".to_owned(),
        temperature: 0.7,
        parameters: serde_json::Map::new(),
        schema_version: Some("1.0.0".to_owned()),
        prompt_set_version: Some("1.0.0".to_owned()),
        edited_proposal: None,
        edit_notes: None,
    }
}

/// A new proposal run, which is its own subject.
pub fn proposal_run() -> NewRun {
    let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    NewRun { subject: SubjectId(new.id.0), ..new }
}

/// The plan of the document pipeline, without search.
pub fn document_plan() -> PipelinePlan {
    PipelinePlan {
        pipeline: Pipeline::Document,
        steps: vec![StepName::Extraction, StepName::Interpretation],
        limit: SignedDuration::from_secs(120),
    }
}

/// The plans of all pipelines.
pub fn all_plans() -> Vec<PipelinePlan> {
    let with_all_steps = |pipeline: Pipeline| PipelinePlan {
        pipeline,
        steps: pipeline.steps().to_vec(),
        limit: SignedDuration::from_secs(120),
    };
    vec![document_plan(), with_all_steps(Pipeline::Proposal), with_all_steps(Pipeline::Link)]
}

impl StoreFixture {
    /// Registers a worker with a lease of 15 seconds from `now`.
    pub async fn worker(&self, now: Timestamp) -> WorkerId {
        let id = WorkerId::new();
        let lease = Some(Lease::Until(now + SignedDuration::from_secs(15)));
        let worker = Worker {
            id,
            name: "tester:1".to_owned(),
            slots: 4,
            started_at: now,
            seen_at: now,
            lease,
            program: None,
            scope: ClaimScope::default(),
        };
        self.store.workers.register(&worker).await.unwrap();
        id
    }

    /// Enqueues a document run.
    pub async fn enqueue(&self, subject: SubjectId, at: Timestamp) -> RunId {
        let new = document_run(subject);
        self.store.queue.enqueue(&new, at).await.unwrap().id
    }

    /// Claims up to `limit` runs of any pipeline, for a worker that has no run.
    pub async fn claim(&self, worker: WorkerId, at: Timestamp, limit: usize) -> Vec<ClaimedRun> {
        let plans = all_plans();
        let claim = ClaimRequest { worker, at, limit, is_idle: true, plans: &plans, lanes: None };
        self.store.queue.claim(claim).await.unwrap()
    }

    /// Claims one run. Panics if none is ready.
    pub async fn claim_one(&self, worker: WorkerId, at: Timestamp) -> ClaimedRun {
        let mut claimed = self.claim(worker, at, 1).await;
        assert_eq!(claimed.len(), 1, "a run is ready to be claimed");
        claimed.remove(0)
    }

    /// The run as it is stored.
    pub async fn run(&self, run: RunId) -> Run {
        self.store.run_reader.run(run).await.unwrap()
    }

    /// The stored state of a run, by name.
    pub async fn state(&self, run: RunId) -> &'static str {
        self.run(run).await.state.as_str()
    }

    /// The attempts of a run that have ended.
    pub async fn attempts(&self, run: RunId) -> Vec<RunAttempt> {
        let attempts = self.store.run_reader.attempts(run).await.unwrap();
        let events = self.events_of(EventFilter { run: Some(run), subject: None }).await;
        let ends: Vec<&Event> =
            events.iter().map(|recorded| &recorded.event).filter(|event| event.ends_attempt()).collect();
        assert_eq!(
            attempts.iter().map(|attempt| (attempt.outcome, attempt.ended_at)).collect::<Vec<_>>(),
            ends.iter().map(|event| (event.event_type, event.at)).collect::<Vec<_>>(),
            "the store and the domain differ on what ends an attempt"
        );
        attempts
    }

    /// The progress of each step of a run.
    pub async fn steps(&self, run: RunId) -> Vec<StepProgress> {
        self.store.run_reader.steps(run).await.unwrap()
    }

    /// Adds a document, with its first run if there is one, in the name of `tester`.
    pub async fn add_document(&self, document: &Document, run: Option<&NewRun>, at: Timestamp) {
        let added =
            self.store.documents.add(NewDocument::uploaded_by("tester", document, run), at).await.unwrap();
        assert!(matches!(added, AddOutcome::Added { .. }), "{added:?}");
    }

    /// Requests this run of its document, in the name of `actor`.
    pub async fn request_run(&self, run: &NewRun, actor: &str, at: Timestamp) -> PortResult<Run> {
        self.store.documents.reprocess(run, Document::reprocess_requested(run, actor, at)).await
    }

    /// Requests another run of a document, in the name of `tester`.
    pub async fn reprocess(&self, document: DocumentId, at: Timestamp) -> RunId {
        let run = document_run(document.into());
        self.request_run(&run, "tester", at).await.unwrap().id
    }

    /// Sets the language of a document, in the name of `tester`.
    pub async fn set_language(&self, document: DocumentId, language: Option<&str>, at: Timestamp) {
        let overridden = Document::language_overridden(document, "tester", at);
        self.store.documents.set_language(document, language, overridden).await.unwrap();
    }

    /// The whole history, oldest event first.
    pub async fn events(&self) -> Vec<RecordedEvent> {
        self.events_of(EventFilter::default()).await
    }

    /// The events that a filter lets through, oldest first.
    pub async fn events_of(&self, filter: EventFilter) -> Vec<RecordedEvent> {
        self.store.run_reader.events(EventId(0), filter, 10_000).await.unwrap()
    }

    /// The number of rows in a table.
    pub async fn count(&self, table: &str) -> i64 {
        self.sql.number(&format!("SELECT count(*) FROM {table}")).await
    }

    /// Checks that the database itself refuses each statement and that its message contains `reason`.
    pub async fn assert_refused(&self, statements: &[&str], reason: &str) {
        for statement in statements {
            let outcome = self.sql.execute(statement).await;
            assert!(
                outcome.as_ref().is_err_and(|message| message.contains(reason)),
                "{statement}: {outcome:?}"
            );
        }
    }
}
