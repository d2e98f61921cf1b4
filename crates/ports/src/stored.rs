//! What the columns of a stored run mean together, said once for all stores.

use jiff::Timestamp;
use quire_domain::SchemaRef;
use quire_domain::{
    FailureReason, FailureRecord, FailureType, Fence, Pipeline, Priority, Run, RunId, RunState, SubjectId,
    WorkerId,
};
use uuid::Uuid;

use crate::{DocumentFilter, PortError, PortResult};

/// By which of the ways of `documents/list.sql` documents are found.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)] // Each field is the parameter of its name.
pub struct ListWay {
    pub all: bool,
    pub states: [Option<&'static str>; 2],
    pub review: Option<&'static str>,
}

impl ListWay {
    /// The way to those documents.
    pub fn of(documents: DocumentFilter) -> Self {
        match documents {
            DocumentFilter::All => Self { all: true, ..Self::default() },
            DocumentFilter::Status(status) => {
                let mut any = status.states().iter().copied();
                Self { states: [any.next(), any.next()], ..Self::default() }
            }
            DocumentFilter::Review(status) => Self { review: Some(status.as_str()), ..Self::default() },
        }
    }
}

/// A run as its columns are.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct StoredRun {
    pub id: Uuid,
    pub pipeline: String,
    pub subject_id: Uuid,
    pub state: String,
    pub priority: i16,
    pub fence: i32,
    pub attempts: u32,
    pub retry_count: u32,
    pub created_at: Timestamp,
    pub queued_at: Timestamp,
    pub available_at: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    pub deadline_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub worker_id: Option<Uuid>,
    pub correlation_id: Option<String>,
    pub failure_type: Option<String>,
    pub error: Option<FailureRecord>,
    pub language: Option<String>,
    pub schema_name: Option<String>,
    pub schema_version: Option<u32>,
}

impl TryFrom<StoredRun> for Run {
    type Error = PortError;

    fn try_from(stored: StoredRun) -> PortResult<Self> {
        let priority = Priority::from_rank(stored.priority);
        Ok(Self {
            id: RunId(stored.id),
            pipeline: Pipeline::parse(&stored.pipeline).map_err(|why| PortError::Corrupt(why.to_string()))?,
            subject: SubjectId(stored.subject_id),
            priority: priority.ok_or_else(|| stored.misses("a known priority"))?,
            fence: Fence(stored.fence),
            attempts: stored.attempts,
            retry_count: stored.retry_count,
            created_at: stored.created_at,
            queued_at: stored.queued_at,
            state: stored.to_state()?,
            correlation_id: stored.correlation_id,
            language: stored.language,
            schema: stored
                .schema_name
                .zip(stored.schema_version)
                .map(|(name, version)| SchemaRef { name, version }),
        })
    }
}

impl StoredRun {
    fn to_state(&self) -> PortResult<RunState> {
        let started_at = self.started_at.ok_or_else(|| self.misses("a start"));
        let completed_at = self.completed_at.ok_or_else(|| self.misses("an end"));
        Ok(match self.state.as_str() {
            "QUEUED" => RunState::Queued { available_at: self.available_at },
            "RUNNING" => RunState::Running {
                started_at: started_at?,
                deadline_at: self.deadline_at,
                worker: self.worker_id.map(WorkerId),
            },
            "COMPLETED" => RunState::Completed { started_at: started_at?, completed_at: completed_at? },
            "FAILED" => RunState::Failed {
                started_at: self.started_at,
                completed_at: completed_at?,
                reason: self.to_reason()?,
            },
            "TIMED_OUT" => RunState::TimedOut {
                started_at: started_at?,
                completed_at: completed_at?,
                reason: self.to_reason()?,
            },
            _ => return Err(self.misses("a known state")),
        })
    }

    fn to_reason(&self) -> PortResult<FailureReason> {
        let failure_type = self.failure_type.as_deref().ok_or_else(|| self.misses("a failure type"))?;
        let record = self.error.clone().ok_or_else(|| self.misses("an error record"))?;
        Ok(FailureReason { failure_type: FailureType::parse(failure_type), record })
    }

    fn misses(&self, what: &str) -> PortError {
        PortError::Corrupt(format!("run {}, which is {}, has no {what}", self.id, self.state))
    }
}
