//! `GET /documents/{id}/similar`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::search::{self, NearDuplicate, SimilarDocument};
use quire_domain::DocumentId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::request::{Id, Parameters};
use crate::rest::documents::list::{ListedDocumentResponse, listed_document};
use crate::rest::openapi::errors;

/// The default and the largest number of documents.
const DEFAULT_LIMIT: u32 = 10;
const MAX_LIMIT: u32 = 50;

/// The documents that are like another one.
#[derive(Serialize, ToSchema)]
#[schema(as = SimilarDocuments)]
pub(crate) struct SimilarDocumentsResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    /// Near-duplicates first, then the documents whose text is nearest.
    items: Vec<SimilarDocumentResponse>,
}

/// A document that is like another one.
#[derive(Serialize, ToSchema)]
#[schema(as = SimilarDocument)]
struct SimilarDocumentResponse {
    document: ListedDocumentResponse,
    /// Whether both have almost the same text.
    is_near_duplicate: bool,
    /// The share of text that both have in common, from 0 to 1, as estimated; null if it is too small to be found.
    resemblance: Option<f64>,
    /// How near the vectors of the texts are: 1 if they are the same; null if they are not near.
    similarity: Option<f64>,
}

/// A document that has almost the same text.
#[derive(Serialize, ToSchema)]
#[schema(as = NearDuplicate)]
pub(crate) struct NearDuplicateResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    /// The share of text that both have in common, from 0 to 1, as estimated.
    resemblance: f64,
}

impl From<NearDuplicate> for NearDuplicateResponse {
    fn from(found: NearDuplicate) -> Self {
        Self { document_id: found.document, resemblance: found.resemblance }
    }
}

/// Lists documents that are like this one: near-duplicates by their text, and others by the vectors of their texts.
#[utoipa::path(
    get,
    path = "/documents/{id}/similar",
    tag = "search",
    operation_id = "list_similar_documents",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("limit" = Option<u32>, Query, description = "The number of items (default: 10).", minimum = 1, maximum = 50),
    ),
    responses(
        (status = 200, description = "The documents. None before the text of the document is read.", body = SimilarDocumentsResponse),
        errors::NotFound,
    ),
)]
pub(crate) async fn similar(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Json<SimilarDocumentsResponse>, ApiError> {
    let limit = parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let document_id = DocumentId(id);
    let found = search::similar_documents(&app, document_id, limit as usize).await?;
    let item = |found: SimilarDocument| SimilarDocumentResponse {
        is_near_duplicate: found.is_near_duplicate(),
        document: listed_document(found.document),
        resemblance: found.resemblance,
        similarity: found.similarity,
    };
    Ok(Json(SimilarDocumentsResponse { document_id, items: found.into_iter().map(item).collect() }))
}
