//! Decide about a change of a schema that edits suggest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use quire_domain::{CandidateId, DecisionId, DocumentId, FailureType, SchemaVersionId};
use quire_ports::{DecisionConflict, GovernanceDecision, PortResult, SchemaVersion, StructuralCandidate};
use quire_understanding::structural_change::{
    self, Approval, CandidateStatus, DecisionType, SchemaChangeType, decision_events,
};
use quire_understanding::{Value, label_of_value};

use crate::event_telemetry;
use crate::steps::load_pages;
use crate::{App, Error};

/// The most labels that an approval adds.
const MAX_LABELS: usize = 5;

/// A decision about a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRequest {
    /// The candidate.
    pub candidate: CandidateId,
    /// The decision.
    pub decision_type: DecisionType,
    /// The status that the governor saw. If the candidate's status has changed, nothing is decided.
    pub seen_status: Option<CandidateStatus>,
    /// Whether the governor saw it as critical. If that has changed, nothing is decided.
    pub seen_critical: Option<bool>,
    /// The reason.
    pub reason: Option<String>,
    /// Who decides.
    pub reviewer: String,
    /// Ties the decision to its request in the log.
    pub correlation_id: Option<String>,
}

/// Why no decision was recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    /// The candidate is approved already.
    #[error("this candidate is approved already; an approval is final")]
    Final,
    /// The candidate is not as the governor saw it.
    #[error("another person has decided about this candidate; reload it and decide again")]
    DecidedMeanwhile,
    /// Other approvals of the same schema came first, again and again.
    #[error("the schema has changed meanwhile; look at it again and decide anew")]
    SchemaChanged,
    /// There is no such candidate, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// Records a decision. An approval creates a new version of the schema for later runs. Existing data does not change,
/// and no document is processed again.
pub async fn decide(app: &App, request: DecisionRequest) -> Result<GovernanceDecision, DecisionError> {
    match decide_once(app, request.clone()).await {
        // Another approval came first: decide again on top of it.
        Err(DecisionError::SchemaChanged) => decide_once(app, request).await,
        decided => decided,
    }
}

async fn decide_once(app: &App, request: DecisionRequest) -> Result<GovernanceDecision, DecisionError> {
    let store = &app.store;
    let candidate = store.governance.candidate(request.candidate).await?;
    let is_as_seen = request.seen_status.is_none_or(|seen| seen == candidate.status)
        && request.seen_critical.is_none_or(|seen| seen == candidate.is_critical);
    if !is_as_seen {
        return Err(DecisionError::DecidedMeanwhile);
    }
    let new_status = structural_change::status_after(candidate.status, request.decision_type)
        .ok_or(DecisionError::Final)?;
    let now = store.clock.now();
    let version = match new_status {
        CandidateStatus::Approved => Some(changed(app, &candidate, &request.reviewer).await?),
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
    let events = decision_events(&decision.reviewer, version.is_some(), now);
    let decided = store.governance.decide(&decision, version.as_ref(), &events).await?;
    decided.map_err(|conflict| match conflict {
        DecisionConflict::Candidate => DecisionError::DecidedMeanwhile,
        DecisionConflict::Schema => DecisionError::SchemaChanged,
    })?;
    for event in &events {
        event_telemetry::log(event, request.correlation_id.as_deref());
    }
    Ok(decision)
}

/// The schema with the change of the candidate.
async fn changed(app: &App, candidate: &StructuralCandidate, by: &str) -> PortResult<SchemaVersion> {
    let store = &app.store;
    let current = store.governance.current_schema(&candidate.schema_name).await?;
    let approval = Approval {
        source_key: candidate.source_key.as_deref(),
        target_key: &candidate.target_key,
        // Moving a value to another key does not make that key critical.
        critical: candidate.is_critical && candidate.change != SchemaChangeType::KeyMapping,
        labels: labels(app, candidate).await,
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

/// The words before the values of the key in the sample documents, the most frequent first. A document that cannot be read now
/// adds none.
async fn labels(app: &App, candidate: &StructuralCandidate) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sample in &candidate.samples {
        for label in sample_labels(app, sample.document, &candidate.target_key).await.unwrap_or_default() {
            *counts.entry(label).or_default() += 1;
        }
    }
    let mut counted: Vec<(String, usize)> = counts.into_iter().collect();
    counted.sort_by_key(|(_, count)| Reverse(*count));
    counted.into_iter().take(MAX_LABELS).map(|(label, _)| label).collect()
}

async fn sample_labels(app: &App, document: DocumentId, key: &str) -> Option<Vec<String>> {
    let review = app.store.reviews.review(document).await.ok()?;
    let (run, active) = (review.latest_completed_run?, review.active?);
    let values: Vec<Value> =
        active.data.fields.into_iter().filter(|field| field.key == key).map(|field| field.value).collect();
    if values.is_empty() {
        return None;
    }
    let pages =
        load_pages(&*app.store.run_reader, &*app.blobs, run.id, FailureType::InterpretationFailed.as_str())
            .await
            .ok()?
            .reading
            .pages;
    Some(values.iter().filter_map(|value| label_of_value(&pages, value)).collect())
}
