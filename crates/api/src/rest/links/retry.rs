//! `POST /v1/requests/{id}/retry`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use quire_application::App;
use quire_application::link;
use quire_domain::RunId;
use quire_domain::link::request_status;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::ApiError;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::{errors, names};

/// The request that repeats a failed one.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequestRetried)]
pub(crate) struct LinkRequestRetried {
    new_request_id: Uuid,
    /// That of the failed request, with a suffix.
    correlation_id: Option<String>,
    #[schema(value_type = names::LinkRequestStatus)]
    status: &'static str,
    created_at: Timestamp,
}

/// Repeats a failed request as a new one.
#[utoipa::path(
    post,
    path = "/v1/requests/{id}/retry",
    tag = "links",
    operation_id = "retry_link_request",
    params(("id" = Uuid, Path, description = "The failed request.")),
    responses(
        (status = 202, description = "The new request, which is queued.", body = LinkRequestRetried),
        errors::NotFound,
        errors::NotRetried,
        errors::NotConfigured,
    ),
)]
pub(crate) async fn retry(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<(StatusCode, Json<LinkRequestRetried>), ApiError> {
    let run = link::retry(&app, RunId(id), &actor).await?;
    let body = LinkRequestRetried {
        new_request_id: run.id.0,
        correlation_id: run.correlation_id,
        status: request_status(&run.state),
        created_at: run.created_at,
    };
    Ok((StatusCode::ACCEPTED, Json(body)))
}
