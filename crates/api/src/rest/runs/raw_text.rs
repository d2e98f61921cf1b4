//! `GET /runs/{id}/artifacts/raw-text`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::run::{self, RawTextError};
use quire_domain::RunId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::Id;
use crate::rest::openapi::errors;
use crate::{ApiError, Code, ConflictReason};

/// The text of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = RawText)]
pub(crate) struct RawTextResponse {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[schema(example = "RAW_TEXT")]
    artifact_type: &'static str,
    #[schema(example = "text/plain")]
    content_type: &'static str,
    text: String,
}

/// Returns the text that a run read from its document.
#[utoipa::path(
    get,
    path = "/runs/{id}/artifacts/raw-text",
    tag = "runs",
    operation_id = "show_raw_text",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The text.", body = RawTextResponse),
        errors::NotFound,
        errors::NoText,
        errors::FileMissing,
    ),
)]
pub(crate) async fn raw_text(
    State(app): State<Arc<App>>,
    Id(id): Id,
) -> Result<Json<RawTextResponse>, ApiError> {
    let run_id = RunId(id);
    let text = run::raw_text(&app, run_id).await.map_err(raw_text_error)?;
    Ok(Json(RawTextResponse { run_id, artifact_type: "RAW_TEXT", content_type: "text/plain", text }))
}

fn raw_text_error(error: RawTextError) -> ApiError {
    let message = error.to_string();
    match error {
        RawTextError::NotReady => ApiError::conflict(ConflictReason::RawTextNotReady, message),
        RawTextError::NotAvailable => ApiError::conflict(ConflictReason::RawTextNotAvailable, message),
        RawTextError::Missing => ApiError::new(Code::ArtifactMissing, message),
        RawTextError::Other(error) => error.into(),
    }
}
