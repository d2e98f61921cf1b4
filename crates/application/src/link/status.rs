//! How far a request has come.

use jiff::Timestamp;
use quire_domain::{Pipeline, Run, RunId, RunState, StepName, StepStatus};
use quire_ports::StepProgress;

use super::owner::visible;
use crate::{App, Result};

/// How far a request has come.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkStatus {
    /// Its run.
    pub run: Run,
    /// The step that is being executed, or that failed.
    pub stage: Option<StepName>,
    /// How many of its steps have succeeded.
    pub steps_done: usize,
    /// How many steps it has.
    pub steps: usize,
    /// How much is done, in percent.
    pub percentage: u8,
    /// Whether it can be repeated as a new request.
    pub can_retry: bool,
    /// When the run or a step of it last changed.
    pub updated_at: Timestamp,
}

/// The status of the request of that id.
pub async fn status(app: &App, id: RunId, actor: &str) -> Result<LinkStatus> {
    let run = visible(app, id, actor).await?.run;
    let reached = app.store.history.steps(id).await?;
    Ok(of(run, &reached))
}

fn of(run: Run, reached: &[StepProgress]) -> LinkStatus {
    let running = reached.iter().find(|step| step.status == StepStatus::Running).map(|step| step.step);
    let stage = match &run.state {
        RunState::Running { .. } => running,
        state => state.reason().and_then(|reason| reason.record.stage),
    };
    let percentage = match (&run.state, running) {
        (RunState::Completed { .. }, _) => 100,
        (RunState::Running { .. }, Some(StepName::LinkSummarization)) => 50,
        (RunState::Running { .. }, _) => 20,
        _ => 0,
    };
    let times = [Some(run.queued_at), run.state.started_at(), run.state.completed_at()];
    let of_steps = reached.iter().flat_map(|step| [step.started_at, step.completed_at]);
    LinkStatus {
        stage,
        steps_done: reached.iter().filter(|step| step.status == StepStatus::Succeeded).count(),
        steps: Pipeline::Link.steps().len(),
        percentage,
        can_retry: matches!(run.state, RunState::Failed { .. } | RunState::TimedOut { .. }),
        updated_at: times.into_iter().chain(of_steps).flatten().max().unwrap_or(run.created_at),
        run,
    }
}
