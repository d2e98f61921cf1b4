//! `POST /runs/{id}/cancel`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::{App, Error, run};
use quire_domain::RunId;

use super::show::RunResponse;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::errors;
use crate::{ApiError, ConflictReason};

/// Cancels a run that is running.
///
/// It ends as FAILED with the failure type CANCELLED, and its worker stops within a second. What its steps have stored
/// stays. A run that is still queued is withdrawn instead.
#[utoipa::path(
    post,
    path = "/runs/{id}/cancel",
    tag = "runs",
    operation_id = "cancel_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which has ended.", body = RunResponse),
        errors::NotFound,
        errors::NotCancelled,
    ),
)]
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<RunResponse>, ApiError> {
    let run = run::cancel(&app, RunId(id), &actor).await.map_err(|error| match error {
        Error::Conflict(why) => ApiError::conflict(ConflictReason::RunNotRunning, why),
        error => error.into(),
    })?;
    // The stored run, which every later request shows.
    Ok(Json(RunResponse::of(run::show(&app, run.id).await?)))
}
