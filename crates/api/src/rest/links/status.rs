//! `GET /v1/requests/{id}/status`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::link::{self, LinkStatus};
use quire_domain::link::{failed_stage, request_status};
use quire_domain::{RunId, RunState, StepName};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::bodies::LinkErrorBody;
use crate::ApiError;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::{errors, names};

/// About how long a request still takes while it is processed, in seconds.
const SECONDS_LEFT: u32 = 8;

/// How far a request has come.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequestProgress)]
pub(crate) struct LinkStatusResponse {
    request_id: Uuid,
    #[schema(value_type = names::LinkRequestStatus)]
    status: &'static str,
    /// `extraction` or `summarization`, while it is processed; also `lock` if it failed.
    stage: Option<&'static str>,
    progress: ProgressBody,
    estimated_seconds_remaining: Option<u32>,
    error: Option<LinkErrorBody>,
    can_retry: bool,
    correlation_id: Option<String>,
    updated_at: Timestamp,
}

/// The steps of a request.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequestSteps)]
struct ProgressBody {
    /// The steps that have succeeded.
    current_step: usize,
    total_steps: usize,
    percentage: u8,
}

/// Shows how far a request has come.
#[utoipa::path(
    get,
    path = "/v1/requests/{id}/status",
    tag = "links",
    operation_id = "show_link_request_status",
    params(("id" = Uuid, Path, description = "The request.")),
    responses((status = 200, description = "The status.", body = LinkStatusResponse), errors::NotFound),
)]
pub(crate) async fn status(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<LinkStatusResponse>, ApiError> {
    Ok(Json(LinkStatusResponse::of(&link::status(&app, RunId(id), &actor).await?)))
}

impl LinkStatusResponse {
    fn of(status: &LinkStatus) -> Self {
        let run = &status.run;
        let is_processed = matches!(run.state, RunState::Running { .. });
        Self {
            request_id: run.id.0,
            status: request_status(&run.state),
            stage: failed_stage(&run.state).or(status.stage.map(StepName::as_str)),
            progress: ProgressBody {
                current_step: status.steps_done,
                total_steps: status.steps,
                percentage: status.percentage,
            },
            estimated_seconds_remaining: is_processed.then_some(SECONDS_LEFT),
            error: LinkErrorBody::of(run),
            can_retry: status.can_retry,
            correlation_id: run.correlation_id.clone(),
            updated_at: status.updated_at,
        }
    }
}
