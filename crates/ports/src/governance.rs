//! How schemas change: candidates that edits suggest, decisions of people, and the versions that follow.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{CandidateId, DecisionId, DocumentId, Event, SchemaVersionId};
use quire_understanding::structural_change::{CandidateStatus, DecisionType, SchemaChangeType};
use quire_understanding::{Evidence, Schema, SchemaFile, SchemaVersion, SeedOutcome};

use crate::PortResult;

/// A version of a schema without its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaVersionSummary {
    /// Its number, from 1.
    pub number: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// What changed.
    pub change_summary: Option<String>,
}

/// A change of the schema that edits suggest.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuralCandidate {
    /// Its identity.
    pub id: CandidateId,
    /// The schema.
    pub schema_name: String,
    /// What would change.
    pub change: SchemaChangeType,
    /// The existing key, if the change replaces it by another.
    pub source_key: Option<String>,
    /// The key that the change is about.
    pub target_key: String,
    /// How often people made this edit.
    pub occurrence_count: u32,
    /// Its status.
    pub status: CandidateStatus,
    /// Whether it touches a critical key, or a governor flagged it as critical.
    pub is_critical: bool,
    /// When the first edit was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The newest few of these edits.
    pub samples: Vec<CandidateSample>,
}

/// An edit that suggests a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateSample {
    /// The edited document.
    pub document: DocumentId,
    /// The position of the value in the document, if it was found there.
    pub evidence: Option<Evidence>,
}

/// Which candidates to list: the most frequent first.
#[derive(Clone, Copy, Debug, Default)]
pub struct CandidateFilter {
    /// Only with this status.
    pub status: Option<CandidateStatus>,
    /// Only of this kind.
    pub change: Option<SchemaChangeType>,
    /// Only candidates that touch a critical key, or only the others.
    pub is_critical: Option<bool>,
    /// The most candidates to list.
    pub limit: u32,
    /// The number of candidates to skip.
    pub skip: u32,
}

/// A decision about a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernanceDecision {
    /// Its identity.
    pub id: DecisionId,
    /// The candidate.
    pub candidate: CandidateId,
    /// The decision.
    pub decision_type: DecisionType,
    /// The candidate's status before.
    pub previous_status: CandidateStatus,
    /// The candidate's status after.
    pub new_status: CandidateStatus,
    /// The schema version that the decision created.
    pub schema_version: Option<SchemaVersionId>,
    /// Who decided.
    pub reviewer: String,
    /// Why.
    pub reason: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// A decision with its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditTrailEntry {
    /// The decision.
    pub decision: GovernanceDecision,
    /// The schema.
    pub schema_name: String,
    /// What would change.
    pub change: SchemaChangeType,
    /// The old key, if the change replaces it by another.
    pub source_key: Option<String>,
    /// The key that the change is about.
    pub target_key: String,
    /// The number of the schema version that the decision created.
    pub version_number: Option<u32>,
}

/// What has changed since a governor decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionConflict {
    /// The status of the candidate.
    Candidate,
    /// The schema: it has a version of this number.
    Schema,
}

/// Stores schemas, candidates and decisions. Decisions are never changed or removed.
#[async_trait]
pub trait Governance: Send + Sync {
    /// Stores the schema of a file as its first version, or as the next one if the file has changed. [`SeedOutcome::of`]
    /// decides. Remembers the file.
    async fn seed_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome>;

    /// Stores this as the first version of its schema, unless the schema has one.
    async fn seed(&self, schema: &Schema, at: Timestamp) -> PortResult<()> {
        self.seed_file(&SchemaFile::of(schema), at).await.map(drop)
    }

    /// The names of all schemas, sorted.
    async fn schema_names(&self) -> PortResult<Vec<String>>;

    /// The newest version of a schema.
    async fn current_schema(&self, name: &str) -> PortResult<SchemaVersion>;

    /// The version of a schema with that number.
    async fn schema(&self, name: &str, number: u32) -> PortResult<SchemaVersion>;

    /// The versions of a schema, newest first. Empty for an unknown schema.
    async fn schema_versions(&self, name: &str, limit: u32) -> PortResult<Vec<SchemaVersionSummary>>;

    /// Candidates, the most frequent first.
    async fn candidates(&self, filter: CandidateFilter) -> PortResult<Vec<StructuralCandidate>>;

    /// The candidate of that id.
    async fn candidate(&self, id: CandidateId) -> PortResult<StructuralCandidate>;

    /// Records a decision with its events, updates its candidate and adds the schema version that results. If the
    /// candidate or the schema has changed since the governor decided, stores nothing and returns which. No document,
    /// run or interpretation changes.
    async fn decide(
        &self,
        decision: &GovernanceDecision,
        version: Option<&SchemaVersion>,
        events: &[Event],
    ) -> PortResult<Result<(), DecisionConflict>>;

    /// Decisions after `after`, oldest first.
    async fn decisions(&self, after: Option<DecisionId>, limit: u32) -> PortResult<Vec<GovernanceDecision>>;

    /// Decisions before `before` with their changes, newest first.
    async fn trail(&self, before: Option<DecisionId>, limit: u32) -> PortResult<Vec<AuditTrailEntry>>;
}
