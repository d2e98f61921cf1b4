//! The work itself: what the engine calls for each step of a run.

use async_trait::async_trait;
use quire_domain::{Failure, Run, StepName};
use quire_understanding::{Interpretation, MadeBy};
use tokio::sync::watch;

/// What a step is told.
#[derive(Clone, Debug)]
pub struct StepContext {
    /// The run.
    pub run: Run,
    /// Which step of it.
    pub step: StepName,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// Turns true when nobody waits for the result any more: the deadline passed, the lease was lost or the
    /// process stops. Whatever the step holds (a child process, a connection) it should let go at once.
    pub cancelled: watch::Receiver<bool>,
}

/// What a step produced. It is stored in the same transaction as the step's success.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepOutput {
    /// Type and payload of each artifact.
    pub artifacts: Vec<(String, String)>,
    /// What it understood of the document: the first version of it.
    pub interpretation: Option<Interpretation>,
    /// Who understood it.
    pub made_by: Option<MadeBy>,
}

/// The work of one step. It runs on threads of its own, never on those that serve requests and leases, so it may
/// compute or block; it must be safe to repeat.
#[async_trait]
pub trait Step: Send + Sync + 'static {
    /// Does the work once.
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure>;
}
