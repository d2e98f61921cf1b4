//! `GET /documents/{id}/review`

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use quire_application::review::{self, ReviewError, ReviewView};
use quire_domain::{DocumentId, RunId};
use serde::Serialize;

use super::{ShownVersion, View, tag};
use crate::error::Reason;
use crate::request::{Id, Parameters};
use crate::{ApiError, Product};

#[derive(Serialize)]
struct Body {
    document_id: DocumentId,
    latest_completed_run: CompletedRun,
    active_interpretation: ShownVersion,
    raw_text_artifact: RawTextArtifact,
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
}

#[derive(Serialize)]
struct CompletedRun {
    run_id: RunId,
    state: &'static str,
    completed_at: Option<Timestamp>,
    failure_type: Option<&'static str>,
    schema_version_used: Option<u32>,
}

#[derive(Serialize)]
struct RawTextArtifact {
    run_id: RunId,
    available: bool,
}

pub(crate) async fn show(
    State(product): State<Product>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let view = View::of(&parameters)?;
    let found = review::view(&product.store, &*product.blobs, DocumentId(id)).await?;
    let tag = tag(found.active.number);
    Ok(([(header::ETAG, tag)], Json(body(found, view))).into_response())
}

fn body(found: ReviewView, view: View) -> Body {
    let run = found.run;
    Body {
        document_id: found.overview.document.id,
        latest_completed_run: CompletedRun {
            run_id: run.id,
            state: run.state.as_str(),
            completed_at: run.state.completed_at(),
            failure_type: run.state.reason().map(|reason| reason.failure_type.as_str()),
            schema_version_used: run.schema.map(|schema| schema.version),
        },
        active_interpretation: ShownVersion::of(found.active, &found.schema, view),
        raw_text_artifact: RawTextArtifact { run_id: run.id, available: found.has_text },
        review_status: found.overview.document.review_status.as_str(),
        reviewed_at: found.overview.reviewed_at,
        reviewed_by: found.overview.reviewed_by,
    }
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> Self {
        let message = error.to_string();
        match error {
            ReviewError::NoCompletedRun => Self::conflict(Reason::NoCompletedRun, message),
            ReviewError::Missing => Self::conflict(Reason::InterpretationMissing, message),
            ReviewError::Port(error) => error.into(),
        }
    }
}
