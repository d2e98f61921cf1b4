//! `quire queue`

use clap::Args;
use jiff::SignedDuration;
use quire_application::operations::{LeaseStatus, OperationsOverview};
use quire_ports::{Lease, Worker};
use serde_json::{Value, json};

use super::output;
use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// How far back the mean duration looks.
const PERIOD: SignedDuration = SignedDuration::from_hours(24);

/// Show what waits, how long runs take, which steps fail and who works
///
/// Mean durations are of the runs completed in the last 24 hours.
#[derive(Args)]
#[command(after_help = "Examples:\n  quire queue\n  quire queue --json | jq '.queue[].queued'")]
pub(super) struct Queue {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What is known about the queue, and how it is told.
struct Told(OperationsOverview);

impl Queue {
    pub(super) async fn run(self, config: &Config) -> Result<String, Trouble> {
        let store = wire::open_beside(config).await?;
        let told = Told(OperationsOverview::of(&store, PERIOD).await?);
        Ok(if self.json { output::json(&told.to_json()) } else { told.to_text() })
    }
}

impl Told {
    fn to_json(&self) -> Value {
        let queue = self.0.depth.iter().map(|one| {
            json!({
                "pipeline": one.pipeline.as_str(),
                "priority": one.priority.as_str(),
                "queued": one.queued,
                "oldest_queued_at": one.oldest_queued_at.map(|at| at.to_string()),
                "oldest_seconds": one.oldest_queued_at.map(|at| self.0.now.duration_since(at).as_secs_f64()),
            })
        });
        let completed = self.0.completed().into_iter().map(|(pipeline, completed)| {
            json!({
                "pipeline": pipeline.as_str(),
                "runs": completed.runs,
                "mean_duration_ms": completed.mean_ms(),
            })
        });
        let failures = self.0.failures.iter().map(|one| {
            json!({
                "pipeline": one.step.pipeline().as_str(),
                "step": one.step.as_str(),
                "error_code": one.error_code,
                "failed": one.count,
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
            "workers": workers.collect::<Vec<_>>(),
        })
    }

    fn to_text(&self) -> String {
        [
            section("Waiting", "nothing", &self.waiting()),
            section("Completed in the last 24 hours", "nothing", &self.durations()),
            section("Steps that failed", "none", &self.failed_steps()),
            section("Workers", "none", &self.who_works()),
        ]
        .join("\n")
    }

    fn waiting(&self) -> String {
        let rows: Vec<_> = self
            .0
            .depth
            .iter()
            .map(|one| {
                let oldest =
                    one.oldest_queued_at.map_or_else(|| "-".to_owned(), |at| output::ago(at, self.0.now));
                [one.pipeline.to_string(), one.priority.as_str().to_owned(), one.queued.to_string(), oldest]
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
                    |ms| output::lasting(SignedDuration::from_millis(i64::try_from(ms).unwrap_or(i64::MAX))),
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
            .map(|one| {
                let code = one.error_code.clone().unwrap_or_else(|| "-".to_owned());
                [one.step.pipeline().to_string(), one.step.to_string(), code, one.count.to_string()]
            })
            .collect();
        output::table(["PIPELINE", "STEP", "CODE", "RUNS"], &rows)
    }

    fn who_works(&self) -> String {
        let rows: Vec<_> = self
            .0
            .workers
            .iter()
            .map(|worker| {
                [
                    worker.id.to_string(),
                    worker.name.clone(),
                    worker.slots.to_string(),
                    output::ago(worker.seen_at, self.0.now),
                    self.lease(worker).1,
                ]
            })
            .collect();
        output::table(["WORKER", "NAME", "SLOTS", "SEEN", "LEASE"], &rows)
    }

    /// How a worker's lease stands: a word for programs and a phrase for people.
    fn lease(&self, worker: &Worker) -> (&'static str, String) {
        let phrase = match (self.0.lease(worker), worker.lease) {
            (LeaseStatus::Live, Some(Lease::Until(until))) => {
                format!("{} left", output::lasting(until.duration_since(self.0.now)))
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
