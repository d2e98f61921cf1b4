//! The work of a step. The engine calls it for each step of a run.

use async_trait::async_trait;
use quire_domain::{Failure, Run, SchemaRef, StepName};
use quire_understanding::{Interpretation, MadeBy};
use tokio::sync::watch;

use crate::links::NewSummary;
use crate::proposals::ProposalResult;
use crate::{Deadline, IndexedText, PortResult};

/// The input of a step.
#[derive(Clone, Debug)]
pub struct StepContext {
    /// The run.
    pub run: Run,
    /// Which step of it.
    pub step: StepName,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When the engine stops waiting for the result.
    pub deadline: Deadline,
    /// Becomes true when the engine no longer waits for the result: the deadline passed, the lease was lost or the
    /// process stops. The step must then release its resources, such as a child process or a connection, at once.
    pub cancelled: watch::Receiver<bool>,
}

/// The output of a step. It is stored in the same transaction as the step's success.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepOutput {
    /// Type and payload of each artifact.
    pub artifacts: Vec<(String, String)>,
    /// The interpretation of the document; it becomes the first version.
    pub interpretation: Option<Interpretation>,
    /// The interpreter that made it.
    pub made_by: Option<MadeBy>,
    /// The schema that it chose, if the run left the choice open.
    pub schema: Option<SchemaRef>,
    /// What the step made of a proposal.
    pub proposal: Option<ProposalResult>,
    /// The summary of a link request.
    pub summary: Option<NewSummary>,
    /// The text of the document for the search index.
    pub text: Option<IndexedText>,
}

/// The work of one step. It has its own threads and may compute or block, because requests and leases run elsewhere. It
/// must be safe to repeat.
#[async_trait]
pub trait Step: Send + Sync + 'static {
    /// Does the work once.
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure>;

    /// Fails while no run can do this step, for a reason outside the runs: the storage is not mounted or is full. The
    /// engine claims no run of the pipeline meanwhile.
    async fn ready(&self) -> PortResult<()> {
        Ok(())
    }
}
