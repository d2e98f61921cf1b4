//! How far a request has come.

use jiff::Timestamp;
use quire_domain::link::can_retry;
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
    let reached = app.store.run_reader.steps(id).await?;
    Ok(of(run, &reached))
}

fn of(run: Run, reached: &[StepProgress]) -> LinkStatus {
    let running = reached.iter().find(|step| step.status == StepStatus::Running).map(|step| step.step);
    let stage = match &run.state {
        RunState::Running { .. } => running,
        state => state.reason().and_then(|reason| reason.record.stage),
    };
    let times = [Some(run.queued_at), run.state.started_at(), run.state.completed_at()];
    let of_steps = reached.iter().flat_map(|step| [step.started_at, step.completed_at]);
    LinkStatus {
        stage,
        steps_done: reached.iter().filter(|step| step.status == StepStatus::Succeeded).count(),
        steps: Pipeline::Link.steps().len(),
        percentage: percentage(&run.state, reached),
        can_retry: can_retry(&run.state),
        updated_at: times.into_iter().chain(of_steps).flatten().max().unwrap_or(run.created_at),
        run,
    }
}

/// How much is done. A run that waits or has failed keeps what it has reached.
fn percentage(state: &RunState, reached: &[StepProgress]) -> u8 {
    let has_begun = |name: StepName| reached.iter().any(|step| step.step == name);
    let has_read = reached
        .iter()
        .any(|step| step.step == StepName::LinkExtraction && step.status == StepStatus::Succeeded);
    match state {
        RunState::Completed { .. } => 100,
        _ if has_read || has_begun(StepName::LinkSummarization) => 50,
        RunState::Running { .. } => 20,
        _ if has_begun(StepName::LinkExtraction) => 20,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use quire_domain::run::{Failure, FailureReason, FailureType};

    use super::*;

    fn progress(step: StepName, status: StepStatus) -> StepProgress {
        StepProgress {
            step,
            status,
            attempt: 1,
            started_at: None,
            completed_at: None,
            error_code: None,
            error_message: None,
        }
    }

    /// A request that waits for a lane or for its next attempt has not lost what it has done.
    #[test]
    fn progress_never_falls_back() {
        let now = Timestamp::UNIX_EPOCH;
        let queued = RunState::Queued { available_at: Some(now), lane: None };
        let running = RunState::Running { started_at: now, deadline_at: None, worker: None };
        let record = Failure::permanent("X", "no").record(None, None);
        let reason = FailureReason { failure_type: FailureType::LlmFailed, record };
        let failed = RunState::Failed { started_at: Some(now), completed_at: now, reason };
        let done = RunState::Completed { started_at: now, completed_at: now };
        let reading = [progress(StepName::LinkExtraction, StepStatus::Running)];
        let read = [progress(StepName::LinkExtraction, StepStatus::Succeeded)];
        assert_eq!(percentage(&queued, &[]), 0);
        let history = [
            percentage(&running, &[]),
            percentage(&running, &reading),
            percentage(&queued, &reading),
            percentage(&running, &read),
            percentage(&queued, &read),
            percentage(&failed, &read),
            percentage(&done, &read),
        ];
        assert_eq!(history, [20, 20, 20, 50, 50, 50, 100]);
    }
}
