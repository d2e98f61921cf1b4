//! `POST /documents/{id}/reprocess`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::{
    self, ExtractorNotConfigured, ReprocessError, ReprocessOptions, UnknownSchema,
};
use quire_domain::{DocumentId, RunId};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, Parameters};
use crate::rest::openapi::{errors, names};
use crate::{ApiError, Code, ConflictReason};

/// A queued run.
#[derive(Serialize, ToSchema)]
#[schema(as = AcceptedRun)]
pub(crate) struct AcceptedRunResponse {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[schema(value_type = names::RunState)]
    state: &'static str,
    created_at: Timestamp,
}

/// Processes a document again.
#[utoipa::path(
    post,
    path = "/documents/{id}/reprocess",
    tag = "documents",
    operation_id = "reprocess_document",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("priority" = Option<names::Priority>, Query, description = "The priority of the run (default: normal)."),
        ("schema" = Option<String>, Query, description = "The schema of this run and of later ones; `auto` chooses the one that fits best (default: the document's)."),
        ("extractor" = Option<names::Extractor>, Query, description = "Who reads the document (default: as its schema or the settings say)."),
    ),
    responses(
        (status = 201, description = "The new run, which is queued.", body = AcceptedRunResponse),
        errors::UnknownSchema,
        errors::NotFound,
        errors::NotProcessed,
        errors::NoExtractor,
    ),
)]
pub(crate) async fn reprocess(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    parameters: Parameters,
) -> Result<(StatusCode, Json<AcceptedRunResponse>), ApiError> {
    let options = ReprocessOptions {
        priority: parameters.priority()?,
        extractor: parameters.extractor()?,
        schema: parameters.non_empty("schema").map(str::to_owned),
    };
    let run = document::request_reprocess(&app, DocumentId(id), options, &actor, correlation_id).await?;
    let accepted =
        AcceptedRunResponse { run_id: run.id, state: run.state.as_str(), created_at: run.created_at };
    Ok((StatusCode::CREATED, Json(accepted)))
}

impl From<ReprocessError> for ApiError {
    fn from(error: ReprocessError) -> Self {
        match error {
            ReprocessError::ProcessingDisabled => {
                Self::conflict(ConflictReason::ProcessingDisabled, error.to_string())
            }
            ReprocessError::NotConfigured(error) => error.into(),
            ReprocessError::UnknownSchema(error) => error.into(),
            ReprocessError::Other(error) => error.into(),
        }
    }
}

impl From<ExtractorNotConfigured> for ApiError {
    fn from(error: ExtractorNotConfigured) -> Self {
        Self::new(Code::ProviderNotConfigured, error.to_string())
            .with(json!({ "settings": ExtractorNotConfigured::SETTINGS }))
    }
}

impl From<UnknownSchema> for ApiError {
    fn from(error: UnknownSchema) -> Self {
        Self::new(Code::UnknownSchema, error.to_string())
            .with(json!({ "parameter": "schema", "known": error.known }))
    }
}
