//! The installation, workers and metrics.

use quire_domain::{InstallationId, Pipeline, WorkerId};
use quire_ports::{Lease, MinuteMetrics, PortResult, Worker};

use super::ColumnReader;
use crate::error::corrupt;

/// A row of the installation.
pub fn installation_id(row: &dyn ColumnReader) -> PortResult<InstallationId> {
    row.uuid("installation_id").map(InstallationId)
}

/// A row of `{worker}`.
pub fn worker(row: &dyn ColumnReader) -> PortResult<Worker> {
    let ended_at = row.optional_timestamp("worker_ended_at")?;
    let lease = match (ended_at, row.optional_timestamp("worker_lease_until")?) {
        (Some(_), _) => None,
        (None, Some(until)) => Some(Lease::Until(until)),
        (None, None) => Some(Lease::Exclusive),
    };
    Ok(Worker {
        id: WorkerId(row.uuid("worker_id")?),
        name: row.string("worker_name")?,
        slots: row.integer("worker_slots")?,
        started_at: row.timestamp("worker_started_at")?,
        seen_at: row.timestamp("worker_seen_at")?,
        lease,
    })
}

/// A row of `{minute}`.
pub fn minute_metrics(row: &dyn ColumnReader) -> PortResult<MinuteMetrics> {
    Ok(MinuteMetrics {
        minute: row.timestamp("minute_minute")?,
        pipeline: Pipeline::parse(row.text("minute_pipeline")?).map_err(corrupt)?,
        started: row.integer("minute_started")?,
        completed: row.integer("minute_completed")?,
        failed: row.integer("minute_failed")?,
        timed_out: row.integer("minute_timed_out")?,
        requeued: row.integer("minute_requeued")?,
        step_retries: row.integer("minute_step_retries")?,
        recovered: row.integer("minute_recovered")?,
        refused: row.integer("minute_refused")?,
        duration_ms: row.integer("minute_duration_ms")?,
        queued: row.integer("minute_queued")?,
        oldest_ms: row.integer("minute_oldest_ms")?,
    })
}
