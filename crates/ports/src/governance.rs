//! How schemas change: what edits suggest, what people decide, and the versions that come of it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{CandidateId, DecisionId, DocumentId, Event, SchemaVersionId};
use quire_understanding::structure::{CandidateStatus, DecisionType, StructureChange};
use quire_understanding::{Evidence, Schema, SchemaFile, SchemaVersion, SeedOutcome};

use crate::PortResult;

/// That there is a version of a schema, without what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaVersionSummary {
    /// Its number, from 1.
    pub number: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
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
    pub change: StructureChange,
    /// The key there is, when it would be replaced by another.
    pub source_key: Option<String>,
    /// The key that it is about.
    pub target_key: String,
    /// How often people made this edit.
    pub occurrence_count: u32,
    /// Where it stands.
    pub status: CandidateStatus,
    /// Whether a critical key is touched, or somebody flagged it so.
    pub is_critical: bool,
    /// When the first edit was made.
    pub created_at: Timestamp,
    /// When something about it last changed.
    pub updated_at: Timestamp,
    /// The newest few of those edits.
    pub samples: Vec<CandidateSample>,
}

/// Where an edit was made.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateSample {
    /// In which document.
    pub document: DocumentId,
    /// Where the value stood, if it was found anywhere.
    pub evidence: Option<Evidence>,
}

/// Which candidates to list: the most frequent first.
#[derive(Clone, Copy, Debug, Default)]
pub struct CandidateFilter {
    /// Only where they stand so.
    pub status: Option<CandidateStatus>,
    /// Only of this kind.
    pub change: Option<StructureChange>,
    /// Only those that touch a critical key, or only the others.
    pub is_critical: Option<bool>,
    /// At most so many.
    pub limit: u32,
    /// After so many.
    pub skip: u32,
}

/// What somebody decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernanceDecision {
    /// Its identity.
    pub id: DecisionId,
    /// About which candidate.
    pub candidate: CandidateId,
    /// What.
    pub decision_type: DecisionType,
    /// Where the candidate stood.
    pub previous_status: CandidateStatus,
    /// Where it stands since.
    pub new_status: CandidateStatus,
    /// The version of the schema that came of it.
    pub schema_version: Option<SchemaVersionId>,
    /// Who decided.
    pub reviewer: String,
    /// Why.
    pub reason: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// A decision with what it was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditTrailEntry {
    /// What was decided.
    pub decision: GovernanceDecision,
    /// The schema.
    pub schema_name: String,
    /// What would change.
    pub change: StructureChange,
    /// The key there was, when it would be replaced by another.
    pub source_key: Option<String>,
    /// The key that it is about.
    pub target_key: String,
    /// The number of the schema's version that came of it.
    pub version_number: Option<u32>,
}

/// Schemas, candidates and decisions. What was decided is never changed or removed.
#[async_trait]
pub trait Governance: Send + Sync {
    /// Makes the schema of a file the first version of its name, or the next one if the file has changed, as
    /// [`SeedOutcome::of`] tells; and remembers the file.
    async fn seed_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome>;

    /// Makes this the first version of its schema, unless that has one.
    async fn seed(&self, schema: &Schema, at: Timestamp) -> PortResult<()> {
        self.seed_file(&SchemaFile::of(schema), at).await.map(drop)
    }

    /// The names of all schemas, in the order of the alphabet.
    async fn schema_names(&self) -> PortResult<Vec<String>>;

    /// The newest version of a schema.
    async fn current_schema(&self, name: &str) -> PortResult<SchemaVersion>;

    /// A certain version of a schema.
    async fn schema(&self, name: &str, number: u32) -> PortResult<SchemaVersion>;

    /// The versions of a schema, the newest first. None of a schema that is not there.
    async fn schema_versions(&self, name: &str, limit: u32) -> PortResult<Vec<SchemaVersionSummary>>;

    /// Candidates, the most frequent first.
    async fn candidates(&self, filter: CandidateFilter) -> PortResult<Vec<StructuralCandidate>>;

    /// The candidate of that id.
    async fn candidate(&self, id: CandidateId) -> PortResult<StructuralCandidate>;

    /// Records a decision with its events, moves its candidate and adds the version of the schema that comes of it.
    /// `Conflict` if the candidate or the schema has changed since it was decided. No document, run or interpretation
    /// changes.
    async fn decide(
        &self,
        decision: &GovernanceDecision,
        version: Option<&SchemaVersion>,
        events: &[Event],
    ) -> PortResult<()>;

    /// Decisions, oldest first, after that one.
    async fn decisions(&self, after: Option<DecisionId>, limit: u32) -> PortResult<Vec<GovernanceDecision>>;

    /// Decisions with what they were about, newest first, those before that one.
    async fn trail(&self, before: Option<DecisionId>, limit: u32) -> PortResult<Vec<AuditTrailEntry>>;
}
