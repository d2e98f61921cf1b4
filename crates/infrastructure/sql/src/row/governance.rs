//! Schemas, candidates and decisions.

use quire_domain::{CandidateId, DecisionId, DocumentId, SchemaVersionId};
use quire_ports::{
    AuditTrailEntry, CandidateSample, GovernanceDecision, PortResult, SchemaVersion, SchemaVersionSummary,
    SeededFile, StructuralCandidate,
};
use quire_understanding::NewestVersion;
use quire_understanding::structural_change::{CandidateStatus, DecisionType, SchemaChangeType};

use super::{ColumnReader, known};

/// A row of `{schema_version}`.
pub fn schema_version(row: &dyn ColumnReader) -> PortResult<SchemaVersion> {
    Ok(SchemaVersion {
        id: SchemaVersionId(row.uuid("schema_id")?),
        number: row.integer("schema_version_number")?,
        schema: row.json("schema_definition")?,
        created_at: row.timestamp("schema_created_at")?,
        created_by: row.string("schema_created_by")?,
        change_summary: row.optional_string("schema_change_summary")?,
    })
}

/// The newest version of a schema. A newer program may have written a definition that this one cannot read.
pub fn newest_version(row: &dyn ColumnReader) -> PortResult<NewestVersion> {
    Ok(NewestVersion {
        number: row.integer("schema_version_number")?,
        created_by: row.string("schema_created_by")?,
        schema: row.json("schema_definition").ok(),
    })
}

/// A row of `{schema_summary}`.
pub fn schema_summary(row: &dyn ColumnReader) -> PortResult<SchemaVersionSummary> {
    Ok(SchemaVersionSummary {
        number: row.integer("schema_version_number")?,
        created_at: row.timestamp("schema_created_at")?,
        created_by: row.string("schema_created_by")?,
        change_summary: row.optional_string("schema_change_summary")?,
    })
}

/// A row of `{schema_file}`.
pub fn seeded_file(row: &dyn ColumnReader) -> PortResult<SeededFile> {
    Ok(SeededFile {
        file_version: row.integer("file_file_version")?,
        content_hash: row.bytes("file_content_hash")?,
        schema_version: row.integer("file_schema_version")?,
    })
}

/// A row of `{candidate}`, still without its samples.
pub fn candidate(row: &dyn ColumnReader) -> PortResult<StructuralCandidate> {
    Ok(StructuralCandidate {
        id: CandidateId(row.uuid("candidate_id")?),
        schema_name: row.string("candidate_schema_name")?,
        change: change(row)?,
        source_key: row.string_unless_empty("candidate_source_key")?,
        target_key: row.string("candidate_target_key")?,
        occurrence_count: row.integer("candidate_occurrence_count")?,
        status: status(row, "candidate_status")?,
        is_critical: row.boolean("candidate_is_critical")?,
        created_at: row.timestamp("candidate_created_at")?,
        updated_at: row.timestamp("candidate_updated_at")?,
        samples: Vec::new(),
    })
}

/// A row of `{candidate_sample}`.
pub fn candidate_sample(row: &dyn ColumnReader) -> PortResult<CandidateSample> {
    Ok(CandidateSample {
        document: DocumentId(row.uuid("sample_document_id")?),
        evidence: row.optional_json("sample_evidence")?,
    })
}

/// A row of `{decision}`.
pub fn decision(row: &dyn ColumnReader) -> PortResult<GovernanceDecision> {
    let decision_type = row.text("decision_decision_type")?;
    Ok(GovernanceDecision {
        id: DecisionId(row.uuid("decision_id")?),
        candidate: CandidateId(row.uuid("decision_candidate_id")?),
        decision_type: known(DecisionType::parse(decision_type), "decision", decision_type)?,
        previous_status: status(row, "decision_previous_status")?,
        new_status: status(row, "decision_new_status")?,
        schema_version: row.optional_uuid("decision_schema_version_id")?.map(SchemaVersionId),
        reviewer: row.string("decision_reviewer_id")?,
        reason: row.optional_string("decision_reason")?,
        created_at: row.timestamp("decision_created_at")?,
    })
}

/// A row of `{decision}`, `{candidate_change}` and the number of the schema version that the decision made.
pub fn audit_trail_entry(row: &dyn ColumnReader) -> PortResult<AuditTrailEntry> {
    Ok(AuditTrailEntry {
        decision: decision(row)?,
        schema_name: row.string("candidate_schema_name")?,
        change: change(row)?,
        source_key: row.string_unless_empty("candidate_source_key")?,
        target_key: row.string("candidate_target_key")?,
        version_number: row.optional_number("schema_version_number")?,
    })
}

fn change(row: &dyn ColumnReader) -> PortResult<SchemaChangeType> {
    let name = row.text("candidate_change_type")?;
    known(SchemaChangeType::parse(name), "change", name)
}

fn status(row: &dyn ColumnReader, column: &str) -> PortResult<CandidateStatus> {
    let name = row.text(column)?;
    known(CandidateStatus::parse(name), "status", name)
}
