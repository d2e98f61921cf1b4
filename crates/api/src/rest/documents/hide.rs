//! `POST` and `DELETE /documents/{id}/hide`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::{App, document};
use quire_domain::{DocumentId, Hidden, HideChange};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, NoBody};
use crate::rest::openapi::errors;

/// Who has hidden a document, and when.
#[derive(Serialize, ToSchema)]
#[schema(as = Hidden)]
pub(crate) struct HiddenResponse {
    at: Timestamp,
    by: String,
}

impl From<Hidden> for HiddenResponse {
    fn from(hidden: Hidden) -> Self {
        Self { at: hidden.at, by: hidden.by }
    }
}

/// Whether a document is hidden.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentHidden)]
pub(crate) struct HideResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    /// Who has hidden it, and when. Null if it is not hidden.
    hidden: Option<HiddenResponse>,
}

/// Hides a document.
///
/// It leaves lists, searches, similar documents and exports at once. Nothing of it is deleted: it can be opened by its id, its
/// runs go on, and `hidden=only` lists it. Hiding a hidden document again changes nothing.
#[utoipa::path(
    post,
    path = "/documents/{id}/hide",
    tag = "documents",
    operation_id = "hide_document",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "Who has hidden it.", body = HideResponse), errors::NotFound),
)]
pub(crate) async fn hide(
    State(app): State<Arc<App>>,
    request_id: Extension<RequestId>,
    caller: Caller,
    id: Id,
    NoBody: NoBody,
) -> Result<Json<HideResponse>, ApiError> {
    set_hidden(&app, request_id, caller, id, HideChange::Hide).await
}

/// Shows a hidden document again.
///
/// It is back in lists, searches and exports at once. A document that is not hidden stays as it is.
#[utoipa::path(
    delete,
    path = "/documents/{id}/hide",
    tag = "documents",
    operation_id = "unhide_document",
    params(("id" = Uuid, Path, description = "The document.")),
    responses((status = 200, description = "The document is not hidden.", body = HideResponse), errors::NotFound),
)]
pub(crate) async fn unhide(
    State(app): State<Arc<App>>,
    request_id: Extension<RequestId>,
    caller: Caller,
    id: Id,
    NoBody: NoBody,
) -> Result<Json<HideResponse>, ApiError> {
    set_hidden(&app, request_id, caller, id, HideChange::Unhide).await
}

async fn set_hidden(
    app: &App,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    change: HideChange,
) -> Result<Json<HideResponse>, ApiError> {
    let document_id = DocumentId(id);
    let hidden = document::set_hidden(app, document_id, change, &actor, Some(&correlation_id)).await?;
    Ok(Json(HideResponse { document_id, hidden: hidden.map(HiddenResponse::from) }))
}
