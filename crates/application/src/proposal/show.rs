//! Show a proposal run.

use jiff::Timestamp;
use quire_domain::{Pipeline, RunId, StepName, StepStatus};
use quire_ports::{ModelUsage, ProposalRun, StepProgress};

use crate::{App, Result};

/// A proposal run with the progress of all its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalView {
    /// The run and what is stored about it.
    pub proposal: ProposalRun,
    /// Its seven steps, in order.
    pub steps: Vec<StepView>,
    /// When the run or a step of it last changed.
    pub updated_at: Timestamp,
    /// What its calls to language models cost.
    pub usage: ModelUsage,
}

/// The progress of a step. One that has not started is pending.
#[derive(Clone, Debug, PartialEq)]
pub struct StepView {
    /// The step.
    pub step: StepName,
    /// Its status.
    pub status: StepStatus,
    /// When its last attempt started.
    pub started_at: Option<Timestamp>,
    /// When its last attempt ended.
    pub completed_at: Option<Timestamp>,
    /// The code of the failure of its last attempt.
    pub error_code: Option<String>,
    /// Why its last attempt failed.
    pub error_message: Option<String>,
}

/// The proposal run of that id.
pub async fn show(app: &App, id: RunId) -> Result<ProposalView> {
    let proposal = app.store.proposals.proposal(id).await?;
    let reached = app.store.run_reader.steps(id).await?;
    let usage = app.store.model_calls.usage_of_run(id).await?;
    let steps: Vec<StepView> = Pipeline::Proposal.steps().iter().map(|step| view(*step, &reached)).collect();
    let run = &proposal.run;
    let times = [Some(run.queued_at), run.state.started_at(), run.state.completed_at()];
    let of_steps = steps.iter().flat_map(|step| [step.started_at, step.completed_at]);
    let updated_at = times.into_iter().chain(of_steps).flatten().max().unwrap_or(run.created_at);
    Ok(ProposalView { proposal, steps, updated_at, usage })
}

fn view(step: StepName, reached: &[StepProgress]) -> StepView {
    let progress = reached.iter().find(|progress| progress.step == step);
    StepView {
        step,
        status: progress.map_or(StepStatus::Pending, |progress| progress.status),
        started_at: progress.and_then(|progress| progress.started_at),
        completed_at: progress.and_then(|progress| progress.completed_at),
        error_code: progress.and_then(|progress| progress.error_code.clone()),
        error_message: progress.and_then(|progress| progress.error_message.clone()),
    }
}
