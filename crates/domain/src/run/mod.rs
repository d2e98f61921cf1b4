//! Runs: their states, and what may happen to them.

mod events;
mod failure;
mod fence;
mod orphans;
mod priority;
mod retry;
mod state;
mod step_group;
mod transition;
mod turn;

pub use events::{RunningStep, last_event, late_write_refused, run_created, step_interrupted, step_started};
pub use failure::{Failure, FailureKind, FailureRecord, FailureType};
pub use fence::Fence;
pub use orphans::{Orphaned, may_start};
pub use priority::Priority;
pub use retry::{AfterFailure, Backoff, LONGEST_POSTPONEMENT, RecoveryPolicy, RequeuePolicy, RetryPolicy};
pub use state::{Continuation, FailureReason, NewRun, Run, RunState, RunStateName, SchemaRef};
pub use step_group::{GroupState, GroupWait, StepGroup};
pub use transition::{Effect, RunChange, Transition, TransitionRefused, Wait, apply, create};
pub use turn::Turn;
