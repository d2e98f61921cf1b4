//! `quire queue`

use clap::Args;
use jiff::SignedDuration;
use quire_application::operations::{LeaseStatus, OperationsOverview};
use quire_domain::LaneState;
use quire_ports::{Lease, Worker};
use serde_json::{Value, json};

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// The period of the mean durations.
const PERIOD: SignedDuration = SignedDuration::from_hours(24);

/// Show the queue, run durations, failing steps, lanes and workers
///
/// Durations are means over the runs completed in the last 24 hours.
#[derive(Args)]
#[command(after_help = "Examples:\n  quire queue\n  quire queue --json | jq '.queue[].queued'")]
pub(super) struct QueueCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The overview, printed as JSON or text.
struct QueueReport(OperationsOverview);

impl QueueCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let store = wire::open_for_command(config).await?;
        let report = QueueReport(OperationsOverview::load(&store, PERIOD).await?);
        Ok(if self.json { output::json(&report.to_json()) } else { report.to_text() })
    }
}

impl QueueReport {
    fn to_json(&self) -> Value {
        let queue = self.0.depth.iter().map(|entry| {
            json!({
                "pipeline": entry.pipeline.as_str(),
                "priority": entry.priority.as_str(),
                "queued": entry.queued,
                "oldest_queued_at": entry.oldest_queued_at.map(|at| at.to_string()),
                "oldest_seconds": entry.oldest_queued_at.map(|at| self.0.now.duration_since(at).as_secs_f64()),
            })
        });
        let completed = self.0.completed().into_iter().map(|(pipeline, completed)| {
            json!({
                "pipeline": pipeline.as_str(),
                "runs": completed.runs,
                "mean_duration_ms": completed.mean_ms(),
            })
        });
        let failures = self.0.failures.iter().map(|entry| {
            json!({
                "pipeline": entry.step.pipeline().as_str(),
                "step": entry.step.as_str(),
                "error_code": entry.error_code,
                "failed": entry.count,
            })
        });
        let lanes = self.0.lanes.iter().map(|entry| {
            let lane = &entry.lane;
            let closing = lane.closing(self.0.now);
            json!({
                "name": lane.name.as_str(),
                "state": lane.state(self.0.now).as_str(),
                "closed_until": closing.map(|closing| closing.until.to_string()),
                "reason": closing.map(|closing| &closing.reason),
                "paused_at": lane.paused.as_ref().map(|pause| pause.at.to_string()),
                "paused_by": lane.paused.as_ref().map(|pause| &pause.by),
                "waiting": entry.waiting,
                "next_at": entry.next_at.map(|at| at.to_string()),
            })
        });
        let workers = self.0.workers.iter().map(|worker| {
            let until = match worker.lease {
                Some(Lease::Until(until)) => Some(until.to_string()),
                _ => None,
            };
            json!({
                "worker_id": worker.id.to_string(),
                "name": worker.name,
                "slots": worker.slots,
                "started_at": worker.started_at.to_string(),
                "seen_at": worker.seen_at.to_string(),
                "lease": self.lease(worker).0,
                "lease_until": until,
            })
        });
        json!({
            "at": self.0.now.to_string(),
            "queue": queue.collect::<Vec<_>>(),
            "completed_last_24h": completed.collect::<Vec<_>>(),
            "failures_by_step": failures.collect::<Vec<_>>(),
            "lanes": lanes.collect::<Vec<_>>(),
            "workers": workers.collect::<Vec<_>>(),
        })
    }

    fn to_text(&self) -> String {
        [
            section("Queued", "no runs", &self.queued()),
            section("Completed in the last 24 hours", "no runs", &self.durations()),
            section("Failed steps", "none", &self.failed_steps()),
            section("Lanes", "none", &self.lanes()),
            section("Workers", "none", &self.workers()),
        ]
        .join("\n")
    }

    fn queued(&self) -> String {
        let rows: Vec<_> = self
            .0
            .depth
            .iter()
            .map(|entry| {
                let oldest =
                    entry.oldest_queued_at.map_or_else(|| "-".to_owned(), |at| output::ago(at, self.0.now));
                [
                    entry.pipeline.to_string(),
                    entry.priority.as_str().to_owned(),
                    entry.queued.to_string(),
                    oldest,
                ]
            })
            .collect();
        output::table(["PIPELINE", "PRIORITY", "RUNS", "OLDEST"], &rows)
    }

    fn durations(&self) -> String {
        let rows: Vec<_> = self
            .0
            .completed()
            .iter()
            .map(|(pipeline, completed)| {
                let mean = completed.mean_ms().map_or_else(
                    || "-".to_owned(),
                    |ms| output::duration(SignedDuration::from_millis(i64::try_from(ms).unwrap_or(i64::MAX))),
                );
                [pipeline.to_string(), completed.runs.to_string(), mean]
            })
            .collect();
        output::table(["PIPELINE", "RUNS", "MEAN DURATION"], &rows)
    }

    fn failed_steps(&self) -> String {
        let rows: Vec<_> = self
            .0
            .failures
            .iter()
            .map(|entry| {
                let code = entry.error_code.clone().unwrap_or_else(|| "-".to_owned());
                [entry.step.pipeline().to_string(), entry.step.to_string(), code, entry.count.to_string()]
            })
            .collect();
        output::table(["PIPELINE", "STEP", "CODE", "RUNS"], &rows)
    }

    fn lanes(&self) -> String {
        let rows: Vec<_> = self
            .0
            .lanes
            .iter()
            .map(|entry| {
                let lane = &entry.lane;
                let since = match (lane.state(self.0.now), &lane.paused) {
                    (LaneState::Closed { until }, _) => {
                        format!("for {}", output::duration(until.duration_since(self.0.now)))
                    }
                    (_, Some(pause)) => format!("by {}, {}", pause.by, output::ago(pause.at, self.0.now)),
                    _ => "-".to_owned(),
                };
                let state = lane.state(self.0.now).as_str().to_lowercase();
                [lane.name.to_string(), state, since, entry.waiting.to_string()]
            })
            .collect();
        output::table(["LANE", "STATE", "", "WAITING"], &rows)
    }

    fn workers(&self) -> String {
        let rows: Vec<_> = self
            .0
            .workers
            .iter()
            .map(|worker| {
                [
                    worker.id.to_string(),
                    worker.name.clone(),
                    if worker.slots == 0 { "none (server)".to_owned() } else { worker.slots.to_string() },
                    output::ago(worker.seen_at, self.0.now),
                    self.lease(worker).1,
                ]
            })
            .collect();
        output::table(["WORKER", "NAME", "SLOTS", "SEEN", "LEASE"], &rows)
    }

    /// The state of a worker's lease, for JSON and for text.
    fn lease(&self, worker: &Worker) -> (&'static str, String) {
        let phrase = match (self.0.lease(worker), worker.lease) {
            (LeaseStatus::Live, Some(Lease::Until(until))) => {
                format!("{} left", output::duration(until.duration_since(self.0.now)))
            }
            (LeaseStatus::Expired, Some(Lease::Until(until))) => {
                format!("expired {}", output::ago(until, self.0.now))
            }
            (LeaseStatus::Exclusive, _) => "holds the database file".to_owned(),
            _ => "ended".to_owned(),
        };
        (self.0.lease(worker).as_str(), phrase)
    }
}

fn section(title: &str, empty: &str, content: &str) -> String {
    if content.is_empty() { format!("{title}: {empty}\n") } else { format!("{title}\n{content}") }
}
