//! `POST` and `DELETE /documents/{id}/reviewed`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::App;
use quire_application::review::{self, MarkRequest, ReviewMark};
use quire_domain::{DocumentId, ReviewStatus};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, NoBody};
use crate::rest::openapi::{errors, names};

/// The review status of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = ReviewMark)]
pub(crate) struct ReviewMarkResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    #[schema(value_type = names::ReviewStatus)]
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
}

/// Marks a document as reviewed.
///
/// Marking it again changes nothing. The mark teaches the calibration about the confidence of its fields: see `/calibration`.
#[utoipa::path(
    post,
    path = "/documents/{id}/reviewed",
    tag = "review",
    operation_id = "mark_reviewed",
    params(("id" = Uuid, Path, description = "The document.")),
    responses(
        (status = 200, description = "The review status.", body = ReviewMarkResponse),
        errors::Missing,
    ),
)]
pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    request_id: Extension<RequestId>,
    caller: Caller,
    id: Id,
    NoBody: NoBody,
) -> Result<Json<ReviewMarkResponse>, ApiError> {
    set_status(&app, request_id, caller, id, ReviewStatus::Reviewed).await
}

/// Reopens the review of a document.
///
/// What the calibration learnt from its mark is taken back.
#[utoipa::path(
    delete,
    path = "/documents/{id}/reviewed",
    tag = "review",
    operation_id = "reopen_review",
    params(("id" = Uuid, Path, description = "The document.")),
    responses(
        (status = 200, description = "The review status.", body = ReviewMarkResponse),
        errors::Missing,
    ),
)]
pub(crate) async fn reopen(
    State(app): State<Arc<App>>,
    request_id: Extension<RequestId>,
    caller: Caller,
    id: Id,
    NoBody: NoBody,
) -> Result<Json<ReviewMarkResponse>, ApiError> {
    set_status(&app, request_id, caller, id, ReviewStatus::InReview).await
}

async fn set_status(
    app: &App,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    to: ReviewStatus,
) -> Result<Json<ReviewMarkResponse>, ApiError> {
    let document = DocumentId(id);
    let request = MarkRequest { document, to, actor, correlation_id: Some(correlation_id) };
    let mark = review::mark(app, request).await?;
    Ok(Json(ReviewMarkResponse::of(document, mark)))
}

impl ReviewMarkResponse {
    fn of(document_id: DocumentId, mark: ReviewMark) -> Self {
        Self {
            document_id,
            review_status: mark.status.as_str(),
            reviewed_at: mark.reviewed_at,
            reviewed_by: mark.reviewed_by,
        }
    }
}
