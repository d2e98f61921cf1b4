//! Renders the metrics, with gauges computed at the time of the scrape. However often a client scrapes, the queue is
//! counted at most once every few seconds, and never twice at the same time.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use metrics::gauge;
use quire_domain::{Pipeline, Priority};
use quire_ports::{QueueDepth, Store};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::telemetry::{DroppedLines, PrometheusMetrics};

/// How old the shown queue depth may be.
const QUEUE_MAX_AGE: Duration = Duration::from_secs(5);
/// How long a scrape waits for the database before it shows the last known queue depth.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the number of runs that this process works on.
pub(crate) type RunningCount = Box<dyn Fn() -> usize + Send + Sync>;

/// The source of `GET /metrics`.
pub(crate) struct MetricsScrape {
    pub(crate) metrics: PrometheusMetrics,
    pub(crate) store: Store,
    pub(crate) dropped: DroppedLines,
    pub(crate) slots: u32,
    pub(crate) running: RunningCount,
    /// When the queue was last counted. The scrape that holds the lock counts it.
    counted_at: Mutex<Option<Instant>>,
}

impl MetricsScrape {
    pub(crate) fn new(
        metrics: PrometheusMetrics,
        store: Store,
        dropped: DroppedLines,
        slots: u32,
        running: RunningCount,
    ) -> Self {
        Self { metrics, store, dropped, slots, running, counted_at: Mutex::default() }
    }

    async fn refresh_queue(&self) {
        let mut counted_at = self.counted_at.lock().await;
        if counted_at.is_some_and(|at| at.elapsed() < QUEUE_MAX_AGE) {
            return;
        }
        match timeout(QUEUE_TIMEOUT, self.store.run_reader.queue_depth()).await {
            Ok(Ok(depth)) => set_queue_gauges(&depth, self.store.clock.now()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "metrics: counting the queue failed, showing the last count");
            }
            Err(_) => tracing::warn!("metrics: counting the queue took too long, showing the last count"),
        }
        // Also after a failure, so that a failing database is not queried more often.
        *counted_at = Some(Instant::now());
    }
}

#[async_trait]
impl quire_api::Exposition for MetricsScrape {
    async fn render(&self) -> String {
        self.refresh_queue().await;
        gauge!("quire_slots").set(self.slots);
        gauge!("quire_runs_running").set(to_f64((self.running)() as u64));
        metrics::counter!("quire_log_lines_dropped_total").absolute(self.dropped.lines());
        self.metrics.render()
    }
}

fn set_queue_gauges(depth: &[QueueDepth], now: Timestamp) {
    for pipeline in Pipeline::ALL {
        for priority in Priority::ALL {
            let waiting = depth.iter().find(|one| one.pipeline == pipeline && one.priority == priority);
            let queued = waiting.map_or(0, |one| one.queued);
            gauge!("quire_queue_depth", "pipeline" => pipeline.as_str(), "priority" => priority.as_str())
                .set(to_f64(queued));
        }
        let oldest =
            depth.iter().filter(|one| one.pipeline == pipeline).filter_map(|one| one.oldest_queued_at).min();
        let age = oldest.map_or(0.0, |at| now.duration_since(at).as_secs_f64().max(0.0));
        gauge!("quire_queue_oldest_seconds", "pipeline" => pipeline.as_str()).set(age);
    }
}

#[allow(clippy::cast_precision_loss)] // Prometheus has only f64, which is exact up to 2^53.
fn to_f64(count: u64) -> f64 {
    count as f64
}
