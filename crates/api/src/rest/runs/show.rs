//! `GET /runs/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::run::{self, RunView, StepProgress};
use quire_domain::{RunId, StepStatus, SubjectId};
use serde::Serialize;
use utoipa::ToSchema;

use super::summary::RunSummary;
use crate::ApiError;
use crate::request::Id;
use crate::rest::model_usage::ModelUsageResponse;
use crate::rest::openapi::{errors, names};

/// A run and the status of its steps.
#[derive(Serialize, ToSchema)]
#[schema(as = Run)]
pub(crate) struct RunResponse {
    #[serde(flatten)]
    head: RunSummary,
    #[schema(value_type = names::Pipeline)]
    pipeline: &'static str,
    /// The document, proposal or link that it processes.
    #[schema(value_type = Uuid)]
    subject_id: SubjectId,
    error_code: Option<String>,
    error_message: Option<String>,
    queued_at: Timestamp,
    /// How many attempts at the run failed. 0 after a success at the first attempt.
    attempts: u32,
    retry_count: u32,
    language_used: Option<String>,
    correlation_id: Option<String>,
    steps: Vec<StepResponse>,
    /// What the run's requests to language models cost. None without a request.
    model_usage: Option<ModelUsageResponse>,
}

/// A step of a run.
#[derive(Serialize, ToSchema)]
#[schema(as = Step)]
struct StepResponse {
    #[schema(value_type = names::StepName)]
    step_name: &'static str,
    #[schema(value_type = names::StepStatus)]
    step_status: &'static str,
    attempt: u32,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    error_code: Option<String>,
}

/// Shows a run and the status of its steps.
#[utoipa::path(
    get,
    path = "/runs/{id}",
    tag = "runs",
    operation_id = "show_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses((status = 200, description = "The run.", body = RunResponse), errors::NotFound),
)]
pub(crate) async fn show(State(app): State<Arc<App>>, Id(id): Id) -> Result<Json<RunResponse>, ApiError> {
    Ok(Json(RunResponse::of(run::show(&app, RunId(id)).await?)))
}

impl RunResponse {
    pub(super) fn of(view: RunView) -> Self {
        let RunView { run, language_used, steps, model_usage } = view;
        let reason = run.state.reason();
        Self {
            head: RunSummary::of(&run),
            pipeline: run.pipeline.as_str(),
            subject_id: run.subject,
            error_code: reason.map(|reason| reason.record.error_code.clone()),
            error_message: reason.map(|reason| reason.record.message.clone()),
            queued_at: run.queued_at,
            attempts: run.failed_attempts,
            retry_count: run.retry_count,
            language_used,
            correlation_id: run.correlation_id,
            steps: steps.into_iter().map(step_response).collect(),
            model_usage: ModelUsageResponse::of_any(&model_usage),
        }
    }
}

fn step_response(progress: StepProgress) -> StepResponse {
    StepResponse {
        step_name: progress.step.as_str(),
        step_status: step_status(progress.status),
        attempt: progress.attempt,
        started_at: progress.started_at,
        ended_at: progress.completed_at,
        error_code: progress.error_code,
    }
}

/// The status of a step in the names of the API.
pub(crate) fn step_status(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "NOT_STARTED",
        status => status.as_str(),
    }
}
