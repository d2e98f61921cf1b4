//! `POST /documents/{id}/reprocess`

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::document;
use quire_domain::{DocumentId, RunId};
use serde::Serialize;

use crate::caller::Caller;
use crate::request::{Id, Parameters};
use crate::request_id::RequestId;
use crate::{ApiError, Code, Product};

#[derive(Serialize)]
pub(crate) struct Accepted {
    run_id: RunId,
    state: &'static str,
    created_at: Timestamp,
}

pub(crate) async fn reprocess(
    State(product): State<Product>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    parameters: Parameters,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let priority = parameters.priority()?;
    if !product.processing {
        product.store.documents.find(DocumentId(id)).await?;
        return Err(ApiError::new(Code::Conflict, "processing is switched off on this server"));
    }
    let run =
        document::reprocess(&product.store, DocumentId(id), priority, &actor, Some(correlation_id)).await?;
    let accepted = Accepted { run_id: run.id, state: run.state.as_str(), created_at: run.created_at };
    Ok((StatusCode::CREATED, Json(accepted)))
}
