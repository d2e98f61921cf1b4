//! Reading runs and their history.

use async_trait::async_trait;
use quire_domain::{EventId, EventType, Pipeline, RecordedEvent, Run, RunId, RunStateName, SubjectId};
use quire_ports::{
    Artifact, DocumentJob, EventFilter, PortResult, QueueDepth, RunAttempt, RunFilter, RunReader,
    StepFailures, StepProgress, StepRecord,
};
use quire_sql::{ColumnReader, row};
use rusqlite::Params;

use crate::row::all;
use crate::{SqliteStore, queue, sql, transition};

#[async_trait]
impl RunReader for SqliteStore {
    async fn run(&self, id: RunId) -> PortResult<Run> {
        self.readers.read(move |connection| queue::find(connection, id)).await
    }

    async fn runs(&self, filter: &RunFilter) -> PortResult<Vec<Run>> {
        let filter = filter.clone();
        let parameters = (
            filter.pipeline.map(Pipeline::as_str),
            filter.state.map(RunStateName::as_str),
            filter.subject.map(|id| id.0.into_bytes()),
            filter.before.map(|id| id.0.into_bytes()),
            filter.limit,
        );
        let query = if filter.subject.is_some() { sql!("runs/list_of_subject") } else { sql!("runs/list") };
        self.rows(query, parameters, row::run).await
    }

    async fn events(
        &self,
        after: EventId,
        filter: EventFilter,
        limit: u32,
    ) -> PortResult<Vec<RecordedEvent>> {
        let parameters = (
            after.0,
            filter.run.map(|id| id.0.into_bytes()),
            filter.subject.map(|id| id.0.into_bytes()),
            limit,
            serde_json::Value::from(EventType::names()).to_string(),
        );
        let query = if filter.run.is_some() { sql!("events/of_run") } else { sql!("events/after") };
        self.rows(query, parameters, row::event).await
    }

    async fn newest_event(&self) -> PortResult<EventId> {
        let newest = self.rows(sql!("events/newest"), (), |row| row.integer("newest")).await?.pop();
        Ok(EventId(newest.unwrap_or_default()))
    }

    async fn steps(&self, run: RunId) -> PortResult<Vec<StepProgress>> {
        self.readers.read(move |connection| transition::steps(connection, run)).await
    }

    async fn step_records(&self, run: RunId) -> PortResult<Vec<StepRecord>> {
        let records = self.rows(sql!("steps/records"), [run.0.into_bytes()], row::step_record).await?;
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    async fn processing(&self, document: SubjectId, limit: u32) -> PortResult<Vec<(Run, Vec<StepRecord>)>> {
        let parameters = (document.0.into_bytes(), limit);
        let runs = self.rows(sql!("runs/newest_of_document"), parameters, row::run).await?;
        let records = self.rows(sql!("steps/records_of_document"), parameters, row::step_record).await?;
        Ok(row::with_steps(runs.into_iter().rev().collect(), records))
    }

    async fn attempts(&self, run: RunId) -> PortResult<Vec<RunAttempt>> {
        self.rows(sql!("events/attempts"), [run.0.into_bytes()], row::attempt).await
    }

    async fn artifacts(&self, run: RunId) -> PortResult<Vec<Artifact>> {
        self.rows(sql!("artifacts/of_run"), [run.0.into_bytes()], row::artifact).await
    }

    async fn latest_artifact(
        &self,
        subject: SubjectId,
        artifact_type: &str,
    ) -> PortResult<Option<(RunId, Artifact)>> {
        let parameters = (subject.0.into_bytes(), artifact_type.to_owned());
        let with_run = |row: &dyn ColumnReader| Ok((RunId(row.uuid("run_id")?), row::artifact(row)?));
        Ok(self.rows(sql!("artifacts/latest"), parameters, with_run).await?.pop())
    }

    async fn jobs(&self, document: SubjectId) -> PortResult<Vec<DocumentJob>> {
        self.rows(sql!("runs/jobs"), [document.0.into_bytes()], row::job).await
    }

    async fn queue_depth(&self) -> PortResult<Vec<QueueDepth>> {
        self.rows(sql!("runs/depth"), (), row::queue_depth).await
    }

    async fn failures(&self) -> PortResult<Vec<StepFailures>> {
        self.rows(sql!("steps/failures"), (), row::step_failures).await
    }
}

impl SqliteStore {
    /// Every row of a query, mapped.
    pub(crate) async fn rows<T, P, M>(&self, query: &'static str, parameters: P, map: M) -> PortResult<Vec<T>>
    where
        T: Send + 'static,
        P: Params + Send + 'static,
        M: Fn(&dyn ColumnReader) -> PortResult<T> + Send + 'static,
    {
        self.readers.read(move |connection| all(connection, query, parameters, map)).await
    }
}
