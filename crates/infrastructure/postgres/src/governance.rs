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
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::database::commit;
use crate::error::{bad_json, corrupt, translate};
use crate::row::{At, count, get, int, text, timestamp};
use crate::transition::{Woke, append};
use crate::{PgStore, sql};

#[async_trait]
impl Governance for PgStore {
    async fn seed_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
        self.take_file(file, at).await
    }

    async fn schema_names(&self) -> PortResult<Vec<String>> {
        self.rows(|| sqlx::query(sql!("schemas/names")), |row| get(row, 0)).await
    }

    async fn current_schema(&self, name: &str) -> PortResult<SchemaVersion> {
        let query = || sqlx::query(sql!("schemas/current")).bind(text(name));
        let found = self.rows(query, schema_version).await?.pop();
        found.ok_or_else(|| PortError::NotFound(format!("schema {name}")))
    }

    async fn schema(&self, name: &str, number: u32) -> PortResult<SchemaVersion> {
        let query = || sqlx::query(sql!("schemas/find")).bind(text(name)).bind(int(number));
        let found = self.rows(query, schema_version).await?.pop();
        found.ok_or_else(|| PortError::NotFound(format!("version {number} of schema {name}")))
    }

    async fn schema_versions(&self, name: &str, limit: u32) -> PortResult<Vec<SchemaVersionSummary>> {
        let query = || sqlx::query(sql!("schemas/versions")).bind(text(name)).bind(i64::from(limit));
        self.rows(query, version_note).await
    }

    async fn candidates(&self, filter: CandidateFilter) -> PortResult<Vec<StructuralCandidate>> {
        let query = || {
            sqlx::query(sql!("candidates/list"))
                .bind(filter.status.map(CandidateStatus::as_str))
                .bind(filter.change.map(StructureChange::as_str))
                .bind(filter.is_critical)
                .bind(i64::from(filter.limit))
                .bind(i64::from(filter.skip))
        };
        let mut candidates = self.rows(query, candidate).await?;
        for candidate in &mut candidates {
            candidate.samples = self.samples(candidate.id).await?;
        }
        Ok(candidates)
    }

    async fn candidate(&self, id: CandidateId) -> PortResult<StructuralCandidate> {
        let query = || sqlx::query(sql!("candidates/find")).bind(id.0);
        let found = self.rows(query, candidate).await?.pop();
        let found = found.ok_or_else(|| PortError::NotFound(format!("candidate {id}")))?;
        Ok(StructuralCandidate { samples: self.samples(id).await?, ..found })
    }

    async fn decide(&self, decision: &GovernanceDecision, version: Option<&SchemaVersion>) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                record(&mut transaction, decision, version).await?;
                append(&mut transaction, &decision.events(version), Woke(false)).await?;
                commit(transaction).await
            })
            .await
    }

    async fn decisions(&self, after: Option<DecisionId>, limit: u32) -> PortResult<Vec<GovernanceDecision>> {
        let query = || sqlx::query(sql!("decisions/list")).bind(after.map(|id| id.0)).bind(i64::from(limit));
        self.rows(query, decision).await
    }

    async fn trail(&self, before: Option<DecisionId>, limit: u32) -> PortResult<Vec<AuditTrailEntry>> {
        let query =
            || sqlx::query(sql!("decisions/trail")).bind(before.map(|id| id.0)).bind(i64::from(limit));
        self.rows(query, trail_entry).await
    }
}

impl PgStore {
    async fn samples(&self, id: CandidateId) -> PortResult<Vec<CandidateSample>> {
        let query = || sqlx::query(sql!("candidates/samples")).bind(id.0);
        self.rows(query, |row| {
            let evidence: Option<&str> = get(row, 1)?;
            Ok(CandidateSample {
                document: DocumentId(get(row, 0)?),
                evidence: evidence.map(|json| serde_json::from_str(json).map_err(bad_json)).transpose()?,
            })
        })
        .await
    }
}

async fn record(
    connection: &mut PgConnection,
    decision: &GovernanceDecision,
    version: Option<&SchemaVersion>,
) -> PortResult<()> {
    let moved = sqlx::query(sql!("candidates/decide"))
        .bind(decision.candidate.0)
        .bind(decision.previous_status.as_str())
        .bind(decision.new_status.as_str())
        .bind(decision.decision_type == DecisionType::FlagCritical)
        .bind(At(decision.created_at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    if moved.rows_affected() == 0 {
        return Err(GovernanceDecision::outdated());
    }
    if let Some(version) = version
        && !insert_version(connection, version).await?
    {
        return Err(SchemaVersion::taken());
    }
    sqlx::query(sql!("decisions/insert"))
        .bind(decision.id.0)
        .bind(decision.candidate.0)
        .bind(decision.decision_type.as_str())
        .bind(decision.previous_status.as_str())
        .bind(decision.new_status.as_str())
        .bind(decision.schema_version.map(|id| id.0))
        .bind(text(&decision.reviewer))
        .bind(decision.reason.as_deref().map(text))
        .bind(At(decision.created_at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Whether there was no such version before.
pub(crate) async fn insert_version(
    connection: &mut PgConnection,
    version: &SchemaVersion,
) -> PortResult<bool> {
    let inserted = sqlx::query(sql!("schemas/insert"))
        .bind(version.id.0)
        .bind(text(&version.schema.name))
        .bind(int(version.number))
        .bind(text(&serde_json::to_string(&version.schema).map_err(corrupt)?))
        .bind(At(version.created_at))
        .bind(text(&version.created_by))
        .bind(version.change_summary.as_deref().map(text))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(inserted.rows_affected() > 0)
}

pub(crate) fn schema_version(row: &PgRow) -> PortResult<SchemaVersion> {
    Ok(SchemaVersion {
        id: SchemaVersionId(get(row, 0)?),
        number: count(row, 1)?,
        schema: serde_json::from_str(get(row, 2)?).map_err(bad_json)?,
        created_at: timestamp(row, 3)?,
        created_by: get(row, 4)?,
        change_summary: get(row, 5)?,
    })
}

fn version_note(row: &PgRow) -> PortResult<SchemaVersionSummary> {
    Ok(SchemaVersionSummary {
        number: count(row, 0)?,
        created_at: timestamp(row, 1)?,
        created_by: get(row, 2)?,
        change_summary: get(row, 3)?,
    })
}

fn candidate(row: &PgRow) -> PortResult<StructuralCandidate> {
    let source: String = get(row, 3)?;
    Ok(StructuralCandidate {
        id: CandidateId(get(row, 0)?),
        schema_name: get(row, 1)?,
        change: change(get(row, 2)?)?,
        source_key: Some(source).filter(|key| !key.is_empty()),
        target_key: get(row, 4)?,
        occurrence_count: count(row, 5)?,
        status: status(get(row, 6)?)?,
        is_critical: get(row, 7)?,
        created_at: timestamp(row, 8)?,
        updated_at: timestamp(row, 9)?,
        samples: Vec::new(),
    })
}

fn change(name: &str) -> PortResult<StructureChange> {
    StructureChange::parse(name).ok_or_else(|| corrupt(format!("unknown change {name}")))
}

fn status(name: &str) -> PortResult<CandidateStatus> {
    CandidateStatus::parse(name).ok_or_else(|| corrupt(format!("unknown status {name}")))
}

fn decision(row: &PgRow) -> PortResult<GovernanceDecision> {
    let kind: &str = get(row, 2)?;
    Ok(GovernanceDecision {
        id: DecisionId(get(row, 0)?),
        candidate: CandidateId(get(row, 1)?),
        decision_type: DecisionType::parse(kind)
            .ok_or_else(|| corrupt(format!("unknown decision {kind}")))?,
        previous_status: status(get(row, 3)?)?,
        new_status: status(get(row, 4)?)?,
        schema_version: get::<Option<Uuid>>(row, 5)?.map(SchemaVersionId),
        reviewer: get(row, 6)?,
        reason: get(row, 7)?,
        created_at: timestamp(row, 8)?,
    })
}

fn trail_entry(row: &PgRow) -> PortResult<AuditTrailEntry> {
    let source: String = get(row, 11)?;
    let is_made = get::<Option<Uuid>>(row, 5)?.is_some();
    Ok(AuditTrailEntry {
        decision: decision(row)?,
        schema_name: get(row, 9)?,
        change: change(get(row, 10)?)?,
        source_key: Some(source).filter(|key| !key.is_empty()),
        target_key: get(row, 12)?,
        version_number: is_made.then(|| count(row, 13)).transpose()?,
    })
}
