//! The installation, workers, lanes and metrics.

use quire_domain::{ClaimScope, InstallationId, Lane, LaneClosing, LaneName, LanePause, Pipeline, WorkerId};
use quire_ports::{LaneOverview, Lease, MinuteMetrics, PortResult, Worker};

use super::ColumnReader;
use crate::error::corrupt;

/// A row of the installation.
pub fn installation_id(row: &dyn ColumnReader) -> PortResult<InstallationId> {
    row.uuid("installation_id").map(InstallationId)
}

/// A row of `workers/list.sql`.
pub fn worker(row: &dyn ColumnReader) -> PortResult<Worker> {
    let ended_at = row.optional_timestamp("worker_ended_at")?;
    let lease = match (ended_at, row.optional_timestamp("worker_lease_until")?) {
        (Some(_), _) => None,
        (None, Some(until)) => Some(Lease::Until(until)),
        (None, None) => Some(Lease::Exclusive),
    };
    let scope = row.optional_string("worker_scope")?;
    let is_server = scope.as_deref() == Some(SERVER_SCOPE);
    Ok(Worker {
        id: WorkerId(row.uuid("worker_id")?),
        name: row.string("worker_name")?,
        slots: if is_server { 0 } else { row.integer("worker_slots")? },
        started_at: row.timestamp("worker_started_at")?,
        seen_at: row.timestamp("worker_seen_at")?,
        lease,
        program: row.optional_number("worker_program")?,
        scope: match scope.filter(|_| !is_server) {
            Some(scope) => ClaimScope::parse(&scope).map_err(corrupt)?,
            None => ClaimScope::default(),
        },
    })
}

/// The scope of a server without slots. The column of the slots takes no 0.
const SERVER_SCOPE: &str = "none";

/// The slots and the scope of a worker as its row has them.
pub fn stored_slots_and_scope(worker: &Worker) -> (u32, Option<String>) {
    if worker.slots == 0 {
        return (1, Some(SERVER_SCOPE.to_owned()));
    }
    // Nothing for a worker that claims all runs.
    (worker.slots, (!worker.scope.is_everything()).then(|| worker.scope.to_string()))
}

/// A row of `lanes/list.sql`.
pub fn lane_overview(row: &dyn ColumnReader) -> PortResult<LaneOverview> {
    let closed_until = row.optional_timestamp("lane_closed_until")?;
    let reason = row.optional_string("lane_reason")?.unwrap_or_default();
    let paused = row.optional_timestamp("lane_paused_at")?.zip(row.optional_string("lane_paused_by")?);
    Ok(LaneOverview {
        lane: Lane {
            name: LaneName::parse(row.text("lane_name")?).map_err(corrupt)?,
            closed: closed_until.map(|until| LaneClosing { until, reason }),
            paused: paused.map(|(at, by)| LanePause { at, by }),
        },
        waiting: row.integer("lane_waiting")?,
        next_at: row.optional_timestamp("lane_next_at")?,
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
