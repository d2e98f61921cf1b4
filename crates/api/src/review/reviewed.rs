//! `POST` and `DELETE /documents/{id}/reviewed`

use axum::extract::State;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::review;
use quire_domain::DocumentId;
use quire_ports::ReviewMark;
use serde::Serialize;

use crate::caller::Caller;
use crate::request::{Id, NoBody};
use crate::request_id::RequestId;
use crate::{ApiError, Product};

#[derive(Serialize)]
pub(crate) struct Marked {
    document_id: DocumentId,
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
}

pub(crate) async fn mark(
    State(product): State<Product>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    NoBody: NoBody,
) -> Result<Json<Marked>, ApiError> {
    let mark = review::mark_reviewed(&product.store, DocumentId(id), &actor, Some(&correlation_id)).await?;
    Ok(Json(shown(DocumentId(id), mark)))
}

pub(crate) async fn reopen(
    State(product): State<Product>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    NoBody: NoBody,
) -> Result<Json<Marked>, ApiError> {
    let mark = review::reopen(&product.store, DocumentId(id), &actor, Some(&correlation_id)).await?;
    Ok(Json(shown(DocumentId(id), mark)))
}

fn shown(document_id: DocumentId, mark: ReviewMark) -> Marked {
    Marked {
        document_id,
        review_status: mark.status.as_str(),
        reviewed_at: mark.reviewed_at,
        reviewed_by: mark.reviewed_by,
    }
}
