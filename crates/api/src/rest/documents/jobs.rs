//! `GET /documents/{id}/jobs`: the runs of a document as jobs.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::{self, DocumentJob};
use quire_domain::DocumentId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiError;
use crate::request::Id;
use crate::rest::openapi::{errors, names};

/// The runs of a document as jobs, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = Jobs)]
pub(crate) struct JobsResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    jobs: Vec<JobResponse>,
}

/// A run as a job.
#[derive(Serialize, ToSchema)]
#[schema(as = Job)]
struct JobResponse {
    #[schema(value_type = names::JobStatus)]
    status: String,
    attempts: u32,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    /// The failed attempts.
    error_log: Vec<JobError>,
}

/// A failed attempt of a run.
#[derive(Serialize, Deserialize, ToSchema)]
struct JobError {
    at: Option<String>,
    attempt: u32,
    stage: Option<String>,
    error_code: Option<String>,
    message: Option<String>,
}

/// Lists the runs of a document as jobs.
#[utoipa::path(
    get,
    path = "/documents/{id}/jobs",
    tag = "documents",
    operation_id = "list_jobs",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "The jobs, oldest first.", body = JobsResponse), errors::NotFound),
)]
pub(crate) async fn jobs(State(app): State<Arc<App>>, Id(id): Id) -> Result<Json<JobsResponse>, ApiError> {
    let document_id = DocumentId(id);
    let jobs = document::jobs(&app, document_id).await?;
    let jobs = jobs.into_iter().map(job_response).collect::<Result<_, _>>()?;
    Ok(Json(JobsResponse { document_id, jobs }))
}

fn job_response(job: DocumentJob) -> Result<JobResponse, ApiError> {
    let log = serde_json::from_str(&job.error_log);
    Ok(JobResponse {
        status: job.status,
        attempts: job.attempts,
        started_at: job.started_at,
        completed_at: job.completed_at,
        error_log: log.map_err(|error| ApiError::internal(&error.to_string()))?,
    })
}
