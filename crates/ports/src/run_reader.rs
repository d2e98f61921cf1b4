//! Reading runs: as they are now, their history and what they produced. These methods change nothing.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{
    ArtifactId, EventId, EventType, FailureRecord, Fence, Pipeline, Priority, RecordedEvent, Run, RunId,
    RunStateName, StepName, StepStatus, SubjectId, WorkerId,
};

use crate::PortResult;

/// Which runs to list.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only of this pipeline.
    pub pipeline: Option<Pipeline>,
    /// Only in this state.
    pub state: Option<RunStateName>,
    /// Only of this subject.
    pub subject: Option<SubjectId>,
    /// Only runs older than this one, for paging.
    pub before: Option<RunId>,
    /// At most this many.
    pub limit: u32,
}

/// Which events to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventFilter {
    /// Only of this run.
    pub run: Option<RunId>,
    /// Only of this subject.
    pub subject: Option<SubjectId>,
}

/// The progress of a step of a run: what its last event says, unless the step was reset when its run was put back into the
/// queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepProgress {
    /// The step.
    pub step: StepName,
    /// Its status.
    pub status: StepStatus,
    /// Its latest attempt, from 1, or the next one while it is pending.
    pub attempt: u32,
    /// When it last started.
    pub started_at: Option<Timestamp>,
    /// When it last ended.
    pub completed_at: Option<Timestamp>,
    /// The code of its failure.
    pub error_code: Option<String>,
    /// The message of its failure.
    pub error_message: Option<String>,
}

/// One change of a step: an append-only record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// The step.
    pub step: StepName,
    /// The new status.
    pub status: StepStatus,
    /// The attempt, from 1.
    pub attempt: u32,
    /// When that attempt started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The code of its failure.
    pub error_code: Option<String>,
    /// The details of its failure.
    pub details: Option<FailureRecord>,
}

/// One attempt at a run that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAttempt {
    /// The fencing token of the attempt.
    pub fence: Fence,
    /// The worker.
    pub worker: Option<WorkerId>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Timestamp,
    /// The event that ended it.
    pub outcome: EventType,
    /// The failure, if it failed.
    pub failure: Option<FailureRecord>,
}

/// An artifact of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its identity.
    pub id: ArtifactId,
    /// Its type.
    pub artifact_type: String,
    /// Its content, or a reference to it.
    pub payload: String,
    /// When it was recorded.
    pub created_at: Timestamp,
}

/// A run of a document as the view `document_processing_jobs` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentJob {
    /// The document.
    pub document: SubjectId,
    /// PENDING, PROCESSING, COMPLETED or FAILED.
    pub status: String,
    /// The number of attempts that failed.
    pub attempts: u32,
    /// When the current or last attempt started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// A JSON list of the failures, oldest first.
    pub error_log: String,
}

/// The number of queued runs of one pipeline and priority, and the longest wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueDepth {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// The priority.
    pub priority: Priority,
    /// The number of queued runs.
    pub queued: u64,
    /// When the longest wait began.
    pub oldest_queued_at: Option<Timestamp>,
}

/// The number of runs that failed at the same step with the same code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFailures {
    /// The step.
    pub step: StepName,
    /// The code of the failure.
    pub error_code: Option<String>,
    /// The number of runs.
    pub count: u64,
}

/// Reads runs: as they are now, their history and what they produced.
#[async_trait]
pub trait RunReader: Send + Sync {
    /// The run of that id.
    async fn run(&self, id: RunId) -> PortResult<Run>;

    /// Runs, newest first.
    async fn runs(&self, filter: &RunFilter) -> PortResult<Vec<Run>>;

    /// Events after `after`, oldest first, at most `limit`. A caller that continues from the last id it got misses no
    /// event. Events of types that this program does not know are left out.
    async fn events(&self, after: EventId, filter: EventFilter, limit: u32)
    -> PortResult<Vec<RecordedEvent>>;

    /// The id of the newest event; 0 without events. It is read from an index and cheap to query often.
    async fn newest_event(&self) -> PortResult<EventId>;

    /// The progress of each step of a run, in order. Steps that were never reached are left out.
    async fn steps(&self, run: RunId) -> PortResult<Vec<StepProgress>>;

    /// Every change of every step of a run, oldest first.
    async fn step_records(&self, run: RunId) -> PortResult<Vec<StepRecord>>;

    /// The newest runs of a document, at most `limit`, each with every change of its steps; oldest first in both.
    async fn processing(&self, document: SubjectId, limit: u32) -> PortResult<Vec<(Run, Vec<StepRecord>)>>;

    /// The attempts of a run that have ended, oldest first.
    async fn attempts(&self, run: RunId) -> PortResult<Vec<RunAttempt>>;

    /// The artifacts of a run, oldest first.
    async fn artifacts(&self, run: RunId) -> PortResult<Vec<Artifact>>;

    /// The artifact of this type from the subject's newest run that has one, and that run.
    async fn latest_artifact(
        &self,
        subject: SubjectId,
        artifact_type: &str,
    ) -> PortResult<Option<(RunId, Artifact)>>;

    /// A document's runs as the view `document_processing_jobs` shows them: the newest 200, oldest first.
    async fn jobs(&self, document: SubjectId) -> PortResult<Vec<DocumentJob>>;

    /// The numbers of queued runs by pipeline and priority.
    async fn queue_depth(&self) -> PortResult<Vec<QueueDepth>>;

    /// The numbers of FAILED steps by step and code, most frequent first.
    async fn failures(&self) -> PortResult<Vec<StepFailures>>;
}
