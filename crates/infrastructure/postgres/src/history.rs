//! What can be asked about runs.

use std::collections::HashMap;

use async_trait::async_trait;
use quire_domain::{
    ArtifactId, EventId, EventType, Fence, Pipeline, Priority, RecordedEvent, Run, RunId, StepStatus,
    SubjectId, WorkerId,
};
use quire_ports::{
    Artifact, DocumentJob, EventFilter, PortError, PortResult, QueueDepth, RunAttempt, RunFilter, RunHistory,
    StepFailures, StepProgress, StepRecord,
};
use sqlx::Postgres;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use uuid::Uuid;

use crate::error::corrupt;
use crate::queue::found;
use crate::row::{self, count, details, get, optional_timestamp, timestamp};
use crate::{PgStore, sql, steps};

#[async_trait]
impl RunHistory for PgStore {
    async fn run(&self, id: RunId) -> PortResult<Run> {
        let rows = self.database.read(|| sqlx::query(sql!("runs/find")).bind(id.0)).await?;
        found(&rows, id)
    }

    async fn runs(&self, filter: &RunFilter) -> PortResult<Vec<Run>> {
        let query = if filter.subject.is_some() { sql!("runs/list_of_subject") } else { sql!("runs/list") };
        let query = || {
            sqlx::query(query)
                .bind(filter.pipeline.map(Pipeline::as_str))
                .bind(filter.state.as_deref())
                .bind(filter.subject.map(|id| id.0))
                .bind(filter.before.map(|id| id.0))
                .bind(i64::from(filter.limit))
        };
        self.rows(query, row::run).await
    }

    async fn events(
        &self,
        after: EventId,
        filter: EventFilter,
        limit: u32,
    ) -> PortResult<Vec<RecordedEvent>> {
        let query = if filter.run.is_some() { sql!("events/of_run") } else { sql!("events/after") };
        let query = || {
            sqlx::query(query)
                .bind(after.0)
                .bind(filter.run.map(|id| id.0))
                .bind(filter.subject.map(|id| id.0))
                .bind(i64::from(limit))
        };
        self.rows(query, row::event).await
    }

    async fn newest_event(&self) -> PortResult<EventId> {
        let newest = self.rows(|| sqlx::query(sql!("events/newest")), |row| get(row, 0)).await?.pop();
        Ok(EventId(newest.unwrap_or_default()))
    }

    async fn steps(&self, run: RunId) -> PortResult<Vec<StepProgress>> {
        self.rows(|| sqlx::query(sql!("steps/of_run")).bind(run.0), steps::of_run).await
    }

    async fn step_records(&self, run: RunId) -> PortResult<Vec<StepRecord>> {
        self.rows(|| sqlx::query(sql!("steps/records")).bind(run.0), step_record).await
    }

    async fn processing(&self, document: SubjectId, limit: u32) -> PortResult<Vec<(Run, Vec<StepRecord>)>> {
        let ask = |query: &'static str| move || sqlx::query(query).bind(document.0).bind(i64::from(limit));
        let runs = self.rows(ask(sql!("runs/newest_of_document")), row::run).await?;
        let mut records: HashMap<RunId, Vec<StepRecord>> = HashMap::new();
        for (run, record) in self.rows(ask(sql!("steps/records_of_document")), record_of_run).await? {
            records.entry(run).or_default().push(record);
        }
        let with_records = |run: Run| {
            let records = records.remove(&run.id).unwrap_or_default();
            (run, records)
        };
        Ok(runs.into_iter().rev().map(with_records).collect())
    }

    async fn attempts(&self, run: RunId) -> PortResult<Vec<RunAttempt>> {
        self.rows(|| sqlx::query(sql!("events/attempts")).bind(run.0), attempt).await
    }

    async fn artifacts(&self, run: RunId) -> PortResult<Vec<Artifact>> {
        self.rows(|| sqlx::query(sql!("artifacts/of_run")).bind(run.0), artifact).await
    }

    async fn latest_artifact(
        &self,
        subject: SubjectId,
        artifact_type: &str,
    ) -> PortResult<Option<(RunId, Artifact)>> {
        let artifact_type = artifact_type.to_owned();
        let query = || sqlx::query(sql!("artifacts/latest")).bind(subject.0).bind(artifact_type.clone());
        Ok(self.rows(query, |row| Ok((RunId(get(row, 4)?), artifact(row)?))).await?.pop())
    }

    async fn jobs(&self, document: SubjectId) -> PortResult<Vec<DocumentJob>> {
        self.rows(|| sqlx::query(sql!("runs/jobs")).bind(document.0), job).await
    }

    async fn queue_depth(&self) -> PortResult<Vec<QueueDepth>> {
        self.rows(|| sqlx::query(sql!("runs/depth")), depth).await
    }

    async fn failures(&self) -> PortResult<Vec<StepFailures>> {
        self.rows(|| sqlx::query(sql!("steps/failures")), failures).await
    }
}

impl PgStore {
    /// Every row of a query, mapped.
    pub(crate) async fn rows<'q, T, Q>(
        &self,
        query: Q,
        map: fn(&PgRow) -> PortResult<T>,
    ) -> PortResult<Vec<T>>
    where
        Q: Fn() -> Query<'q, Postgres, PgArguments> + Send + Sync,
    {
        self.database.read(query).await?.iter().map(map).collect()
    }
}

fn step_record(row: &PgRow) -> PortResult<StepRecord> {
    let pipeline = Pipeline::parse(get(row, 7)?).map_err(corrupt)?;
    Ok(StepRecord {
        step: pipeline.step(get(row, 0)?).map_err(corrupt)?,
        status: StepStatus::parse(get(row, 1)?).map_err(corrupt)?,
        attempt: count(row, 2)?,
        started_at: optional_timestamp(row, 3)?,
        ended_at: optional_timestamp(row, 4)?,
        error_code: get(row, 5)?,
        details: details(row, 6)?.failure,
    })
}

fn record_of_run(row: &PgRow) -> PortResult<(RunId, StepRecord)> {
    Ok((RunId(get(row, 8)?), step_record(row)?))
}

fn attempt(row: &PgRow) -> PortResult<RunAttempt> {
    Ok(RunAttempt {
        fence: Fence(get(row, 0)?),
        worker: get::<Option<Uuid>>(row, 1)?.map(WorkerId),
        started_at: optional_timestamp(row, 2)?,
        ended_at: timestamp(row, 3)?,
        outcome: EventType::parse(get(row, 4)?).map_err(corrupt)?,
        failure: details(row, 5)?.failure,
    })
}

fn artifact(row: &PgRow) -> PortResult<Artifact> {
    Ok(Artifact {
        id: ArtifactId(get(row, 0)?),
        artifact_type: get(row, 1)?,
        payload: get(row, 2)?,
        created_at: timestamp(row, 3)?,
    })
}

fn job(row: &PgRow) -> PortResult<DocumentJob> {
    Ok(DocumentJob {
        document: SubjectId(get(row, 0)?),
        status: get(row, 1)?,
        attempts: count(row, 2)?,
        started_at: optional_timestamp(row, 3)?,
        completed_at: optional_timestamp(row, 4)?,
        error_log: get(row, 5)?,
    })
}

fn depth(row: &PgRow) -> PortResult<QueueDepth> {
    let rank: i16 = get(row, 1)?;
    Ok(QueueDepth {
        pipeline: Pipeline::parse(get(row, 0)?).map_err(corrupt)?,
        priority: Priority::from_rank(rank)
            .ok_or_else(|| PortError::Corrupt(format!("unknown priority {rank}")))?,
        queued: get::<i64>(row, 2)?.unsigned_abs(),
        oldest_queued_at: optional_timestamp(row, 3)?,
    })
}

fn failures(row: &PgRow) -> PortResult<StepFailures> {
    let name: &str = get(row, 0)?;
    let step = Pipeline::ALL.iter().find_map(|pipeline| pipeline.step(name).ok());
    let step = step.ok_or_else(|| PortError::Corrupt(format!("unknown step {name:?}")))?;
    Ok(StepFailures { step, error_code: get(row, 1)?, count: get::<i64>(row, 2)?.unsigned_abs() })
}
