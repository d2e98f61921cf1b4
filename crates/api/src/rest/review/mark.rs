//! `POST` and `DELETE /documents/{id}/reviewed`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::App;
use quire_application::review::{self, MarkError, MarkRequest, MarkResult, ReviewChange};
use quire_domain::{DocumentId, RunId, SignedVersion};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::edit::version_number;
use crate::caller::Caller;
use crate::error::ConflictReason;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, JsonBody, NoBody, uuid};
use crate::rest::openapi::{errors, names};
use crate::{ApiError, Code};

/// The version that the reviewer saw. `GET /documents/{id}/review` shows both numbers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MarkReviewed)]
pub(crate) struct MarkReviewedRequest {
    /// The `run_id` of the latest completed run.
    #[serde(default)]
    #[schema(value_type = Uuid, required = true)]
    run_id: Option<Value>,
    /// The `version_number` of its active version.
    #[serde(default)]
    #[schema(value_type = u32, required = true, minimum = 1, maximum = 2_147_483_647, example = 1)]
    version_number: Option<Value>,
}

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
    /// The run whose interpretation was reviewed. Null if the document is not reviewed.
    #[schema(value_type = Option<Uuid>)]
    reviewed_run_id: Option<RunId>,
    /// The version of it that was reviewed.
    reviewed_version_number: Option<u32>,
    /// The critical keys without a value in that version.
    empty_critical_keys: Vec<String>,
}

/// Marks a document as reviewed, as it stands in the version that the reviewer saw.
///
/// The document stays reviewed while that version is the active one of its latest completed run: an edit, a newer run that
/// completes, or a reopening ends it. If another version is active, the 409 names it. Marking the same version again changes
/// nothing. The mark teaches the calibration about the confidence of its fields: see `/calibration`.
#[utoipa::path(
    post,
    path = "/documents/{id}/reviewed",
    tag = "review",
    operation_id = "mark_reviewed",
    params(("id" = Uuid, Path, description = "The document.")),
    request_body = MarkReviewedRequest,
    responses(
        (status = 200, description = "The review status.", body = ReviewMarkResponse),
        errors::NotFound,
        errors::NotMarkable,
    ),
)]
pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    request_id: Extension<RequestId>,
    caller: Caller,
    id: Id,
    JsonBody(body): JsonBody<MarkReviewedRequest>,
) -> Result<Json<ReviewMarkResponse>, ApiError> {
    let signed = signed(&body)?;
    set_status(&app, request_id, caller, id, ReviewChange::Mark(signed)).await
}

fn signed(body: &MarkReviewedRequest) -> Result<SignedVersion, ApiError> {
    let missing = |name| ApiError::invalid(name, "is missing; GET /documents/{id}/review shows it");
    let run = body.run_id.as_ref().ok_or_else(|| missing("run_id"))?;
    let run = RunId(uuid("run_id", run.as_str().unwrap_or_default())?);
    let number = body.version_number.as_ref().ok_or_else(|| missing("version_number"))?;
    let number = version_number(number)
        .ok_or_else(|| ApiError::invalid("version_number", "must be a whole number from 1"))?;
    Ok(SignedVersion { run, number })
}

/// Reopens the review of a document.
///
/// The calibration counts of the mark are reverted.
#[utoipa::path(
    delete,
    path = "/documents/{id}/reviewed",
    tag = "review",
    operation_id = "reopen_review",
    params(("id" = Uuid, Path, description = "The document.")),
    responses(
        (status = 200, description = "The review status.", body = ReviewMarkResponse),
        errors::NotFound,
    ),
)]
pub(crate) async fn reopen(
    State(app): State<Arc<App>>,
    request_id: Extension<RequestId>,
    caller: Caller,
    id: Id,
    NoBody: NoBody,
) -> Result<Json<ReviewMarkResponse>, ApiError> {
    set_status(&app, request_id, caller, id, ReviewChange::Reopen).await
}

async fn set_status(
    app: &App,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    change: ReviewChange,
) -> Result<Json<ReviewMarkResponse>, ApiError> {
    let document = DocumentId(id);
    let request = MarkRequest { document, change, actor, correlation_id: Some(correlation_id) };
    let result = review::set_review_status(app, request).await?;
    Ok(Json(ReviewMarkResponse::of(document, result)))
}

impl ReviewMarkResponse {
    fn of(document_id: DocumentId, result: MarkResult) -> Self {
        let mark = result.mark;
        Self {
            document_id,
            review_status: mark.status.as_str(),
            reviewed_at: mark.reviewed_at,
            reviewed_by: mark.reviewed_by,
            reviewed_run_id: mark.signed.map(|signed| signed.run),
            reviewed_version_number: mark.signed.map(|signed| signed.number),
            empty_critical_keys: result.empty_critical_keys,
        }
    }
}

impl From<MarkError> for ApiError {
    fn from(error: MarkError) -> Self {
        let message = error.to_string();
        match error {
            MarkError::NoCompletedRun => Self::conflict(ConflictReason::NoCompletedRun, message),
            MarkError::Missing => Self::conflict(ConflictReason::InterpretationMissing, message),
            MarkError::Stale(active) => Self::new(Code::Conflict, message).with(json!({
                "reason": ConflictReason::StaleInterpretationVersion.as_str(),
                "run_id": active.run,
                "version_number": active.number,
            })),
            MarkError::Other(error) => error.into(),
        }
    }
}
