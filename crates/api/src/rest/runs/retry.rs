//! `POST /runs/{id}/retry`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::run::{self, RetryError};
use quire_domain::RunId;

use super::show::RunResponse;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::errors;
use crate::{ApiError, ConflictReason};

/// Sends a failed run back to the queue, where its pipeline allows that.
///
/// Only runs of proposals are retried. Process a document again instead, and repeat a link with
/// `POST /v1/requests/{id}/retry`.
#[utoipa::path(
    post,
    path = "/runs/{id}/retry",
    tag = "runs",
    operation_id = "retry_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which is queued again.", body = RunResponse),
        errors::NotFound,
        errors::NotRetried,
    ),
)]
pub(crate) async fn retry(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<RunResponse>, ApiError> {
    let run = run::retry(&app, RunId(id), &actor).await?;
    // The stored run, which every later request shows.
    Ok(Json(RunResponse::of(run::show(&app, run.id).await?)))
}

impl From<RetryError> for ApiError {
    fn from(error: RetryError) -> Self {
        let message = error.to_string();
        match error {
            RetryError::DocumentRun | RetryError::LinkRun | RetryError::NotAllowed(_) => {
                Self::conflict(ConflictReason::RetryNotAllowed, message)
            }
            RetryError::Other(error) => error.into(),
        }
    }
}
