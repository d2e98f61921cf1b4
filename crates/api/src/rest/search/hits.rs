//! `GET /documents/{id}/hits`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::search::{self, DocumentHit};
use quire_domain::DocumentId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::request::{Id, Parameters};
use crate::rest::documents::page_content::RectResponse;
use crate::rest::openapi::errors;

/// The hits of a query in a document.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentHits)]
pub(crate) struct DocumentHitsResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    /// The hits on its pages, in reading order.
    items: Vec<DocumentHitResponse>,
    /// Whether there are more than are listed.
    is_cut_short: bool,
}

/// A place on a page where a word or phrase of the query stands.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentHit)]
struct DocumentHitResponse {
    /// The page, from 1.
    page: u32,
    /// What stands there.
    text: String,
    /// Where on the page it stands.
    boxes: Vec<RectResponse>,
}

/// Lists every place on the pages of a document where a word or phrase of a query stands, in one response.
#[utoipa::path(
    get,
    path = "/documents/{id}/hits",
    tag = "search",
    operation_id = "list_hits_in_document",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("q" = String, Query, description = "The query, as for `/search`. Its filters are ignored.", min_length = 1, max_length = 2000),
    ),
    responses((status = 200, description = "The hits.", body = DocumentHitsResponse), errors::NotFound),
)]
pub(crate) async fn hits(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Json<DocumentHitsResponse>, ApiError> {
    let text = parameters
        .non_empty("q")
        .ok_or_else(|| ApiError::invalid("q", "is missing; name the words to find"))?;
    let document_id = DocumentId(id);
    let found = search::hits_in_document(&app, document_id, text).await?;
    let hit = |hit: DocumentHit| DocumentHitResponse {
        page: hit.page,
        text: hit.text,
        boxes: hit.boxes.into_iter().map(RectResponse::from).collect(),
    };
    let items = found.hits.into_iter().map(hit).collect();
    Ok(Json(DocumentHitsResponse { document_id, items, is_cut_short: found.is_cut_short }))
}
