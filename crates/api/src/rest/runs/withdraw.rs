//! `POST /runs/{id}/withdraw`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::{App, run};
use quire_domain::RunId;

use super::show::Shown;
use crate::ApiError;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::errors;

/// Takes a run back that still waits for its turn.
#[utoipa::path(
    post,
    path = "/runs/{id}/withdraw",
    tag = "runs",
    operation_id = "withdraw_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which has ended.", body = Shown),
        errors::Missing,
        errors::Conflicting,
    ),
)]
pub(crate) async fn withdraw(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<Shown>, ApiError> {
    let run = run::withdraw(&app, RunId(id), &actor).await?;
    // The stored run, which every later request shows.
    Ok(Json(Shown::of(run::show(&app, run.id).await?)))
}
