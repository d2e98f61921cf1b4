//! `PATCH /documents/{id}/language`

use axum::extract::State;
use axum::{Extension, Json};
use quire_application::document;
use quire_domain::DocumentId;
use serde::{Deserialize, Deserializer, Serialize};

use crate::caller::Caller;
use crate::request::{Id, JsonBody};
use crate::request_id::RequestId;
use crate::{ApiError, Product};

#[derive(Deserialize)]
pub(crate) struct Wish {
    /// Absent is a mistake; null clears it.
    #[serde(deserialize_with = "given")]
    language_override: Option<String>,
}

fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

#[derive(Serialize)]
pub(crate) struct Set {
    document_id: DocumentId,
    language_override: Option<String>,
}

pub(crate) async fn set_language(
    State(product): State<Product>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    JsonBody(Wish { language_override }): JsonBody<Wish>,
) -> Result<Json<Set>, ApiError> {
    let document_id = DocumentId(id);
    let language = language_override.as_deref();
    if language.is_some_and(|code| !document::is_language(code)) {
        return Err(ApiError::invalid(
            "language_override",
            "must be a language as ISO 639-1, such as es, or null",
        ));
    }
    document::set_language(&product.store, document_id, language, &actor, Some(&correlation_id)).await?;
    Ok(Json(Set { document_id, language_override }))
}
