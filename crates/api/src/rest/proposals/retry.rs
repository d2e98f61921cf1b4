//! `POST /v1/runs/{id}/retry`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::{App, proposal};
use quire_domain::RunId;

use super::show::ProposalRunResponse;
use crate::ApiError;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::errors;

/// Sends a failed proposal run back to the queue.
///
/// It resumes at its first unfinished step after a delay that doubles each time. The setting `max_retries` limits how often.
#[utoipa::path(
    post,
    path = "/v1/runs/{id}/retry",
    tag = "proposals",
    operation_id = "retry_proposal_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which is queued again.", body = ProposalRunResponse),
        errors::NotFound,
        errors::NotRetried,
    ),
)]
pub(crate) async fn retry(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<ProposalRunResponse>, ApiError> {
    Ok(Json(ProposalRunResponse::of(proposal::retry(&app, RunId(id), &actor).await?)))
}
