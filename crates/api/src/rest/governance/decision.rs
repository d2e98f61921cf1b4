//! `POST /reviewer/structural-changes/{id}/decision`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::App;
use quire_application::governance::{self, DecisionError, DecisionRequest};
use quire_domain::{CandidateId, DecisionId, SchemaVersionId};
use quire_understanding::structural_change::{CandidateStatus, DecisionType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, JsonBody};
use crate::rest::openapi::{errors, names};
use crate::{ApiError, ConflictReason};

/// Characters of the longest reason.
const MAX_REASON: usize = 2_000;

/// A decision about a candidate.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Decision)]
pub(crate) struct DecideRequest {
    #[schema(value_type = names::DecisionType)]
    decision_type: String,
    /// The status of the candidate that the client saw. If it has changed since, the response is a conflict.
    #[serde(default)]
    #[schema(value_type = Option<names::CandidateStatus>)]
    seen_status: Option<String>,
    /// Whether the client saw the candidate as critical. If that has changed since, the response is a conflict.
    #[serde(default)]
    seen_critical: Option<bool>,
    /// The reason for the decision.
    #[serde(default)]
    #[schema(max_length = 2_000)]
    reason: Option<String>,
}

/// The recorded decision.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordedDecision)]
pub(crate) struct DecisionResponse {
    #[schema(value_type = Uuid)]
    decision_id: DecisionId,
    #[schema(value_type = Uuid)]
    candidate_id: CandidateId,
    #[schema(value_type = names::DecisionType)]
    decision_type: &'static str,
    /// The schema version that an approval created.
    #[schema(value_type = Option<Uuid>)]
    schema_version_id: Option<SchemaVersionId>,
    created_at: Timestamp,
}

/// Decides about a candidate for a change of a schema.
///
/// An approval creates a new version of the schema for later runs.
#[utoipa::path(
    post,
    path = "/reviewer/structural-changes/{id}/decision",
    tag = "governance",
    operation_id = "decide",
    params(("id" = Uuid, Path, description = "The candidate.")),
    request_body = DecideRequest,
    responses(
        (status = 200, description = "The recorded decision.", body = DecisionResponse),
        errors::NotFound,
        errors::DecisionConflict,
    ),
)]
pub(crate) async fn decide(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(reviewer): Caller,
    Id(id): Id,
    JsonBody(body): JsonBody<DecideRequest>,
) -> Result<Json<DecisionResponse>, ApiError> {
    let decision_type = DecisionType::parse(&body.decision_type).ok_or_else(|| {
        ApiError::invalid("decision_type", "must be APPROVE, REJECT, DEFER or FLAG_CRITICAL")
    })?;
    let seen_status = body.seen_status.as_deref().map(|name| {
        CandidateStatus::parse(name).ok_or_else(|| {
            ApiError::invalid("seen_status", "must be PENDING, APPROVED, REJECTED or DEFERRED")
        })
    });
    if body.reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON) {
        let must = format!("must have at most {MAX_REASON} characters");
        return Err(ApiError::invalid("reason", &must));
    }
    let request = DecisionRequest {
        candidate: CandidateId(id),
        decision_type,
        seen_status: seen_status.transpose()?,
        seen_critical: body.seen_critical,
        reason: body.reason,
        reviewer,
        correlation_id: Some(correlation_id),
    };
    let decision = governance::decide(&app, request).await?;
    Ok(Json(DecisionResponse {
        decision_id: decision.id,
        candidate_id: decision.candidate,
        decision_type: decision.decision_type.as_str(),
        schema_version_id: decision.schema_version,
        created_at: decision.created_at,
    }))
}

impl From<DecisionError> for ApiError {
    fn from(error: DecisionError) -> Self {
        let message = error.to_string();
        match error {
            DecisionError::Final | DecisionError::DecidedMeanwhile | DecisionError::SchemaChanged => {
                Self::conflict(ConflictReason::CandidateDecided, message)
            }
            DecisionError::Other(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use quire_application::Error;

    use super::*;

    #[test]
    fn only_a_decision_that_somebody_else_came_before_is_a_conflict_about_the_candidate() {
        for refused in [DecisionError::Final, DecisionError::DecidedMeanwhile, DecisionError::SchemaChanged] {
            assert!(ApiError::from(refused).is_conflict(ConflictReason::CandidateDecided));
        }
        let by_the_store =
            DecisionError::Other(Error::Conflict("a rule of the database refused it".to_owned()));
        assert!(ApiError::from(by_the_store).is_conflict(ConflictReason::StateChanged));
    }
}
