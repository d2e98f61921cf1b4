//! Schemas, the candidates that edits suggest, and decisions.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{CandidateId, DecisionId, Event};
use quire_ports::{
    AuditTrailEntry, CandidateFilter, CandidateSample, DecisionConflict, Governance, GovernanceDecision,
    PortResult, SchemaVersion, SchemaVersionSummary, SeedOutcome, StructuralCandidate,
};
use quire_sql::{candidate_not_found, corrupt, row, schema_not_found, schema_version_not_found};
use quire_understanding::SchemaFile;
use quire_understanding::structural_change::{CandidateStatus, DecisionType, SchemaChangeType};
use rusqlite::{Connection, params};

use crate::row::{execute, first, micros};
use crate::transition::append;
use crate::{SqliteStore, seeding, sql};

#[async_trait]
impl Governance for SqliteStore {
    async fn seed_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
        let file = file.clone();
        self.writer.write(move |connection| seeding::seed(connection, &file, at)).await
    }

    async fn schema_names(&self) -> PortResult<Vec<String>> {
        self.rows(sql!("schemas/names"), [], |row| row.string("schema_name")).await
    }

    async fn current_schema(&self, name: &str) -> PortResult<SchemaVersion> {
        let found = self.rows(sql!("schemas/current"), [name.to_owned()], row::schema_version).await?.pop();
        found.ok_or_else(|| schema_not_found(name))
    }

    async fn schema(&self, name: &str, number: u32) -> PortResult<SchemaVersion> {
        let parameters = (name.to_owned(), number);
        let found = self.rows(sql!("schemas/find"), parameters, row::schema_version).await?.pop();
        found.ok_or_else(|| schema_version_not_found(name, number))
    }

    async fn schema_versions(&self, name: &str, limit: u32) -> PortResult<Vec<SchemaVersionSummary>> {
        self.rows(sql!("schemas/versions"), (name.to_owned(), limit), row::schema_summary).await
    }

    async fn candidates(&self, filter: CandidateFilter) -> PortResult<Vec<StructuralCandidate>> {
        let parameters = (
            filter.status.map(CandidateStatus::as_str),
            filter.change.map(SchemaChangeType::as_str),
            filter.is_critical,
            filter.limit,
            filter.skip,
        );
        let mut candidates = self.rows(sql!("candidates/list"), parameters, row::candidate).await?;
        for candidate in &mut candidates {
            candidate.samples = self.samples(candidate.id).await?;
        }
        Ok(candidates)
    }

    async fn candidate(&self, id: CandidateId) -> PortResult<StructuralCandidate> {
        let found = self.rows(sql!("candidates/find"), [id.0.into_bytes()], row::candidate).await?.pop();
        let found = found.ok_or_else(|| candidate_not_found(id))?;
        Ok(StructuralCandidate { samples: self.samples(id).await?, ..found })
    }

    async fn decide(
        &self,
        decision: &GovernanceDecision,
        version: Option<&SchemaVersion>,
        events: &[Event],
    ) -> PortResult<Result<(), DecisionConflict>> {
        let (decision, version, events) = (decision.clone(), version.cloned(), events.to_vec());
        self.writer
            .write(move |connection| {
                let decided = decide(connection, &decision, version.as_ref())?;
                if decided.is_ok() {
                    events.iter().try_for_each(|event| append(connection, event))?;
                }
                Ok(decided)
            })
            .await
    }

    async fn decisions(&self, after: Option<DecisionId>, limit: u32) -> PortResult<Vec<GovernanceDecision>> {
        let parameters = (after.map(|id| id.0.into_bytes()), limit);
        self.rows(sql!("decisions/list"), parameters, row::decision).await
    }

    async fn trail(&self, before: Option<DecisionId>, limit: u32) -> PortResult<Vec<AuditTrailEntry>> {
        let parameters = (before.map(|id| id.0.into_bytes()), limit);
        self.rows(sql!("decisions/trail"), parameters, row::audit_trail_entry).await
    }
}

impl SqliteStore {
    async fn samples(&self, id: CandidateId) -> PortResult<Vec<CandidateSample>> {
        self.rows(sql!("candidates/samples"), [id.0.into_bytes()], row::candidate_sample).await
    }
}

/// Looks for a conflict before it writes anything: nothing is rolled back.
fn decide(
    connection: &Connection,
    decision: &GovernanceDecision,
    version: Option<&SchemaVersion>,
) -> PortResult<Result<(), DecisionConflict>> {
    let id = [decision.candidate.0.into_bytes()];
    let candidate = first(connection, sql!("candidates/find"), id, row::candidate)?;
    if candidate.is_none_or(|candidate| candidate.status != decision.previous_status) {
        return Ok(Err(DecisionConflict::Candidate));
    }
    if let Some(version) = version
        && !insert_version(connection, version)?
    {
        return Ok(Err(DecisionConflict::Schema));
    }
    let values = params![
        decision.candidate.0.as_bytes(),
        decision.previous_status.as_str(),
        decision.new_status.as_str(),
        decision.decision_type == DecisionType::FlagCritical,
        micros(decision.created_at),
    ];
    execute(connection, sql!("candidates/decide"), values)?;
    let values = params![
        decision.id.0.as_bytes(),
        decision.candidate.0.as_bytes(),
        decision.decision_type.as_str(),
        decision.previous_status.as_str(),
        decision.new_status.as_str(),
        decision.schema_version.as_ref().map(|id| id.0.as_bytes()),
        decision.reviewer,
        decision.reason,
        micros(decision.created_at),
    ];
    execute(connection, sql!("decisions/insert"), values)?;
    Ok(Ok(()))
}

/// Inserts a version. Returns false if the schema already has a version with that number.
pub(crate) fn insert_version(connection: &Connection, version: &SchemaVersion) -> PortResult<bool> {
    let values = params![
        version.id.0.as_bytes(),
        version.schema.name,
        version.number,
        serde_json::to_string(&version.schema).map_err(corrupt)?,
        micros(version.created_at),
        version.created_by,
        version.change_summary,
    ];
    Ok(execute(connection, sql!("schemas/insert"), values)? > 0)
}
