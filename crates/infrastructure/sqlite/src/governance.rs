//! Schemas, what edits suggest about them, and what people decide.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{CandidateId, DecisionId, DocumentId, SchemaVersionId};
use quire_ports::{
    AuditTrailEntry, CandidateFilter, CandidateSample, Governance, GovernanceDecision, PortError, PortResult,
    SchemaVersion, SchemaVersionSummary, SeedOutcome, StructuralCandidate,
};
use quire_understanding::SchemaFile;
use quire_understanding::structure::{CandidateStatus, DecisionType, StructureChange};
use rusqlite::{Connection, Row, params};

use crate::error::{bad_json, corrupt, translate};
use crate::row::{get, micros, timestamp, uuid};
use crate::transition::append;
use crate::{SqliteStore, sql};

#[async_trait]
impl Governance for SqliteStore {
    async fn seed_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
        self.take_file(file, at).await
    }

    async fn schema_names(&self) -> PortResult<Vec<String>> {
        self.rows(sql!("schemas/names"), [], |row| get(row, 0)).await
    }

    async fn current_schema(&self, name: &str) -> PortResult<SchemaVersion> {
        let found = self.rows(sql!("schemas/current"), [name.to_owned()], schema_version).await?.pop();
        found.ok_or_else(|| PortError::NotFound(format!("schema {name}")))
    }

    async fn schema(&self, name: &str, number: u32) -> PortResult<SchemaVersion> {
        let parameters = (name.to_owned(), number);
        let found = self.rows(sql!("schemas/find"), parameters, schema_version).await?.pop();
        found.ok_or_else(|| PortError::NotFound(format!("version {number} of schema {name}")))
    }

    async fn schema_versions(&self, name: &str, limit: u32) -> PortResult<Vec<SchemaVersionSummary>> {
        self.rows(sql!("schemas/versions"), (name.to_owned(), limit), version_note).await
    }

    async fn candidates(&self, filter: CandidateFilter) -> PortResult<Vec<StructuralCandidate>> {
        let parameters = (
            filter.status.map(CandidateStatus::as_str),
            filter.change.map(StructureChange::as_str),
            filter.is_critical,
            filter.limit,
            filter.skip,
        );
        let mut candidates = self.rows(sql!("candidates/list"), parameters, candidate).await?;
        for candidate in &mut candidates {
            candidate.samples = self.samples(candidate.id).await?;
        }
        Ok(candidates)
    }

    async fn candidate(&self, id: CandidateId) -> PortResult<StructuralCandidate> {
        let found = self.rows(sql!("candidates/find"), [id.0.into_bytes()], candidate).await?.pop();
        let found = found.ok_or_else(|| PortError::NotFound(format!("candidate {id}")))?;
        Ok(StructuralCandidate { samples: self.samples(id).await?, ..found })
    }

    async fn decide(&self, decision: &GovernanceDecision, version: Option<&SchemaVersion>) -> PortResult<()> {
        let (decision, version) = (decision.clone(), version.cloned());
        self.writer.write(move |connection| decide(connection, &decision, version.as_ref())).await
    }

    async fn decisions(&self, after: Option<DecisionId>, limit: u32) -> PortResult<Vec<GovernanceDecision>> {
        let parameters = (after.map(|id| id.0.into_bytes()), limit);
        self.rows(sql!("decisions/list"), parameters, decision).await
    }

    async fn trail(&self, before: Option<DecisionId>, limit: u32) -> PortResult<Vec<AuditTrailEntry>> {
        let parameters = (before.map(|id| id.0.into_bytes()), limit);
        self.rows(sql!("decisions/trail"), parameters, trail_entry).await
    }
}

impl SqliteStore {
    async fn samples(&self, id: CandidateId) -> PortResult<Vec<CandidateSample>> {
        self.rows(sql!("candidates/samples"), [id.0.into_bytes()], |row| {
            let evidence: Option<String> = get(row, 1)?;
            Ok(CandidateSample {
                document: DocumentId(uuid(get(row, 0)?)),
                evidence: evidence.map(|json| serde_json::from_str(&json).map_err(bad_json)).transpose()?,
            })
        })
        .await
    }
}

fn decide(
    connection: &Connection,
    decision: &GovernanceDecision,
    version: Option<&SchemaVersion>,
) -> PortResult<()> {
    let is_critical = decision.decision_type == DecisionType::FlagCritical;
    let moved = connection
        .execute(
            sql!("candidates/decide"),
            params![
                decision.candidate.0.as_bytes(),
                decision.previous_status.as_str(),
                decision.new_status.as_str(),
                is_critical,
                micros(decision.created_at),
            ],
        )
        .map_err(translate)?;
    if moved == 0 {
        return Err(GovernanceDecision::outdated());
    }
    if let Some(version) = version
        && !insert_version(connection, version)?
    {
        return Err(SchemaVersion::taken());
    }
    connection
        .execute(
            sql!("decisions/insert"),
            params![
                decision.id.0.as_bytes(),
                decision.candidate.0.as_bytes(),
                decision.decision_type.as_str(),
                decision.previous_status.as_str(),
                decision.new_status.as_str(),
                decision.schema_version.as_ref().map(|id| id.0.as_bytes()),
                decision.reviewer,
                decision.reason,
                micros(decision.created_at),
            ],
        )
        .map_err(translate)?;
    decision.events(version).iter().try_for_each(|event| append(connection, event))
}

/// Whether there was no such version before.
pub(crate) fn insert_version(connection: &Connection, version: &SchemaVersion) -> PortResult<bool> {
    let inserted = connection
        .execute(
            sql!("schemas/insert"),
            params![
                version.id.0.as_bytes(),
                version.schema.name,
                version.number,
                serde_json::to_string(&version.schema).map_err(corrupt)?,
                micros(version.created_at),
                version.created_by,
                version.change_summary,
            ],
        )
        .map_err(translate)?;
    Ok(inserted > 0)
}

pub(crate) fn schema_version(row: &Row<'_>) -> PortResult<SchemaVersion> {
    Ok(SchemaVersion {
        id: SchemaVersionId(uuid(get(row, 0)?)),
        number: get(row, 1)?,
        schema: serde_json::from_str(&get::<String>(row, 2)?).map_err(bad_json)?,
        created_at: timestamp(get(row, 3)?)?,
        created_by: get(row, 4)?,
        change_summary: get(row, 5)?,
    })
}

fn version_note(row: &Row<'_>) -> PortResult<SchemaVersionSummary> {
    Ok(SchemaVersionSummary {
        number: get(row, 0)?,
        created_at: timestamp(get(row, 1)?)?,
        created_by: get(row, 2)?,
        change_summary: get(row, 3)?,
    })
}

fn candidate(row: &Row<'_>) -> PortResult<StructuralCandidate> {
    let source: String = get(row, 3)?;
    Ok(StructuralCandidate {
        id: CandidateId(uuid(get(row, 0)?)),
        schema_name: get(row, 1)?,
        change: change(&get::<String>(row, 2)?)?,
        source_key: Some(source).filter(|key| !key.is_empty()),
        target_key: get(row, 4)?,
        occurrence_count: get(row, 5)?,
        status: status(&get::<String>(row, 6)?)?,
        is_critical: get(row, 7)?,
        created_at: timestamp(get(row, 8)?)?,
        updated_at: timestamp(get(row, 9)?)?,
        samples: Vec::new(),
    })
}

fn change(name: &str) -> PortResult<StructureChange> {
    StructureChange::parse(name).ok_or_else(|| corrupt(format!("unknown change {name}")))
}

fn status(name: &str) -> PortResult<CandidateStatus> {
    CandidateStatus::parse(name).ok_or_else(|| corrupt(format!("unknown status {name}")))
}

fn decision(row: &Row<'_>) -> PortResult<GovernanceDecision> {
    let kind: String = get(row, 2)?;
    Ok(GovernanceDecision {
        id: DecisionId(uuid(get(row, 0)?)),
        candidate: CandidateId(uuid(get(row, 1)?)),
        decision_type: DecisionType::parse(&kind)
            .ok_or_else(|| corrupt(format!("unknown decision {kind}")))?,
        previous_status: status(&get::<String>(row, 3)?)?,
        new_status: status(&get::<String>(row, 4)?)?,
        schema_version: get::<Option<[u8; 16]>>(row, 5)?.map(|id| SchemaVersionId(uuid(id))),
        reviewer: get(row, 6)?,
        reason: get(row, 7)?,
        created_at: timestamp(get(row, 8)?)?,
    })
}

fn trail_entry(row: &Row<'_>) -> PortResult<AuditTrailEntry> {
    let source: String = get(row, 11)?;
    Ok(AuditTrailEntry {
        decision: decision(row)?,
        schema_name: get(row, 9)?,
        change: change(&get::<String>(row, 10)?)?,
        source_key: Some(source).filter(|key| !key.is_empty()),
        target_key: get(row, 12)?,
        version_number: get(row, 13)?,
    })
}
