//! What a suite needs of an adapter: a store on an empty, migrated database of its own, and a way past the ports to
//! try what the ports would never do.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    Document, DocumentId, NewRun, Pipeline, PipelinePlan, Priority, ReviewStatus, Run, RunId, StepName,
    SubjectId, WorkerId,
};
use quire_ports::{
    ClaimRequest, ClaimedRun, GovernanceDecision, Lease, PortResult, SchemaVersion, Store, Worker,
};
use quire_understanding::structure::decision_events;
use uuid::Uuid;

/// Statements sent straight to the database.
#[async_trait]
pub trait RawSql: Send + Sync {
    /// Runs a statement; how many rows it changed, or what the database said.
    async fn execute(&self, statement: &str) -> Result<u64, String>;

    /// The single number that a query answers.
    async fn number(&self, query: &str) -> i64;

    /// An identifier as a literal of this database.
    fn id(&self, id: Uuid) -> String;
}

/// A store to try things on.
pub struct StoreFixture {
    /// The store.
    pub store: Store,
    /// Past it.
    pub sql: Arc<dyn RawSql>,
    /// Whatever has to live as long: a temporary folder, a schema to drop.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A fixed moment to reckon from.
pub fn start() -> Timestamp {
    Timestamp::from_second(1_900_000_000).unwrap()
}

/// So many seconds after [`start`].
pub fn at(second: i64) -> Timestamp {
    start() + SignedDuration::from_secs(second)
}

/// A document that was taken in at [`start`].
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

/// A document run on a subject.
pub fn document_run(subject: SubjectId) -> NewRun {
    new_run(Pipeline::Document, subject, Priority::Normal)
}

/// A run on a subject.
pub fn new_run(pipeline: Pipeline, subject: SubjectId, priority: Priority) -> NewRun {
    NewRun { id: RunId::new(), pipeline, subject, priority, correlation_id: Some("corr-1".to_owned()) }
}

/// The document pipeline without search.
pub fn document_plan() -> PipelinePlan {
    PipelinePlan {
        pipeline: Pipeline::Document,
        steps: vec![StepName::Extraction, StepName::Interpretation],
        limit: SignedDuration::from_secs(120),
    }
}

/// Every pipeline, whole.
pub fn all_plans() -> Vec<PipelinePlan> {
    let whole = |pipeline: Pipeline| PipelinePlan {
        pipeline,
        steps: pipeline.steps().to_vec(),
        limit: SignedDuration::from_secs(120),
    };
    vec![document_plan(), whole(Pipeline::Proposal), whole(Pipeline::Link)]
}

impl StoreFixture {
    /// A worker with a lease of 15 seconds from `now`.
    pub async fn worker(&self, now: Timestamp) -> WorkerId {
        let id = WorkerId::new();
        let lease = Some(Lease::Until(now + SignedDuration::from_secs(15)));
        let worker =
            Worker { id, name: "tester:1".to_owned(), slots: 4, started_at: now, seen_at: now, lease };
        self.store.workers.register(&worker).await.unwrap();
        id
    }

    /// Accepts a document run.
    pub async fn enqueue(&self, subject: SubjectId, at: Timestamp) -> RunId {
        let new = document_run(subject);
        self.store.queue.enqueue(&new, at).await.unwrap().id
    }

    /// Accepts another run of a document, as somebody asks for it.
    pub async fn reprocess(&self, run: &NewRun, actor: &str, at: Timestamp) -> PortResult<Run> {
        self.store.documents.reprocess(run, Document::reprocess_requested(run, actor, at)).await
    }

    /// Sets the language of a document, or clears it.
    pub async fn set_language(
        &self,
        id: DocumentId,
        language: Option<&str>,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<()> {
        let overridden = Document::language_overridden(id, actor, at);
        self.store.documents.set_language(id, language, overridden).await
    }

    /// Records a decision with its events.
    pub async fn decide(
        &self,
        decision: &GovernanceDecision,
        version: Option<&SchemaVersion>,
    ) -> PortResult<()> {
        let events = decision_events(&decision.reviewer, version.is_some(), decision.created_at);
        self.store.governance.decide(decision, version, &events).await
    }

    /// Claims up to `limit` runs of any pipeline.
    pub async fn claim(&self, worker: WorkerId, at: Timestamp, limit: usize) -> Vec<ClaimedRun> {
        let plans = all_plans();
        self.store.queue.claim(ClaimRequest { worker, at, limit, plans: &plans }).await.unwrap()
    }

    /// Claims exactly one.
    pub async fn claim_one(&self, worker: WorkerId, at: Timestamp) -> ClaimedRun {
        let mut claimed = self.claim(worker, at, 1).await;
        assert_eq!(claimed.len(), 1, "there is one to claim");
        claimed.remove(0)
    }

    /// The stored state of a run, by name.
    pub async fn state(&self, run: RunId) -> &'static str {
        self.store.history.run(run).await.unwrap().state.as_str()
    }
}
