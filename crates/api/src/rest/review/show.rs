//! `GET /documents/{id}/review`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use quire_application::App;
use quire_application::review::{self, ReviewError, ReviewView};
use quire_domain::{DocumentId, RunId};
use quire_understanding::calibration::ConfidencePolicy;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ShownVersion, View, tag};
use crate::ApiError;
use crate::error::Reason;
use crate::request::{Id, Parameters};
use crate::rest::openapi::{errors, names};
use crate::rest::runs::RunHead;

/// What there is to review.
#[derive(Serialize, ToSchema)]
#[schema(as = Review)]
struct Body {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    latest_completed_run: RunHead,
    active_interpretation: ShownVersion,
    raw_text_artifact: RawTextArtifact,
    #[schema(value_type = names::ReviewStatus)]
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
    confidence_policy: ShownPolicy,
}

/// How sure is sure, by the policy in effect. The bands of the fields follow from it.
#[derive(Serialize, ToSchema)]
#[schema(as = ConfidencePolicy)]
struct ShownPolicy {
    policy_version: String,
    band_cutoffs: BandCutoffs,
}

/// Confidence is low below the first, middling below the second, else high.
#[derive(Serialize, ToSchema)]
struct BandCutoffs {
    low_max: f64,
    mid_max: f64,
}

/// Whether the text of that run can be had.
#[derive(Serialize, ToSchema)]
struct RawTextArtifact {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    available: bool,
}

/// Shows what was understood of a document, for reviewing it.
///
/// It is the active version of the latest completed run. The `ETag` names that version, for `If-Match` of an edit.
#[utoipa::path(
    get,
    path = "/documents/{id}/review",
    tag = "review",
    operation_id = "show_review",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("view" = Option<names::View>, Query, description = "As a flat list, unless by visits."),
    ),
    responses(
        (status = 200, description = "What there is to review.", body = Body,
            headers(("ETag" = String, description = "The version, such as \"v3\"."))),
        errors::Missing,
        errors::NotReviewable,
    ),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let view = View::of(&parameters)?;
    let found = review::show(&app, DocumentId(id)).await?;
    let tag = tag(found.active.number);
    Ok(([(header::ETAG, tag)], Json(body(found, view, app.confidence_policy()))).into_response())
}

fn body(found: ReviewView, view: View, policy: &ConfidencePolicy) -> Body {
    let run = found.run;
    Body {
        document_id: found.overview.document.id,
        latest_completed_run: RunHead::of(&run),
        active_interpretation: ShownVersion::of(found.active, &found.schema, view, policy),
        raw_text_artifact: RawTextArtifact { run_id: run.id, available: found.has_text },
        review_status: found.overview.document.review_status.as_str(),
        reviewed_at: found.overview.reviewed_at,
        reviewed_by: found.overview.reviewed_by,
        confidence_policy: ShownPolicy {
            policy_version: policy.version.clone(),
            band_cutoffs: BandCutoffs { low_max: policy.low_max, mid_max: policy.mid_max },
        },
    }
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> Self {
        let message = error.to_string();
        match error {
            ReviewError::NoCompletedRun => Self::conflict(Reason::NoCompletedRun, message),
            ReviewError::Missing => Self::conflict(Reason::InterpretationMissing, message),
            ReviewError::Store(error) => error.into(),
        }
    }
}
