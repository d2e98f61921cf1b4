//! `GET /documents/{id}/processing-history`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::{self, StepRecord};
use quire_domain::{DocumentId, Run};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::request::Id;
use crate::rest::openapi::{errors, names};
use crate::rest::runs::{RunSummary, step_status};

/// The runs of a document and the attempts at their steps.
#[derive(Serialize, ToSchema)]
#[schema(as = ProcessingHistory)]
pub(crate) struct ProcessingHistoryResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    runs: Vec<HistoryRunResponse>,
    /// Whether older runs are left out: only the newest 200 are listed.
    older_runs_left_out: bool,
}

/// A run with each attempt at each of its steps.
#[derive(Serialize, ToSchema)]
#[schema(as = HistoryRun)]
struct HistoryRunResponse {
    #[serde(flatten)]
    head: RunSummary,
    steps: Vec<HistoryStepResponse>,
}

/// An attempt at a step.
#[derive(Serialize, ToSchema)]
#[schema(as = HistoryStep)]
struct HistoryStepResponse {
    #[schema(value_type = names::StepName)]
    step_name: &'static str,
    #[schema(value_type = names::StepStatus)]
    step_status: &'static str,
    attempt: u32,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    error_code: Option<String>,
    details: Option<FailureDetailsResponse>,
}

/// Details of a failure.
#[derive(Serialize, ToSchema)]
#[schema(as = FailureDetails)]
struct FailureDetailsResponse {
    message: String,
}

/// Lists the runs of a document with each attempt at each step.
#[utoipa::path(
    get,
    path = "/documents/{id}/processing-history",
    tag = "documents",
    operation_id = "show_history",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "The runs, oldest first.", body = ProcessingHistoryResponse), errors::NotFound),
)]
pub(crate) async fn history(
    State(app): State<Arc<App>>,
    Id(id): Id,
) -> Result<Json<ProcessingHistoryResponse>, ApiError> {
    let document_id = DocumentId(id);
    let found = document::history(&app, document_id).await?;
    let runs = found.runs.into_iter().map(|(run, steps)| run_response(&run, steps)).collect();
    Ok(Json(ProcessingHistoryResponse { document_id, runs, older_runs_left_out: found.leaves_out_older }))
}

fn run_response(run: &Run, steps: Vec<StepRecord>) -> HistoryRunResponse {
    HistoryRunResponse { head: RunSummary::of(run), steps: steps.into_iter().map(step_response).collect() }
}

fn step_response(record: StepRecord) -> HistoryStepResponse {
    HistoryStepResponse {
        step_name: record.step.as_str(),
        step_status: step_status(record.status),
        attempt: record.attempt,
        started_at: record.started_at,
        ended_at: record.ended_at,
        error_code: record.error_code,
        details: record.details.map(|failure| FailureDetailsResponse { message: failure.message }),
    }
}
