//! The gauges that are true only at the moment somebody looks. However often somebody does, the database is asked
//! at most once in a few seconds, and never twice at once.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use metrics::gauge;
use quire_domain::{Pipeline, Priority};
use quire_ports::{QueueDepth, Store};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::telemetry::{Lost, Metrics};

/// How old the depth of the queue may be.
const FRESH: Duration = Duration::from_secs(5);
/// How long a scrape waits for the database before it shows what was known last.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tells how many runs are under way in this process.
pub(crate) type Running = Box<dyn Fn() -> usize + Send + Sync>;

/// Renders the metrics, with fresh gauges.
pub(crate) struct Scrape {
    pub(crate) metrics: Metrics,
    pub(crate) store: Store,
    pub(crate) lost: Lost,
    pub(crate) slots: u32,
    pub(crate) running: Running,
    /// When the queue was last asked about; whoever holds this is the one who asks.
    asked: Mutex<Option<Instant>>,
}

impl Scrape {
    pub(crate) fn new(metrics: Metrics, store: Store, lost: Lost, slots: u32, running: Running) -> Self {
        Self { metrics, store, lost, slots, running, asked: Mutex::default() }
    }

    async fn refresh_queue(&self) {
        let mut asked = self.asked.lock().await;
        if asked.is_some_and(|at| at.elapsed() < FRESH) {
            return;
        }
        match timeout(PATIENCE, self.store.history.queue_depth()).await {
            Ok(Ok(depth)) => show_queue(&depth, self.store.clock.now()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the depth of the queue is not known; showing the last one");
            }
            Err(_) => tracing::warn!("the depth of the queue took too long to count; showing the last one"),
        }
        // A database that cannot answer is not asked more often than one that can.
        *asked = Some(Instant::now());
    }
}

#[async_trait]
impl quire_api::Exposition for Scrape {
    async fn render(&self) -> String {
        self.refresh_queue().await;
        gauge!("quire_slots").set(self.slots);
        gauge!("quire_runs_running").set(precise((self.running)() as u64));
        metrics::counter!("quire_log_lines_dropped_total").absolute(self.lost.lines());
        self.metrics.render()
    }
}

fn show_queue(depth: &[QueueDepth], now: Timestamp) {
    for pipeline in Pipeline::ALL {
        for priority in Priority::ALL {
            let waiting = depth.iter().find(|one| one.pipeline == pipeline && one.priority == priority);
            let queued = waiting.map_or(0, |one| one.queued);
            gauge!("quire_queue_depth", "pipeline" => pipeline.as_str(), "priority" => priority.as_str())
                .set(precise(queued));
        }
        let oldest =
            depth.iter().filter(|one| one.pipeline == pipeline).filter_map(|one| one.oldest_queued_at).min();
        let age = oldest.map_or(0.0, |at| now.duration_since(at).as_secs_f64().max(0.0));
        gauge!("quire_queue_oldest_seconds", "pipeline" => pipeline.as_str()).set(age);
    }
}

#[allow(clippy::cast_precision_loss)] // Prometheus knows only this kind of number, exact up to 2^53.
fn precise(count: u64) -> f64 {
    count as f64
}
