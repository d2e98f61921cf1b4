//! Metrics by the minute, for plots. The cost of a query does not depend on the length of the history.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::Pipeline;

use crate::PortResult;

/// Metrics of one pipeline in one minute. Counters add up; a gauge keeps its last value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinuteMetrics {
    /// The start of the minute.
    pub minute: Timestamp,
    /// The pipeline.
    pub pipeline: Pipeline,
    /// Runs started.
    pub started: u64,
    /// Runs completed.
    pub completed: u64,
    /// Runs failed, recovered ones included.
    pub failed: u64,
    /// Runs timed out.
    pub timed_out: u64,
    /// Runs sent back to the queue.
    pub requeued: u64,
    /// Step attempts repeated.
    pub step_retries: u64,
    /// Runs whose owner's lease had ended.
    pub recovered: u64,
    /// Late writes refused.
    pub refused: u64,
    /// The sum of the durations of completed runs, in milliseconds.
    pub duration_ms: u64,
    /// Runs waiting (gauge).
    pub queued: u64,
    /// Age of the longest waiting run, in milliseconds (gauge).
    pub oldest_ms: u64,
}

impl MinuteMetrics {
    /// Metrics with every number zero.
    pub fn empty(minute: Timestamp, pipeline: Pipeline) -> Self {
        Self {
            minute,
            pipeline,
            started: 0,
            completed: 0,
            failed: 0,
            timed_out: 0,
            requeued: 0,
            step_retries: 0,
            recovered: 0,
            refused: 0,
            duration_ms: 0,
            queued: 0,
            oldest_ms: 0,
        }
    }
}

/// Stores metrics.
#[async_trait]
pub trait MetricsHistory: Send + Sync {
    /// Adds counters to their minutes and sets the gauges.
    async fn add(&self, metrics: &[MinuteMetrics]) -> PortResult<()>;

    /// The minutes from `from` (included) to `to` (not included), oldest first.
    async fn between(&self, from: Timestamp, to: Timestamp) -> PortResult<Vec<MinuteMetrics>>;
}
