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

use super::{MOST, USUAL};
use crate::ApiError;
use crate::request::Parameters;
use crate::rest::openapi::names;

/// Decisions, the newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditTrail)]
pub(crate) struct Trail {
    items: Vec<Item>,
    /// The `after` of the next part, if there may be one.
    #[schema(value_type = Option<Uuid>)]
    next_after: Option<DecisionId>,
}

/// A decision and what it changed.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditedDecision)]
struct Item {
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
    /// The version of the schema that an approval made.
    #[schema(value_type = Option<Uuid>)]
    schema_version_id: Option<SchemaVersionId>,
    reviewer_id: String,
    reason: Option<String>,
    created_at: Timestamp,
}

/// Lists every decision about the schema.
#[utoipa::path(
    get,
    path = "/reviewer/governance/audit-trail",
    tag = "governance",
    operation_id = "list_decisions",
    params(
        ("limit" = Option<u32>, Query, description = "How many; 50 unless said.", minimum = 1, maximum = 200),
        ("after" = Option<Uuid>, Query, description = "The `next_after` of the part before."),
    ),
    responses((status = 200, description = "Decisions, with where the next part begins.", body = Trail)),
)]
pub(crate) async fn audit_trail(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<Trail>, ApiError> {
    let limit = parameters.within("limit", 1..=MOST)?.unwrap_or(USUAL);
    let after = parameters.value::<Uuid>("after", "must be the next_after of an earlier answer")?;
    let decisions = governance::decisions(&app, after.map(DecisionId), limit).await?;
    let is_full = decisions.len() >= limit as usize;
    let next_after = decisions.last().filter(|_| is_full).map(|decision| decision.id);
    Ok(Json(Trail { items: decisions.into_iter().map(item).collect(), next_after }))
}

fn item(decision: GovernanceDecision) -> Item {
    Item {
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
