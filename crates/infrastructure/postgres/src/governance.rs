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
use sqlx::PgConnection;

use crate::database::commit;
use crate::error::translate;
use crate::row::{StoredTime, int, text};
use crate::transition::append;
use crate::{PgStore, seeding, sql};

#[async_trait]
impl Governance for PgStore {
    async fn seed_file(&self, file: &SchemaFile, at: Timestamp) -> PortResult<SeedOutcome> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let outcome = seeding::seed(&mut transaction, file, at).await?;
                commit(transaction).await?;
                Ok(outcome)
            })
            .await
    }

    async fn schema_names(&self) -> PortResult<Vec<String>> {
        self.rows(|| sqlx::query(sql!("schemas/names")), |row| row.string("schema_name")).await
    }

    async fn current_schema(&self, name: &str) -> PortResult<SchemaVersion> {
        let query = || sqlx::query(sql!("schemas/current")).bind(text(name));
        let found = self.rows(query, row::schema_version).await?.pop();
        found.ok_or_else(|| schema_not_found(name))
    }

    async fn schema(&self, name: &str, number: u32) -> PortResult<SchemaVersion> {
        let query = || sqlx::query(sql!("schemas/find")).bind(text(name)).bind(int(number));
        let found = self.rows(query, row::schema_version).await?.pop();
        found.ok_or_else(|| schema_version_not_found(name, number))
    }

    async fn schema_versions(&self, name: &str, limit: u32) -> PortResult<Vec<SchemaVersionSummary>> {
        let query = || sqlx::query(sql!("schemas/versions")).bind(text(name)).bind(i64::from(limit));
        self.rows(query, row::schema_summary).await
    }

    async fn candidates(&self, filter: CandidateFilter) -> PortResult<Vec<StructuralCandidate>> {
        let query = || {
            sqlx::query(sql!("candidates/list"))
                .bind(filter.status.map(CandidateStatus::as_str))
                .bind(filter.change.map(SchemaChangeType::as_str))
                .bind(filter.is_critical)
                .bind(i64::from(filter.limit))
                .bind(i64::from(filter.skip))
        };
        let mut candidates = self.rows(query, row::candidate).await?;
        for candidate in &mut candidates {
            candidate.samples = self.samples(candidate.id).await?;
        }
        Ok(candidates)
    }

    async fn candidate(&self, id: CandidateId) -> PortResult<StructuralCandidate> {
        let query = || sqlx::query(sql!("candidates/find")).bind(id.0);
        let found = self.rows(query, row::candidate).await?.pop();
        let found = found.ok_or_else(|| candidate_not_found(id))?;
        Ok(StructuralCandidate { samples: self.samples(id).await?, ..found })
    }

    async fn decide(
        &self,
        decision: &GovernanceDecision,
        version: Option<&SchemaVersion>,
        events: &[Event],
    ) -> PortResult<Result<(), DecisionConflict>> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                // A refused decision ends with its transaction, which is never committed.
                if let Err(conflict) = record(&mut transaction, decision, version).await? {
                    return Ok(Err(conflict));
                }
                append(&mut transaction, events, false).await?;
                commit(transaction).await.map(Ok)
            })
            .await
    }

    async fn decisions(&self, after: Option<DecisionId>, limit: u32) -> PortResult<Vec<GovernanceDecision>> {
        let query = || sqlx::query(sql!("decisions/list")).bind(after.map(|id| id.0)).bind(i64::from(limit));
        self.rows(query, row::decision).await
    }

    async fn trail(&self, before: Option<DecisionId>, limit: u32) -> PortResult<Vec<AuditTrailEntry>> {
        let query =
            || sqlx::query(sql!("decisions/trail")).bind(before.map(|id| id.0)).bind(i64::from(limit));
        self.rows(query, row::audit_trail_entry).await
    }
}

impl PgStore {
    async fn samples(&self, id: CandidateId) -> PortResult<Vec<CandidateSample>> {
        let query = || sqlx::query(sql!("candidates/samples")).bind(id.0);
        self.rows(query, row::candidate_sample).await
    }
}

async fn record(
    connection: &mut PgConnection,
    decision: &GovernanceDecision,
    version: Option<&SchemaVersion>,
) -> PortResult<Result<(), DecisionConflict>> {
    let moved = sqlx::query(sql!("candidates/decide"))
        .bind(decision.candidate.0)
        .bind(decision.previous_status.as_str())
        .bind(decision.new_status.as_str())
        .bind(decision.decision_type == DecisionType::FlagCritical)
        .bind(StoredTime(decision.created_at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    if moved.rows_affected() == 0 {
        return Ok(Err(DecisionConflict::Candidate));
    }
    if let Some(version) = version
        && !insert_version(connection, version).await?
    {
        return Ok(Err(DecisionConflict::Schema));
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
        .bind(StoredTime(decision.created_at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(Ok(()))
}

/// Inserts a version. Returns false if the schema already has a version with that number.
pub(crate) async fn insert_version(
    connection: &mut PgConnection,
    version: &SchemaVersion,
) -> PortResult<bool> {
    let inserted = sqlx::query(sql!("schemas/insert"))
        .bind(version.id.0)
        .bind(text(&version.schema.name))
        .bind(int(version.number))
        .bind(text(&serde_json::to_string(&version.schema).map_err(corrupt)?))
        .bind(StoredTime(version.created_at))
        .bind(text(&version.created_by))
        .bind(version.change_summary.as_deref().map(text))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(inserted.rows_affected() > 0)
}
