//! `GET /documents/{id}/review`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::pages::{self, PageNotice};
use quire_application::review::{self, ReviewError, ReviewView};
use quire_domain::{DocumentId, RunId};
use quire_understanding::calibration::ConfidencePolicy;
use serde::Serialize;
use utoipa::ToSchema;

use super::{InterpretationFormat, VersionResponse, etag};
use crate::ApiError;
use crate::error::ConflictReason;
use crate::request::{Id, Parameters};
use crate::rest::documents::page_content::UnreadPageResponse;
use crate::rest::openapi::{errors, names};
use crate::rest::runs::RunSummary;

/// A document to review.
#[derive(Serialize, ToSchema)]
#[schema(as = Review)]
struct ReviewResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    latest_completed_run: RunSummary,
    active_interpretation: VersionResponse,
    raw_text_artifact: RawTextAvailability,
    #[schema(value_type = names::ReviewStatus)]
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
    confidence_policy: ConfidencePolicyResponse,
    /// The pages whose text is not complete.
    page_notices: Vec<PageNoticeResponse>,
}

/// What is missing in the text of a page.
#[derive(Serialize, ToSchema)]
#[schema(as = PageNotice)]
struct PageNoticeResponse {
    /// From 1.
    page: usize,
    /// The number of words that an opaque mark hides, such as a black bar.
    covered_words: usize,
    /// Whether fields are read from the hidden words, because `reading.covered_text` says so.
    covered_used: bool,
    /// Why the page could not be read. Null if it was read.
    unread: Option<UnreadPageResponse>,
    /// Why data that the file contains beside its pages, such as the XML of an e-invoice, could not be read. The fields then
    /// come from the pages alone.
    data_problem: Option<String>,
}

/// The confidence policy in effect. The bands of the fields follow from it.
#[derive(Serialize, ToSchema)]
#[schema(as = ConfidencePolicy)]
struct ConfidencePolicyResponse {
    policy_version: String,
    band_cutoffs: BandCutoffs,
}

/// Confidence is low below `low_max`, mid below `mid_max`, and high from there on.
#[derive(Serialize, ToSchema)]
struct BandCutoffs {
    low_max: f64,
    mid_max: f64,
}

/// Whether the text of the run is available.
#[derive(Serialize, ToSchema)]
#[schema(as = RawTextArtifact)]
struct RawTextAvailability {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    available: bool,
}

/// Shows the interpretation of a document for its review.
///
/// It is the active version of the latest completed run. Its `ETag` is the `If-Match` of an edit.
#[utoipa::path(
    get,
    path = "/documents/{id}/review",
    tag = "review",
    operation_id = "show_review",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("view" = Option<names::View>, Query, description = "The format of the interpretation (default: flat)."),
    ),
    responses(
        (status = 200, description = "The interpretation to review.", body = ReviewResponse,
            headers(("ETag" = String, description = "The version, such as \"v3\"."))),
        errors::NotFound,
        errors::NotReviewable,
    ),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let format = InterpretationFormat::of(&parameters)?;
    let found = review::show(&app, DocumentId(id)).await?;
    let notices = pages::notices(&app, found.run.id).await?;
    let etag = etag(found.active.number);
    let body = response(found, notices, format, app.confidence_policy());
    Ok(([(header::ETAG, etag)], Json(body)).into_response())
}

fn response(
    found: ReviewView,
    notices: Vec<PageNotice>,
    format: InterpretationFormat,
    policy: &ConfidencePolicy,
) -> ReviewResponse {
    let run = found.run;
    ReviewResponse {
        document_id: found.document.id,
        latest_completed_run: RunSummary::of(&run),
        active_interpretation: VersionResponse::of(found.active, &found.schema, format, policy),
        raw_text_artifact: RawTextAvailability { run_id: run.id, available: found.has_text },
        review_status: found.document.review_status.as_str(),
        reviewed_at: found.reviewed_at,
        reviewed_by: found.reviewed_by,
        confidence_policy: ConfidencePolicyResponse {
            policy_version: policy.version.clone(),
            band_cutoffs: BandCutoffs { low_max: policy.low_max, mid_max: policy.mid_max },
        },
        page_notices: notices.into_iter().map(Into::into).collect(),
    }
}

impl From<PageNotice> for PageNoticeResponse {
    fn from(notice: PageNotice) -> Self {
        let PageNotice { page, covered_words, covered_used, unread, data_problem } = notice;
        Self { page, covered_words, covered_used, unread: unread.map(Into::into), data_problem }
    }
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> Self {
        let message = error.to_string();
        match error {
            ReviewError::NoCompletedRun => Self::conflict(ConflictReason::NoCompletedRun, message),
            ReviewError::Missing => Self::conflict(ConflictReason::InterpretationMissing, message),
            ReviewError::Other(error) => error.into(),
        }
    }
}
