//! `GET /documents/{id}/jobs`: the runs of a document in the words of the job view.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_domain::DocumentId;
use quire_ports::Job;
use serde::Serialize;
use serde_json::Value;

use crate::request::Id;
use crate::{ApiError, Product};

/// Oldest first.
#[derive(Serialize)]
pub(crate) struct Jobs {
    document_id: DocumentId,
    jobs: Vec<ShownJob>,
}

#[derive(Serialize)]
struct ShownJob {
    status: String,
    attempts: u32,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    error_log: Value,
}

pub(crate) async fn jobs(State(product): State<Product>, Id(id): Id) -> Result<Json<Jobs>, ApiError> {
    let document_id = DocumentId(id);
    product.store.documents.find(document_id).await?;
    let jobs = product.store.history.jobs(document_id.into()).await?;
    let jobs = jobs.into_iter().map(shown).collect::<Result<_, _>>()?;
    Ok(Json(Jobs { document_id, jobs }))
}

fn shown(job: Job) -> Result<ShownJob, ApiError> {
    let log = serde_json::from_str(&job.error_log);
    Ok(ShownJob {
        status: job.status,
        attempts: job.attempts,
        started_at: job.started_at,
        completed_at: job.completed_at,
        error_log: log.map_err(|error| ApiError::internal(&error.to_string()))?,
    })
}
