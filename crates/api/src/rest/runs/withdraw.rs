//! `POST /runs/{id}/withdraw`

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

/// Withdraws a run that is still queued.
#[utoipa::path(
    post,
    path = "/runs/{id}/withdraw",
    tag = "runs",
    operation_id = "withdraw_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which has ended.", body = RunResponse),
        errors::NotFound,
        errors::NotWithdrawn,
    ),
)]
pub(crate) async fn withdraw(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<RunResponse>, ApiError> {
    let run = run::withdraw(&app, RunId(id), &actor).await.map_err(|error| match error {
        Error::Conflict(why) => ApiError::conflict(ConflictReason::RunNotQueued, why),
        error => error.into(),
    })?;
    // The stored run, which every later request shows.
    Ok(Json(RunResponse::of(run::show(&app, run.id).await?)))
}
