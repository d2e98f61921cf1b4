//! Events, and the values that are read from them.

use std::collections::HashMap;

use quire_domain::{
    ArtifactId, Event, EventDetails, EventId, EventType, Fence, Pipeline, Priority, RecordedEvent, Run,
    RunId, StepName, StepStatus, SubjectId, WorkerId,
};
use quire_ports::{
    Artifact, DocumentJob, PortResult, QueueDepth, RunAttempt, StepFailures, StepProgress, StepRecord,
};

use super::{ColumnReader, known};
use crate::error::corrupt;

/// A row of `{event}`.
pub fn event(row: &dyn ColumnReader) -> PortResult<RecordedEvent> {
    let pipeline = row.optional_text("event_pipeline")?.map(Pipeline::parse).transpose().map_err(corrupt)?;
    let step = match (pipeline, row.optional_text("event_step_name")?) {
        (Some(pipeline), Some(name)) => Some(pipeline.step(name).map_err(corrupt)?),
        _ => None,
    };
    let details: EventDetails = row.optional_json("event_details")?.unwrap_or_default();
    Ok(RecordedEvent {
        id: EventId(row.integer("event_id")?),
        event: Event {
            event_type: EventType::parse(row.text("event_event_type")?).map_err(corrupt)?,
            at: row.timestamp("event_at")?,
            pipeline,
            subject: row.optional_uuid("event_subject_id")?.map(SubjectId),
            run: row.optional_uuid("event_run_id")?.map(RunId),
            fence: row.optional_number("event_fence")?.map(Fence),
            worker: row.optional_uuid("event_worker_id")?.map(WorkerId),
            step,
            attempt: row.optional_number("event_attempt")?,
            started_at: row.optional_timestamp("event_started_at")?,
            failure: details.failure,
            delay_ms: details.delay_ms,
            actor: details.actor,
            reason: details.reason,
            lane: details.lane,
        },
    })
}

/// A row of `{attempt}`.
pub fn attempt(row: &dyn ColumnReader) -> PortResult<RunAttempt> {
    let details: EventDetails = row.optional_json("attempt_details")?.unwrap_or_default();
    Ok(RunAttempt {
        fence: Fence(row.integer("attempt_fence")?),
        worker: row.optional_uuid("attempt_worker_id")?.map(WorkerId),
        started_at: row.optional_timestamp("attempt_started_at")?,
        ended_at: row.timestamp("attempt_ended_at")?,
        outcome: EventType::parse(row.text("attempt_outcome")?).map_err(corrupt)?,
        failure: details.failure,
    })
}

/// A row of `{step_progress}`.
pub fn step_progress(row: &dyn ColumnReader) -> PortResult<StepProgress> {
    Ok(StepProgress {
        step: step(row)?,
        status: StepStatus::parse(row.text("step_status")?).map_err(corrupt)?,
        attempt: row.integer("step_attempt")?,
        started_at: row.optional_timestamp("step_started_at")?,
        completed_at: row.optional_timestamp("step_completed_at")?,
        error_code: row.optional_string("step_error_code")?,
        error_message: row.optional_string("step_error_message")?,
    })
}

/// A row of `{step_record}`, with the run that it belongs to.
pub fn step_record(row: &dyn ColumnReader) -> PortResult<(RunId, StepRecord)> {
    let details: EventDetails = row.optional_json("step_details")?.unwrap_or_default();
    let record = StepRecord {
        step: step(row)?,
        status: StepStatus::parse(row.text("step_step_status")?).map_err(corrupt)?,
        attempt: row.integer("step_attempt")?,
        started_at: row.optional_timestamp("step_started_at")?,
        ended_at: row.optional_timestamp("step_ended_at")?,
        error_code: row.optional_string("step_error_code")?,
        details: details.failure,
    };
    Ok((RunId(row.uuid("step_run_id")?), record))
}

/// Each run with its records, in the order of the runs.
pub fn with_steps(runs: Vec<Run>, records: Vec<(RunId, StepRecord)>) -> Vec<(Run, Vec<StepRecord>)> {
    let mut of_run: HashMap<RunId, Vec<StepRecord>> = HashMap::new();
    for (run, record) in records {
        of_run.entry(run).or_default().push(record);
    }
    let with_steps = |run: Run| {
        let records = of_run.remove(&run.id).unwrap_or_default();
        (run, records)
    };
    runs.into_iter().map(with_steps).collect()
}

fn step(row: &dyn ColumnReader) -> PortResult<StepName> {
    let pipeline = Pipeline::parse(row.text("step_run_pipeline")?).map_err(corrupt)?;
    pipeline.step(row.text("step_step_name")?).map_err(corrupt)
}

/// A row of `{artifact}`.
pub fn artifact(row: &dyn ColumnReader) -> PortResult<Artifact> {
    Ok(Artifact {
        id: ArtifactId(row.uuid("artifact_id")?),
        artifact_type: row.string("artifact_artifact_type")?,
        payload: row.string("artifact_payload")?,
        created_at: row.timestamp("artifact_created_at")?,
    })
}

/// A row of `{job}`.
pub fn job(row: &dyn ColumnReader) -> PortResult<DocumentJob> {
    Ok(DocumentJob {
        document: SubjectId(row.uuid("job_document_id")?),
        status: row.string("job_status")?,
        attempts: row.integer("job_attempts")?,
        started_at: row.optional_timestamp("job_started_at")?,
        completed_at: row.optional_timestamp("job_completed_at")?,
        error_log: row.string("job_error_log")?,
    })
}

/// A row of `runs/depth.sql`.
pub fn queue_depth(row: &dyn ColumnReader) -> PortResult<QueueDepth> {
    let rank: i16 = row.integer("depth_priority")?;
    Ok(QueueDepth {
        pipeline: Pipeline::parse(row.text("depth_pipeline")?).map_err(corrupt)?,
        priority: Priority::from_rank(rank).ok_or_else(|| corrupt(format!("unknown priority {rank}")))?,
        queued: row.integer("depth_queued")?,
        oldest_queued_at: row.optional_timestamp("depth_oldest_queued_at")?,
    })
}

/// A row of `steps/failures.sql`.
pub fn step_failures(row: &dyn ColumnReader) -> PortResult<StepFailures> {
    let name = row.text("failure_step_name")?;
    let step = Pipeline::ALL.iter().find_map(|pipeline| pipeline.step(name).ok());
    Ok(StepFailures {
        step: known(step, "step", name)?,
        error_code: row.optional_string("failure_error_code")?,
        count: row.integer("failure_count")?,
    })
}
