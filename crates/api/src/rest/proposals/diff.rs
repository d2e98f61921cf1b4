//! `GET /v1/runs/{first}/diff/{second}`

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quire_application::App;
use quire_application::proposal;
use quire_domain::RunId;
use quire_domain::proposal::RunComparison;

use crate::ApiError;
use crate::request::uuid;
use crate::rest::openapi::errors;

/// Compares two proposal runs.
///
/// Shows how the second run differs from the first: the sections of the proposal, the reviews, the decision.
#[utoipa::path(
    get,
    path = "/v1/runs/{first}/diff/{second}",
    tag = "proposals",
    operation_id = "compare_proposal_runs",
    params(
        ("first" = Uuid, Path, description = "The run to compare with."),
        ("second" = Uuid, Path, description = "The other run."),
    ),
    responses(
        (status = 200, description = "The differences.", body = Object, content_type = "application/json"),
        errors::NotFound,
    ),
)]
pub(crate) async fn diff(
    State(app): State<Arc<App>>,
    Path((first, second)): Path<(String, String)>,
) -> Result<Json<RunComparison>, ApiError> {
    let first = RunId(uuid("first", &first)?);
    let second = RunId(uuid("second", &second)?);
    Ok(Json(proposal::compare(&app, first, second).await?))
}
