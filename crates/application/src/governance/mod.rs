//! How schemas change: the changes that edits suggest, the decisions about them, and the versions that follow.

mod decide;
mod show;

pub use quire_ports::{
    AuditTrailEntry, CandidateFilter, CandidateSample, GovernanceDecision, SchemaVersion,
    SchemaVersionSummary, StructuralCandidate,
};

pub use decide::{DecisionError, DecisionRequest, decide};
pub use show::{
    SchemaTitle, audit_trail, candidates, current_schema, decisions, schema_names, schema_titles,
    schema_version, schema_versions,
};
