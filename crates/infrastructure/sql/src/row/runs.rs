//! Runs.

use jiff::SignedDuration;
use quire_domain::reading::Extractor;
use quire_domain::{
    Continuation, FailureReason, FailureType, Fence, LaneName, Pipeline, Priority, Run, RunId, RunState,
    RunStateName, SchemaRef, SubjectId, WorkerId,
};
use quire_ports::{PortError, PortResult, SubjectQueue};

use super::{ColumnReader, required};
use crate::error::corrupt;

/// A row of `{run}`.
pub fn run(row: &dyn ColumnReader) -> PortResult<Run> {
    let id = RunId(row.uuid("run_id")?);
    let rank: i16 = row.integer("run_priority")?;
    let schema_name = row.optional_string("run_schema_name")?;
    let schema_version = row.optional_number("run_schema_version")?;
    let continues = row.optional_uuid("run_continues_run_id")?;
    let continuation = row.optional_number("run_continuation")?;
    let extractor = row.optional_string("run_extractor")?;
    Ok(Run {
        id,
        pipeline: Pipeline::parse(row.text("run_pipeline")?).map_err(corrupt)?,
        subject: SubjectId(row.uuid("run_subject_id")?),
        priority: Priority::from_rank(rank).ok_or_else(|| corrupt(format!("unknown priority {rank}")))?,
        fence: Fence(row.integer("run_fence")?),
        failed_attempts: row.integer("run_attempts")?,
        shared_orphanings: row.integer("run_shared_orphanings")?,
        retry_count: row.integer("run_retry_count")?,
        time_used: SignedDuration::from_millis(row.integer("run_held_ms")?),
        created_at: row.timestamp("run_created_at")?,
        queued_at: row.timestamp("run_queued_at")?,
        state: state(row, id)?,
        correlation_id: row.optional_string("run_correlation_id")?,
        requested_by: row.optional_string("run_requested_by")?,
        extractor: extractor.as_deref().map(Extractor::parse).transpose().map_err(corrupt)?,
        language: row.optional_string("run_language")?,
        continues: continues.zip(continuation).map(|(run, number)| Continuation { run: RunId(run), number }),
        schema: schema_name.zip(schema_version).map(|(name, version)| SchemaRef { name, version }),
    })
}

/// An orphaned run, and how many runs its worker held when the lease of the worker ended.
pub fn orphaned_run(row: &dyn ColumnReader) -> PortResult<(Run, u32)> {
    Ok((run(row)?, row.integer("run_held_together")?))
}

/// The subject and the pipeline of a run.
pub fn subject_queue(row: &dyn ColumnReader) -> PortResult<SubjectQueue> {
    let pipeline = Pipeline::parse(row.text("run_pipeline")?).map_err(corrupt)?;
    Ok((SubjectId(row.uuid("run_subject_id")?), pipeline))
}

/// The subject and the pipeline of waiting runs, and whether a run is at the front there.
pub fn waiting_queue(row: &dyn ColumnReader) -> PortResult<(SubjectQueue, bool)> {
    Ok((subject_queue(row)?, row.boolean("has_front")?))
}

/// Reads the state of a run from its columns.
fn state(row: &dyn ColumnReader, id: RunId) -> PortResult<RunState> {
    let started_at = || row.timestamp("run_started_at");
    let completed_at = || row.timestamp("run_completed_at");
    let state = match RunStateName::parse(row.text("run_state")?).map_err(corrupt)? {
        RunStateName::Queued => RunState::Queued {
            available_at: row.optional_timestamp("run_available_at")?,
            lane: row.optional_text("run_lane")?.map(LaneName::parse).transpose().map_err(corrupt)?,
        },
        RunStateName::Running => RunState::Running {
            started_at: started_at().map_err(|error| of_run(id, &error))?,
            deadline_at: row.optional_timestamp("run_deadline_at")?,
            worker: row.optional_uuid("run_worker_id")?.map(WorkerId),
        },
        RunStateName::Completed => RunState::Completed {
            started_at: started_at().map_err(|error| of_run(id, &error))?,
            completed_at: completed_at().map_err(|error| of_run(id, &error))?,
        },
        RunStateName::Failed => RunState::Failed {
            started_at: row.optional_timestamp("run_started_at")?,
            completed_at: completed_at().map_err(|error| of_run(id, &error))?,
            reason: reason(row).map_err(|error| of_run(id, &error))?,
        },
        RunStateName::TimedOut => RunState::TimedOut {
            started_at: started_at().map_err(|error| of_run(id, &error))?,
            completed_at: completed_at().map_err(|error| of_run(id, &error))?,
            reason: reason(row).map_err(|error| of_run(id, &error))?,
        },
    };
    Ok(state)
}

fn reason(row: &dyn ColumnReader) -> PortResult<FailureReason> {
    let failure_type = FailureType::parse(row.text("run_failure_type")?);
    Ok(FailureReason { failure_type, record: required(row.optional_json("run_error")?, "run_error")? })
}

/// Adds to an error which run cannot be read.
fn of_run(id: RunId, error: &PortError) -> PortError {
    corrupt(format!("run {id}: {error}"))
}
