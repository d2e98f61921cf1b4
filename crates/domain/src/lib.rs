//! The rules of Quire, and nothing else.
//!
//! What may happen to a run, in which order steps go, when a failure is worth another attempt: all of it is
//! decided here by plain functions over plain data. This crate does no I/O, reads no clock and knows no database,
//! so that every rule can be read, tested and trusted on its own.

pub mod credential;
pub mod document;
pub mod event;
mod hex;
pub mod ids;
pub mod pipeline;
pub mod reading;
pub mod review;
pub mod run;

pub use credential::{PlaintextKey, Role, Roles};
pub use document::{Document, DocumentStatus, ReviewStatus, StatusDetails, status_of};
pub use event::{Event, EventDetails, EventId, EventType, RecordedEvent, StepStatus};
pub use hex::hex;
pub use ids::{
    ArtifactId, CandidateId, DecisionId, DocumentId, FieldId, InterpretationId, KeyId, RunId,
    SchemaVersionId, SubjectId, WorkerId,
};
pub use pipeline::{Pipeline, PipelinePlan, StepName, UnknownName};
pub use review::{EditBlocked, check_edit};
pub use run::{
    Backoff, Effect, Failure, FailureKind, FailureRecord, FailureType, Fence, NewRun, Priority,
    RecoveryPolicy, Refusal, RequeuePolicy, RetryPolicy, Run, RunState, Transition,
};
pub use run::{Change, FailureReason, SchemaRef, Turn};
