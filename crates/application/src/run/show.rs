//! A run and its steps.

use quire_domain::{Run, RunId, RunState, StepName, StepStatus};
use quire_ports::{ModelUsage, StepProgress};

use super::raw_text::language_used;
use crate::{App, Result};

/// A run with the progress of its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// The run.
    pub run: Run,
    /// The language in which it read its document; until then the requested language, if any.
    pub language_used: Option<String>,
    /// The steps that it has reached, in order.
    pub steps: Vec<StepProgress>,
    /// What its calls to language models cost.
    pub model_usage: ModelUsage,
}

/// The run of that id.
pub async fn show(app: &App, id: RunId) -> Result<RunView> {
    let run = app.store.run_reader.run(id).await?;
    let steps = app.store.run_reader.steps(id).await?;
    let language_used = language_used(&app.store, &run).await?;
    let model_usage = app.store.model_calls.usage_of_run(id).await?;
    Ok(RunView { run, language_used, steps, model_usage })
}

/// The progress of the steps that a run has reached, in order.
pub async fn steps(app: &App, id: RunId) -> Result<Vec<StepProgress>> {
    Ok(app.store.run_reader.steps(id).await?)
}

/// The step that is being executed, if the run is RUNNING.
pub async fn current_step(app: &App, run: &Run) -> Result<Option<StepName>> {
    if !matches!(run.state, RunState::Running { .. }) {
        return Ok(None);
    }
    let steps = app.store.run_reader.steps(run.id).await?;
    Ok(steps.iter().find(|step| step.status == StepStatus::Running).map(|step| step.step))
}
