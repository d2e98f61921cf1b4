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
use crate::rest::runs::{RunHead, step_status};

/// The runs of a document and their steps.
#[derive(Serialize, ToSchema)]
#[schema(as = ProcessingHistory)]
pub(crate) struct History {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    runs: Vec<HistoryRun>,
    /// Only the newest few hundred runs are told of.
    older_runs_left_out: bool,
}

/// A run, with each attempt at each of its steps.
#[derive(Serialize, ToSchema)]
struct HistoryRun {
    #[serde(flatten)]
    head: RunHead,
    steps: Vec<HistoryStep>,
}

/// An attempt at a step.
#[derive(Serialize, ToSchema)]
struct HistoryStep {
    #[schema(value_type = names::StepName)]
    step_name: &'static str,
    #[schema(value_type = names::StepStatus)]
    step_status: &'static str,
    attempt: u32,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    error_code: Option<String>,
    details: Option<Particulars>,
}

/// More about a failure.
#[derive(Serialize, ToSchema)]
#[schema(as = FailureDetails)]
struct Particulars {
    message: String,
}

/// Tells every run of a document, with each attempt at each step.
#[utoipa::path(
    get,
    path = "/documents/{id}/processing-history",
    tag = "documents",
    operation_id = "show_history",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "Its runs, the newest first.", body = History), errors::Missing),
)]
pub(crate) async fn history(State(app): State<Arc<App>>, Id(id): Id) -> Result<Json<History>, ApiError> {
    let document_id = DocumentId(id);
    let found = document::history(&app, document_id).await?;
    let runs = found.runs.into_iter().map(|(run, steps)| shown(&run, steps)).collect();
    Ok(Json(History { document_id, runs, older_runs_left_out: found.leaves_out_older }))
}

fn shown(run: &Run, steps: Vec<StepRecord>) -> HistoryRun {
    HistoryRun { head: RunHead::of(run), steps: steps.into_iter().map(step).collect() }
}

fn step(record: StepRecord) -> HistoryStep {
    HistoryStep {
        step_name: record.step.as_str(),
        step_status: step_status(record.status),
        attempt: record.attempt,
        started_at: record.started_at,
        ended_at: record.ended_at,
        error_code: record.error_code,
        details: record.details.map(|failure| Particulars { message: failure.message }),
    }
}
