//! `POST /v1/full-review`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use quire_application::App;
use quire_application::proposal::{self, ProposalScope};

use super::bodies::{IdeaRequest, JobEnqueuedResponse};
use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::JsonBody;
use crate::rest::openapi::errors;

/// Expands an idea, lets five personas review the proposal, and decides.
///
/// The response comes at once; the run follows in the background.
#[utoipa::path(
    post,
    path = "/v1/full-review",
    tag = "proposals",
    operation_id = "full_review",
    params(
        ("X-Schema-Version" = Option<String>, Header, description = "The version of the schemas; 1.0.0 is supported."),
        ("X-Prompt-Set-Version" = Option<String>, Header, description = "The version of the prompts; 1.0.0 is supported."),
    ),
    request_body = IdeaRequest,
    responses(
        (status = 202, description = "The run, which is queued.", body = JobEnqueuedResponse),
        errors::UnsupportedVersion,
        errors::NotValid,
        errors::NotConfigured,
    ),
)]
pub(crate) async fn full_review(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<IdeaRequest>,
) -> Result<(StatusCode, Json<JobEnqueuedResponse>), ApiError> {
    let new = body.checked(ProposalScope::Full, &headers, actor, correlation_id)?;
    let run = proposal::create(&app, new).await?;
    Ok((StatusCode::ACCEPTED, Json(JobEnqueuedResponse::of(&run, false))))
}
