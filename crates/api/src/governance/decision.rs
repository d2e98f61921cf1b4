//! `POST /reviewer/structural-changes/{id}/decision`

use axum::extract::State;
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::governance::{self, DecisionError, DecisionRequest};
use quire_domain::interpretation::structure::DecisionType;
use quire_domain::{CandidateId, DecisionId, SchemaVersionId};
use serde::{Deserialize, Serialize};

use crate::caller::Caller;
use crate::request::{Id, JsonBody};
use crate::request_id::RequestId;
use crate::{ApiError, Code, Product};

/// Characters of the longest reason.
const LONGEST_REASON: usize = 2_000;

#[derive(Deserialize)]
pub(crate) struct Wish {
    decision_type: String,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Recorded {
    decision_id: DecisionId,
    candidate_id: CandidateId,
    decision_type: &'static str,
    schema_version_id: Option<SchemaVersionId>,
    created_at: Timestamp,
}

pub(crate) async fn decide(
    State(product): State<Product>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(reviewer): Caller,
    Id(id): Id,
    JsonBody(wish): JsonBody<Wish>,
) -> Result<Json<Recorded>, ApiError> {
    let decision_type = DecisionType::parse(&wish.decision_type).ok_or_else(|| {
        ApiError::invalid("decision_type", "must be APPROVE, REJECT, DEFER or FLAG_CRITICAL")
    })?;
    if wish.reason.as_ref().is_some_and(|reason| reason.chars().count() > LONGEST_REASON) {
        let must = format!("must have at most {LONGEST_REASON} characters");
        return Err(ApiError::invalid("reason", &must));
    }
    let request = DecisionRequest {
        candidate: CandidateId(id),
        decision_type,
        reason: wish.reason,
        reviewer,
        correlation_id: Some(correlation_id),
    };
    let decision = governance::decide(&product.store, request).await?;
    Ok(Json(Recorded {
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
            DecisionError::Final => Self::new(Code::Conflict, message),
            DecisionError::Port(error) => error.into(),
        }
    }
}
