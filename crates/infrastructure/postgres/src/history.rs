//! Reading runs and their history.

use async_trait::async_trait;
use quire_domain::{EventId, EventType, Pipeline, RecordedEvent, Run, RunId, RunStateName, SubjectId};
use quire_ports::{
    Artifact, DocumentJob, EventFilter, PortResult, QueueDepth, RunAttempt, RunFilter, RunReader,
    StepFailures, StepProgress, StepRecord,
};
use quire_sql::{ColumnReader, row};
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;

use crate::queue::found;
use crate::row::mapped;
use crate::{PgStore, sql};

#[async_trait]
impl RunReader for PgStore {
    async fn run(&self, id: RunId) -> PortResult<Run> {
        let rows = self.database.read(|| sqlx::query(sql!("runs/find")).bind(id.0)).await?;
        found(&rows, id)
    }

    async fn runs(&self, filter: &RunFilter) -> PortResult<Vec<Run>> {
        let query = if filter.subject.is_some() { sql!("runs/list_of_subject") } else { sql!("runs/list") };
        let query = || {
            sqlx::query(query)
                .bind(filter.pipeline.map(Pipeline::as_str))
                .bind(filter.state.map(RunStateName::as_str))
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
                .bind(EventType::names())
        };
        self.rows(query, row::event).await
    }

    async fn newest_event(&self) -> PortResult<EventId> {
        let newest =
            self.rows(|| sqlx::query(sql!("events/newest")), |row| row.integer("newest")).await?.pop();
        Ok(EventId(newest.unwrap_or_default()))
    }

    async fn steps(&self, run: RunId) -> PortResult<Vec<StepProgress>> {
        self.rows(|| sqlx::query(sql!("steps/of_run")).bind(run.0), row::step_progress).await
    }

    async fn step_records(&self, run: RunId) -> PortResult<Vec<StepRecord>> {
        let query = || sqlx::query(sql!("steps/records")).bind(run.0);
        let records = self.rows(query, row::step_record).await?;
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    async fn processing(&self, document: SubjectId, limit: u32) -> PortResult<Vec<(Run, Vec<StepRecord>)>> {
        let ask = |query: &'static str| move || sqlx::query(query).bind(document.0).bind(i64::from(limit));
        let runs = self.rows(ask(sql!("runs/newest_of_document")), row::run).await?;
        let records = self.rows(ask(sql!("steps/records_of_document")), row::step_record).await?;
        Ok(row::with_steps(runs.into_iter().rev().collect(), records))
    }

    async fn attempts(&self, run: RunId) -> PortResult<Vec<RunAttempt>> {
        self.rows(|| sqlx::query(sql!("events/attempts")).bind(run.0), row::attempt).await
    }

    async fn artifacts(&self, run: RunId) -> PortResult<Vec<Artifact>> {
        self.rows(|| sqlx::query(sql!("artifacts/of_run")).bind(run.0), row::artifact).await
    }

    async fn latest_artifact(
        &self,
        subject: SubjectId,
        artifact_type: &str,
    ) -> PortResult<Option<(RunId, Artifact)>> {
        let artifact_type = artifact_type.to_owned();
        let query = || sqlx::query(sql!("artifacts/latest")).bind(subject.0).bind(artifact_type.clone());
        Ok(self.rows(query, |row| Ok((RunId(row.uuid("run_id")?), row::artifact(row)?))).await?.pop())
    }

    async fn jobs(&self, document: SubjectId) -> PortResult<Vec<DocumentJob>> {
        self.rows(|| sqlx::query(sql!("runs/jobs")).bind(document.0), row::job).await
    }

    async fn queue_depth(&self) -> PortResult<Vec<QueueDepth>> {
        self.rows(|| sqlx::query(sql!("runs/depth")), row::queue_depth).await
    }

    async fn failures(&self) -> PortResult<Vec<StepFailures>> {
        self.rows(|| sqlx::query(sql!("steps/failures")), row::step_failures).await
    }
}

impl PgStore {
    /// Every row of a query, mapped.
    pub(crate) async fn rows<'q, T, Q>(
        &self,
        query: Q,
        map: impl Fn(&dyn ColumnReader) -> PortResult<T>,
    ) -> PortResult<Vec<T>>
    where
        Q: Fn() -> Query<'q, Postgres, PgArguments> + Send + Sync,
    {
        mapped(&self.database.read(query).await?, map)
    }
}
