//! `GET /reviewer/governance/audit-trail`

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_domain::{CandidateId, DecisionId, SchemaVersionId};
use quire_ports::Decision;
use serde::Serialize;
use uuid::Uuid;

use super::{MOST, USUAL};
use crate::request::Parameters;
use crate::{ApiError, Product};

#[derive(Serialize)]
pub(crate) struct Trail {
    items: Vec<Item>,
    /// The `after` of the next part, if there may be one.
    next_after: Option<DecisionId>,
}

#[derive(Serialize)]
struct Item {
    decision_id: DecisionId,
    candidate_id: CandidateId,
    decision_type: &'static str,
    previous_status: &'static str,
    new_status: &'static str,
    schema_version_id: Option<SchemaVersionId>,
    reviewer_id: String,
    reason: Option<String>,
    created_at: Timestamp,
}

pub(crate) async fn audit_trail(
    State(product): State<Product>,
    parameters: Parameters,
) -> Result<Json<Trail>, ApiError> {
    let limit = parameters.within("limit", 1..=MOST)?.unwrap_or(USUAL);
    let after = parameters.value::<Uuid>("after", "must be the next_after of an earlier answer")?;
    let decisions = product.store.governance.decisions(after.map(DecisionId), limit).await?;
    let is_full = decisions.len() >= limit as usize;
    let next_after = decisions.last().filter(|_| is_full).map(|decision| decision.id);
    Ok(Json(Trail { items: decisions.into_iter().map(item).collect(), next_after }))
}

fn item(decision: Decision) -> Item {
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
