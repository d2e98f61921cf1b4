//! The processing status of a document, for its reviewer.

use quire_application::document::DocumentView;
use quire_application::{App, run};
use quire_domain::{DocumentStatus, FailureType, Pipeline, Role, RunId, RunState, StepName, StepStatus};

use super::super::visitor::Visitor;
use super::super::words::Words;
use crate::ApiError;

const STEP: &str = "review.step_";
const FAILED: &str = "review.failed_";

/// A document without an interpretation to review.
pub(super) struct ProcessingView {
    /// Its newest run.
    pub(super) run: Option<RunId>,
    pub(super) title: &'static str,
    pub(super) steps: Vec<StepRow>,
    pub(super) failure: Option<FailureView>,
    /// Whether the visitor may process it.
    pub(super) is_offered: bool,
}

/// A step of its run.
pub(super) struct StepRow {
    pub(super) title: &'static str,
    /// The class of its icon.
    pub(super) tone: &'static str,
    pub(super) status: &'static str,
}

/// Why a run failed.
pub(super) struct FailureView {
    pub(super) text: &'static str,
    /// The error code, explained at `/errors/`.
    pub(super) code: String,
}

/// A run that is newer than the interpretation.
pub(super) struct NewerRun {
    pub(super) text: &'static str,
    pub(super) failure: Option<FailureView>,
}

impl ProcessingView {
    pub(super) async fn load(app: &App, visitor: &Visitor, view: &DocumentView) -> Result<Self, ApiError> {
        let words = visitor.language.words();
        let run = view.overview.latest_run.as_ref();
        let steps = match run {
            Some(run) => steps(app, words, run.id, &run.state).await?,
            None => Vec::new(),
        };
        let title = match (view.processing.status, run.map(|run| &run.state)) {
            (DocumentStatus::Uploaded, _) => "review.not_started",
            (_, Some(RunState::Queued { .. })) => "review.queued",
            (DocumentStatus::Processing, _) => "review.processing",
            (DocumentStatus::Completed, _) => "review.nothing_to_review",
            (DocumentStatus::Failed | DocumentStatus::TimedOut, _) => "review.failed",
        };
        Ok(Self {
            run: run.map(|run| run.id),
            title: words.get(title),
            steps,
            failure: run.and_then(|run| FailureView::of(words, &run.state)),
            is_offered: visitor.may(Role::Operate)
                && app.is_processing_enabled()
                && view.processing.status != DocumentStatus::Processing,
        })
    }
}

impl NewerRun {
    /// The newest run, if it is not the one that is shown.
    pub(super) fn of(visitor: &Visitor, view: &DocumentView, shown: RunId) -> Option<Self> {
        let words = visitor.language.words();
        let run = view.overview.latest_run.as_ref().filter(|run| run.id != shown)?;
        let text = match run.state {
            RunState::Queued { .. } => "review.newer_run_queued",
            RunState::Running { .. } => "review.newer_run_processing",
            RunState::Failed { .. } | RunState::TimedOut { .. } => "review.newer_run_failed",
            RunState::Completed { .. } => return None,
        };
        Some(Self { text: words.get(text), failure: FailureView::of(words, &run.state) })
    }
}

impl FailureView {
    fn of(words: &'static Words, state: &RunState) -> Option<Self> {
        let reason = state.reason()?;
        let named = |kind: FailureType| words.find(&format!("{FAILED}{}", kind.as_str().to_lowercase()));
        let text = named(reason.failure_type).or_else(|| named(FailureType::UnknownError));
        Some(Self { text: text.unwrap_or_default(), code: reason.record.error_code.clone() })
    }
}

/// The steps of the document pipeline, reached or not.
async fn steps(
    app: &App,
    words: &'static Words,
    id: RunId,
    state: &RunState,
) -> Result<Vec<StepRow>, ApiError> {
    let reached = run::steps(app, id).await?;
    let has_ended = state.reason().is_some();
    let named = Pipeline::Document.steps().iter().filter_map(|step| {
        let title = words.find(&format!("{STEP}{}", step.as_str().to_lowercase()))?;
        let progress = reached.iter().find(|progress| progress.step == *step);
        if progress.is_none() && *step == StepName::Embedding {
            return None;
        }
        let (tone, status) = match progress.map(|progress| progress.status) {
            Some(StepStatus::Succeeded) => ("reviewed", "review.status_done"),
            Some(StepStatus::Running) if !has_ended => ("processing", "review.status_running"),
            Some(StepStatus::Failed | StepStatus::Running) => ("error", "review.status_failed"),
            Some(StepStatus::Pending) | None => ("", "review.status_waiting"),
        };
        Some(StepRow { title, tone, status: words.get(status) })
    });
    Ok(named.collect())
}
