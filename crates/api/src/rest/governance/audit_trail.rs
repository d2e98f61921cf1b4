//! `GET /reviewer/governance/audit-trail`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::governance::{self, GovernanceDecision};
use quire_domain::{CandidateId, DecisionId, SchemaVersionId};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::ApiError;
use crate::request::Parameters;
use crate::rest::openapi::names;

/// Decisions, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditTrail)]
pub(crate) struct AuditTrailResponse {
    items: Vec<AuditedDecisionResponse>,
    /// The `after` of the next page, if there may be one.
    #[schema(value_type = Option<Uuid>)]
    next_after: Option<DecisionId>,
}

/// A decision and its effect.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditedDecision)]
struct AuditedDecisionResponse {
    #[schema(value_type = Uuid)]
    decision_id: DecisionId,
    #[schema(value_type = Uuid)]
    candidate_id: CandidateId,
    #[schema(value_type = names::DecisionType)]
    decision_type: &'static str,
    #[schema(value_type = names::CandidateStatus)]
    previous_status: &'static str,
    #[schema(value_type = names::CandidateStatus)]
    new_status: &'static str,
    /// The schema version that an approval created.
    #[schema(value_type = Option<Uuid>)]
    schema_version_id: Option<SchemaVersionId>,
    reviewer_id: String,
    reason: Option<String>,
    created_at: Timestamp,
}

/// Lists all decisions about schemas.
#[utoipa::path(
    get,
    path = "/reviewer/governance/audit-trail",
    tag = "governance",
    operation_id = "list_decisions",
    params(
        ("limit" = Option<u32>, Query, description = "The number of items (default: 50).", minimum = 1, maximum = 200),
        ("after" = Option<Uuid>, Query, description = "The `next_after` of the previous page."),
    ),
    responses((status = 200, description = "A page of decisions, oldest first.", body = AuditTrailResponse)),
)]
pub(crate) async fn audit_trail(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<AuditTrailResponse>, ApiError> {
    let limit = parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let after = parameters.value::<Uuid>("after", "must be the next_after of an earlier page")?;
    let decisions = governance::decisions(&app, after.map(DecisionId), limit).await?;
    let is_full = decisions.len() >= limit as usize;
    let next_after = decisions.last().filter(|_| is_full).map(|decision| decision.id);
    Ok(Json(AuditTrailResponse { items: decisions.into_iter().map(audited_decision).collect(), next_after }))
}

fn audited_decision(decision: GovernanceDecision) -> AuditedDecisionResponse {
    AuditedDecisionResponse {
        decision_id: decision.id,
        candidate_id: decision.candidate,
        decision_type: decision.decision_type.as_str(),
        previous_status: decision.previous_status.as_str(),
        new_status: decision.new_status.as_str(),
        schema_version_id: decision.schema_version,
        reviewer_id: decision.reviewer,
        reason: decision.reason,
        created_at: decision.created_at,
    }
}
