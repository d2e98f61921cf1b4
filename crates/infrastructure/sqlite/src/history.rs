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
use rusqlite::{Params, Row};

use crate::error::{corrupt, translate};
use crate::row::{self, details, get, optional_timestamp, timestamp, uuid};
use crate::{SqliteStore, queue, sql, transition};

#[async_trait]
impl RunHistory for SqliteStore {
    async fn run(&self, id: RunId) -> PortResult<Run> {
        self.readers.read(move |connection| queue::find(connection, id)).await
    }

    async fn runs(&self, filter: &RunFilter) -> PortResult<Vec<Run>> {
        let filter = filter.clone();
        let parameters = (
            filter.pipeline.map(Pipeline::as_str),
            filter.state,
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
        );
        let query = if filter.run.is_some() { sql!("events/of_run") } else { sql!("events/after") };
        self.rows(query, parameters, row::event).await
    }

    async fn newest_event(&self) -> PortResult<EventId> {
        let newest = self.rows(sql!("events/newest"), (), |row| get(row, 0)).await?.pop();
        Ok(EventId(newest.unwrap_or_default()))
    }

    async fn steps(&self, run: RunId) -> PortResult<Vec<StepProgress>> {
        self.readers.read(move |connection| transition::steps(connection, run)).await
    }

    async fn step_records(&self, run: RunId) -> PortResult<Vec<StepRecord>> {
        self.rows(sql!("steps/records"), [run.0.into_bytes()], step_record).await
    }

    async fn processing(&self, document: SubjectId, limit: u32) -> PortResult<Vec<(Run, Vec<StepRecord>)>> {
        let parameters = (document.0.into_bytes(), limit);
        let runs = self.rows(sql!("runs/newest_of_document"), parameters, row::run).await?;
        let mut records: HashMap<RunId, Vec<StepRecord>> = HashMap::new();
        let of_run = |row: &Row<'_>| Ok((RunId(uuid(get(row, 8)?)), step_record(row)?));
        for (run, record) in self.rows(sql!("steps/records_of_document"), parameters, of_run).await? {
            records.entry(run).or_default().push(record);
        }
        let with_records = |run: Run| {
            let records = records.remove(&run.id).unwrap_or_default();
            (run, records)
        };
        Ok(runs.into_iter().rev().map(with_records).collect())
    }

    async fn attempts(&self, run: RunId) -> PortResult<Vec<RunAttempt>> {
        self.rows(sql!("events/attempts"), [run.0.into_bytes()], |row| {
            Ok(RunAttempt {
                fence: Fence(get(row, 0)?),
                worker: get::<Option<[u8; 16]>>(row, 1)?.map(|id| WorkerId(uuid(id))),
                started_at: optional_timestamp(get(row, 2)?)?,
                ended_at: timestamp(get(row, 3)?)?,
                outcome: EventType::parse(&get::<String>(row, 4)?).map_err(corrupt)?,
                failure: details(get(row, 5)?)?.failure,
            })
        })
        .await
    }

    async fn artifacts(&self, run: RunId) -> PortResult<Vec<Artifact>> {
        self.rows(sql!("artifacts/of_run"), [run.0.into_bytes()], artifact).await
    }

    async fn latest_artifact(
        &self,
        subject: SubjectId,
        artifact_type: &str,
    ) -> PortResult<Option<(RunId, Artifact)>> {
        let parameters = (subject.0.into_bytes(), artifact_type.to_owned());
        let found = self.rows(sql!("artifacts/latest"), parameters, |row| {
            Ok((RunId(uuid(get(row, 4)?)), artifact(row)?))
        });
        Ok(found.await?.pop())
    }

    async fn jobs(&self, document: SubjectId) -> PortResult<Vec<DocumentJob>> {
        self.rows(sql!("runs/jobs"), [document.0.into_bytes()], |row| {
            Ok(DocumentJob {
                document: SubjectId(uuid(get(row, 0)?)),
                status: get(row, 1)?,
                attempts: get(row, 2)?,
                started_at: optional_timestamp(get(row, 3)?)?,
                completed_at: optional_timestamp(get(row, 4)?)?,
                error_log: get(row, 5)?,
            })
        })
        .await
    }

    async fn queue_depth(&self) -> PortResult<Vec<QueueDepth>> {
        self.rows(sql!("runs/depth"), (), |row| {
            let rank: i16 = get(row, 1)?;
            Ok(QueueDepth {
                pipeline: Pipeline::parse(&get::<String>(row, 0)?).map_err(corrupt)?,
                priority: Priority::from_rank(rank)
                    .ok_or_else(|| PortError::Corrupt(format!("unknown priority {rank}")))?,
                queued: get::<i64>(row, 2)?.unsigned_abs(),
                oldest_queued_at: optional_timestamp(get(row, 3)?)?,
            })
        })
        .await
    }

    async fn failures(&self) -> PortResult<Vec<StepFailures>> {
        self.rows(sql!("steps/failures"), (), |row| {
            let name: String = get(row, 0)?;
            let step = Pipeline::ALL.iter().find_map(|pipeline| pipeline.step(&name).ok());
            let step = step.ok_or_else(|| PortError::Corrupt(format!("unknown step {name:?}")))?;
            Ok(StepFailures { step, error_code: get(row, 1)?, count: get::<i64>(row, 2)?.unsigned_abs() })
        })
        .await
    }
}

impl SqliteStore {
    /// Every row of a query, mapped.
    pub(crate) async fn rows<T, P, M>(&self, query: &'static str, parameters: P, map: M) -> PortResult<Vec<T>>
    where
        T: Send + 'static,
        P: Params + Send + 'static,
        M: Fn(&Row<'_>) -> PortResult<T> + Send + 'static,
    {
        self.readers
            .read(move |connection| {
                let mut statement = connection.prepare_cached(query).map_err(translate)?;
                let mut rows = statement.query(parameters).map_err(translate)?;
                let mut all = Vec::new();
                while let Some(row) = rows.next().map_err(translate)? {
                    all.push(map(row)?);
                }
                Ok(all)
            })
            .await
    }
}

fn step_record(row: &Row<'_>) -> PortResult<StepRecord> {
    let pipeline = Pipeline::parse(&get::<String>(row, 7)?).map_err(corrupt)?;
    Ok(StepRecord {
        step: pipeline.step(&get::<String>(row, 0)?).map_err(corrupt)?,
        status: StepStatus::parse(&get::<String>(row, 1)?).map_err(corrupt)?,
        attempt: get(row, 2)?,
        started_at: optional_timestamp(get(row, 3)?)?,
        ended_at: optional_timestamp(get(row, 4)?)?,
        error_code: get(row, 5)?,
        details: details(get(row, 6)?)?.failure,
    })
}

fn artifact(row: &Row<'_>) -> PortResult<Artifact> {
    Ok(Artifact {
        id: ArtifactId(uuid(get(row, 0)?)),
        artifact_type: get(row, 1)?,
        payload: get(row, 2)?,
        created_at: timestamp(get(row, 3)?)?,
    })
}
