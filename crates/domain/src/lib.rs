//! The rules of Quire about runs, steps, documents and keys.
//!
//! This crate decides what may happen to a run, in which order steps run, and when a failed step is retried. It
//! consists of functions over plain data: no I/O, no clock, no database. Every rule can be tested on its own.

mod claim_scope;
pub mod credential;
pub mod document;
pub mod event;
mod hex;
pub mod hiding;
pub mod ids;
pub mod lane;
pub mod link;
pub mod pipeline;
pub mod plan;
pub mod proposal;
pub mod reading;
pub mod review;
pub mod run;

pub use claim_scope::{ClaimScope, NotAScope, ScopePart};
pub use credential::{PlaintextKey, Role, Roles};
pub use document::{Document, DocumentStatus, ReviewStatus, StatusDetails, status_of};
pub use event::{Event, EventDetails, EventId, EventType, RecordedEvent, StepStatus};
pub use hex::hex;
pub use hiding::{Hidden, HideChange};
pub use ids::{
    ArtifactId, CandidateId, DecisionId, DocumentId, FieldId, InstallationId, InterpretationId, KeyId,
    ModelCallId, RunId, SchemaVersionId, SubjectId, SummaryId, WorkerId,
};
pub use lane::{Lane, LaneClosing, LaneName, LanePause, LaneState, NotALane};
pub use pipeline::{Pipeline, StepName, UnknownName};
pub use plan::{PipelinePlan, ReachedStep, StepAttempt};
pub use review::{
    EditBase, EditBlocked, EditContext, MarkBlocked, ReviewEnd, SignedVersion, check_edit, check_mark,
};
pub use run::{
    AfterFailure, Continuation, FailureReason, GroupState, GroupWait, Orphaned, RunChange, SchemaRef,
    StepGroup, Turn, Wait,
};
pub use run::{
    Backoff, Effect, Failure, FailureKind, FailureRecord, FailureType, Fence, NewRun, Priority,
    RecoveryPolicy, RequeuePolicy, RetryPolicy, Run, RunState, RunStateName, Transition, TransitionRefused,
};
