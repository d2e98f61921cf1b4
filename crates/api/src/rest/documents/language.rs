//! `PATCH /documents/{id}/language`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use quire_application::App;
use quire_application::document;
use quire_domain::DocumentId;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, JsonBody};
use crate::rest::openapi::{errors, names};

/// The language of a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LanguageChoice, example = json!({ "language_override": "es" }))]
pub(crate) struct SetLanguageRequest {
    /// An ISO 639-1 code; null lets the program detect the language. Required.
    #[serde(deserialize_with = "given")]
    #[schema(required = true, value_type = Option<names::Language>)]
    language_override: Option<String>,
}

fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

/// The language of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = LanguageSet)]
pub(crate) struct LanguageResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    language_override: Option<String>,
}

/// Sets the language of a document for its later runs.
#[utoipa::path(
    patch,
    path = "/documents/{id}/language",
    tag = "documents",
    operation_id = "set_language",
    params(("id" = Uuid, Path, description = "The document.")),
    request_body = SetLanguageRequest,
    responses((status = 200, description = "The new language.", body = LanguageResponse), errors::NotFound),
)]
pub(crate) async fn set_language(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    JsonBody(SetLanguageRequest { language_override }): JsonBody<SetLanguageRequest>,
) -> Result<Json<LanguageResponse>, ApiError> {
    let document_id = DocumentId(id);
    let language = language_override.as_deref();
    if language.is_some_and(|code| !document::is_language(code)) {
        return Err(ApiError::invalid("language_override", "must be an ISO 639-1 code such as es, or null"));
    }
    document::set_language(&app, document_id, language, &actor, Some(&correlation_id)).await?;
    Ok(Json(LanguageResponse { document_id, language_override }))
}
