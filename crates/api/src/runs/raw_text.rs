//! `GET /runs/{id}/artifacts/raw-text`

use axum::Json;
use axum::extract::State;
use quire_application::run::{self, TextError};
use quire_domain::RunId;
use serde::Serialize;

use crate::request::Id;
use crate::{ApiError, Code, Product, Reason};

#[derive(Serialize)]
pub(crate) struct RawTextBody {
    run_id: RunId,
    artifact_type: &'static str,
    content_type: &'static str,
    text: String,
}

pub(crate) async fn raw_text(
    State(product): State<Product>,
    Id(id): Id,
) -> Result<Json<RawTextBody>, ApiError> {
    let run_id = RunId(id);
    let text = run::raw_text(&product.store, &*product.blobs, run_id).await.map_err(refused)?;
    Ok(Json(RawTextBody { run_id, artifact_type: "RAW_TEXT", content_type: "text/plain", text }))
}

fn refused(error: TextError) -> ApiError {
    let message = error.to_string();
    match error {
        TextError::NotReady => ApiError::conflict(Reason::RawTextNotReady, message),
        TextError::NotAvailable => ApiError::conflict(Reason::RawTextNotAvailable, message),
        TextError::Missing => ApiError::new(Code::ArtifactMissing, message),
        TextError::Port(error) => error.into(),
    }
}
