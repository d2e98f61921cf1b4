//! `GET /documents/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::{self, DocumentView};
use quire_application::search;
use quire_domain::{DocumentId, FailureType, hex};
use serde::Serialize;
use utoipa::ToSchema;

use super::hide::HiddenResponse;
use crate::ApiError;
use crate::request::Id;
use crate::rest::openapi::{errors, names};
use crate::rest::runs::RunSummary;
use crate::rest::search::similar::NearDuplicateResponse;

/// A document and the status of its processing.
#[derive(Serialize, ToSchema)]
#[schema(as = Document)]
pub(crate) struct DocumentResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    original_filename: String,
    content_type: String,
    /// In bytes.
    file_size: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    status_label: &'static str,
    status_message: &'static str,
    #[schema(value_type = Option<names::FailureType>)]
    failure_type: Option<&'static str>,
    #[schema(value_type = names::ReviewStatus)]
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
    language_override: Option<String>,
    /// Who has hidden it, and when. Null if it is not hidden.
    hidden: Option<HiddenResponse>,
    /// The schema that interprets it.
    schema_name: String,
    latest_run: Option<LatestRunResponse>,
    /// SHA-256 of the file.
    content_hash: String,
    /// The newest other documents with the same content. Absent from the response to an upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Uuid>>)]
    duplicates: Option<Vec<DocumentId>>,
    /// Other documents with almost the same text, once the text is read. Absent from the response to an upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    similar_documents: Option<Vec<NearDuplicateResponse>>,
}

/// The latest run of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = LatestRun)]
struct LatestRunResponse {
    #[serde(flatten)]
    head: RunSummary,
    language_used: Option<String>,
}

/// Shows a document and the status of its processing.
#[utoipa::path(
    get,
    path = "/documents/{id}",
    tag = "documents",
    operation_id = "show_document",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "The document.", body = DocumentResponse), errors::NotFound),
)]
pub(crate) async fn detail(
    State(app): State<Arc<App>>,
    Id(id): Id,
) -> Result<Json<DocumentResponse>, ApiError> {
    let view = document::detail(&app, DocumentId(id)).await?;
    let duplicates = document::duplicates(&app, &view.overview.document).await?;
    let similar = search::near_duplicates(&app, DocumentId(id)).await?;
    Ok(Json(DocumentResponse {
        duplicates: Some(duplicates),
        similar_documents: Some(similar.into_iter().map(NearDuplicateResponse::from).collect()),
        ..DocumentResponse::of(view)
    }))
}

impl DocumentResponse {
    /// The response without duplicates and similar documents.
    pub(crate) fn of(view: DocumentView) -> Self {
        let DocumentView { overview, processing, language_used } = view;
        let document = overview.document;
        Self {
            document_id: document.id,
            original_filename: document.original_filename,
            content_type: document.content_type,
            file_size: document.file_size,
            created_at: document.created_at,
            updated_at: overview.updated_at,
            status: processing.status.as_str(),
            status_label: processing.status.label(),
            status_message: processing.message,
            failure_type: processing.failure_type.map(FailureType::as_str),
            review_status: document.review_status.as_str(),
            reviewed_at: overview.reviewed_at,
            reviewed_by: overview.reviewed_by,
            language_override: document.language_override,
            hidden: overview.hidden.map(HiddenResponse::from),
            schema_name: document.schema,
            latest_run: overview
                .latest_run
                .map(|run| LatestRunResponse { head: RunSummary::of(&run), language_used }),
            content_hash: hex(&document.content_hash),
            duplicates: None,
            similar_documents: None,
        }
    }
}
