//! `POST /v1/full-review`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use quire_application::App;
use quire_application::proposal::{self, ProposalScope};

use super::bodies::{IdeaRequest, JobEnqueuedResponse, VersionHeaders};
use super::sent_idea::SentIdea;
use crate::ApiError;
use crate::rest::openapi::errors;

/// Expands an idea, lets five personas review the proposal, and decides.
///
/// The response comes at once; the run follows in the background.
#[utoipa::path(
    post,
    path = "/v1/full-review",
    tag = "proposals",
    operation_id = "full_review",
    params(VersionHeaders),
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
    sent: SentIdea,
) -> Result<(StatusCode, Json<JobEnqueuedResponse>), ApiError> {
    let (new, warnings) = sent.checked(ProposalScope::Full)?;
    let run = proposal::create(&app, new).await?;
    Ok((StatusCode::ACCEPTED, Json(JobEnqueuedResponse::of(&run, false, warnings))))
}
