//! Decide about a change that edits suggest.

use quire_domain::{CandidateId, DecisionId, SchemaVersionId};
use quire_ports::{GovernanceDecision, PortError, PortResult, SchemaVersion, Store, StructuralCandidate};
use quire_understanding::structure::{self, Approval, CandidateStatus, DecisionType, StructureChange};

use crate::engine::report;

/// A decision that somebody takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRequest {
    /// About which candidate.
    pub candidate: CandidateId,
    /// What.
    pub decision_type: DecisionType,
    /// Where whoever decides saw the candidate stand, if they say so: nothing is decided if it stands elsewhere by now.
    pub seen_status: Option<CandidateStatus>,
    /// Whether they saw it as critical, if they say so: likewise.
    pub seen_critical: Option<bool>,
    /// Why.
    pub reason: Option<String>,
    /// Who.
    pub reviewer: String,
    /// What ties it to its request.
    pub correlation_id: Option<String>,
}

/// Why nothing was decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    /// The schema has changed by it already.
    #[error("this candidate was approved already, and its schema version stays; decide about another one")]
    Final,
    /// Storage has no such candidate, or does not answer.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Records a decision. An approval makes a new version of the schema, for runs that are created afterwards; nothing that
/// is there changes and nothing is processed again.
pub async fn decide(store: &Store, request: DecisionRequest) -> Result<GovernanceDecision, DecisionError> {
    match decide_once(store, request.clone()).await {
        // Somebody has approved something else in between: the same again, on top of that.
        Err(DecisionError::Port(PortError::Conflict(_))) => decide_once(store, request).await,
        decided => decided,
    }
}

async fn decide_once(store: &Store, request: DecisionRequest) -> Result<GovernanceDecision, DecisionError> {
    let candidate = store.governance.candidate(request.candidate).await?;
    let is_as_seen = request.seen_status.is_none_or(|seen| seen == candidate.status)
        && request.seen_critical.is_none_or(|seen| seen == candidate.is_critical);
    if !is_as_seen {
        return Err(GovernanceDecision::outdated().into());
    }
    let new_status =
        structure::status_after(candidate.status, request.decision_type).ok_or(DecisionError::Final)?;
    let now = store.clock.now();
    let version = match new_status {
        CandidateStatus::Approved => Some(changed(store, &candidate, &request.reviewer).await?),
        _ => None,
    };
    let decision = GovernanceDecision {
        id: DecisionId::new(),
        candidate: candidate.id,
        decision_type: request.decision_type,
        previous_status: candidate.status,
        new_status,
        schema_version: version.as_ref().map(|version| version.id),
        reviewer: request.reviewer,
        reason: request.reason,
        created_at: now,
    };
    store.governance.decide(&decision, version.as_ref()).await?;
    for event in decision.events(version.as_ref()) {
        report::log(&event, request.correlation_id.as_deref());
    }
    Ok(decision)
}

/// The schema as the candidate would have it.
async fn changed(store: &Store, candidate: &StructuralCandidate, by: &str) -> PortResult<SchemaVersion> {
    let current = store.governance.current_schema(&candidate.schema_name).await?;
    let approval = Approval {
        source_key: candidate.source_key.as_deref(),
        target_key: &candidate.target_key,
        // A value that belongs elsewhere does not make that place critical.
        critical: candidate.is_critical && candidate.change != StructureChange::KeyMapping,
    };
    let (schema, summary) = current.schema.with_approval(candidate.change, &approval);
    Ok(SchemaVersion {
        id: SchemaVersionId::new(),
        number: current.number + 1,
        schema,
        created_at: store.clock.now(),
        created_by: by.to_owned(),
        change_summary: Some(summary),
    })
}
