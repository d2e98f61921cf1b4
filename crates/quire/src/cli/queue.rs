//! `quire queue`

use std::collections::BTreeMap;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{Pipeline, StepName};
use quire_ports::{Lease, MinuteFigures, QueueDepth, Store, Worker};
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

/// What is known about the queue.
struct Overview {
    now: Timestamp,
    depth: Vec<QueueDepth>,
    completed: BTreeMap<Pipeline, Completed>,
    failures: Vec<(StepName, u64)>,
    workers: Vec<Worker>,
}

#[derive(Clone, Copy, Default)]
struct Completed {
    runs: u64,
    duration_ms: u64,
}

impl Completed {
    fn mean_ms(self) -> Option<u64> {
        self.duration_ms.checked_div(self.runs)
    }
}

impl Queue {
    pub(super) async fn run(self, config: &Config) -> Result<String, Trouble> {
        let store = wire::open_beside(config).await?;
        let overview = Overview::of(&store).await?;
        Ok(if self.json { output::json(&overview.to_json()) } else { overview.to_text() })
    }
}

impl Overview {
    async fn of(store: &Store) -> Result<Self, Trouble> {
        let now = store.clock.now();
        let from = now.saturating_sub(PERIOD).unwrap_or(Timestamp::MIN);
        let to = now.saturating_add(SignedDuration::from_mins(1)).unwrap_or(Timestamp::MAX);
        Ok(Self {
            now,
            depth: store.history.queue_depth().await?,
            completed: completed(&store.figures.between(from, to).await?),
            failures: store.history.failures_by_step().await?,
            workers: store.workers.list().await?,
        })
    }

    fn to_json(&self) -> Value {
        let queue = self.depth.iter().map(|one| {
            json!({
                "pipeline": one.pipeline.as_str(),
                "priority": one.priority.as_str(),
                "queued": one.queued,
                "oldest_queued_at": one.oldest_queued_at.map(|at| at.to_string()),
                "oldest_seconds": one.oldest_queued_at.map(|at| self.now.duration_since(at).as_secs_f64()),
            })
        });
        let completed = self.completed.iter().map(|(pipeline, completed)| {
            json!({
                "pipeline": pipeline.as_str(),
                "runs": completed.runs,
                "mean_duration_ms": completed.mean_ms(),
            })
        });
        let failures = self.failures.iter().map(|(step, count)| {
            json!({
                "pipeline": step.pipeline().as_str(),
                "step": step.as_str(),
                "failed": count,
            })
        });
        let workers = self.workers.iter().map(|worker| {
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
            "at": self.now.to_string(),
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
            .depth
            .iter()
            .map(|one| {
                let oldest =
                    one.oldest_queued_at.map_or_else(|| "-".to_owned(), |at| output::ago(at, self.now));
                [one.pipeline.to_string(), one.priority.as_str().to_owned(), one.queued.to_string(), oldest]
            })
            .collect();
        output::table(["PIPELINE", "PRIORITY", "RUNS", "OLDEST"], &rows)
    }

    fn durations(&self) -> String {
        let rows: Vec<_> = self
            .completed
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
            .failures
            .iter()
            .map(|(step, count)| [step.pipeline().to_string(), step.to_string(), count.to_string()])
            .collect();
        output::table(["PIPELINE", "STEP", "RUNS"], &rows)
    }

    fn who_works(&self) -> String {
        let rows: Vec<_> = self
            .workers
            .iter()
            .map(|worker| {
                [
                    worker.id.to_string(),
                    worker.name.clone(),
                    worker.slots.to_string(),
                    output::ago(worker.seen_at, self.now),
                    self.lease(worker).1,
                ]
            })
            .collect();
        output::table(["WORKER", "NAME", "SLOTS", "SEEN", "LEASE"], &rows)
    }

    /// How a worker's lease stands: a word for programs and a phrase for people.
    fn lease(&self, worker: &Worker) -> (&'static str, String) {
        match worker.lease {
            None => ("ended", "ended".to_owned()),
            Some(Lease::Exclusive) => ("exclusive", "holds the database file".to_owned()),
            Some(Lease::Until(until)) if until <= self.now => {
                ("expired", format!("expired {}", output::ago(until, self.now)))
            }
            Some(Lease::Until(until)) => {
                ("live", format!("{} left", output::lasting(until.duration_since(self.now))))
            }
        }
    }
}

fn completed(figures: &[MinuteFigures]) -> BTreeMap<Pipeline, Completed> {
    let mut by_pipeline = BTreeMap::<Pipeline, Completed>::new();
    for minute in figures.iter().filter(|minute| minute.completed > 0) {
        let completed = by_pipeline.entry(minute.pipeline).or_default();
        completed.runs += minute.completed;
        completed.duration_ms += minute.duration_ms;
    }
    by_pipeline
}

fn section(title: &str, empty: &str, content: &str) -> String {
    if content.is_empty() { format!("{title}: {empty}\n") } else { format!("{title}\n{content}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R161.
    #[test]
    fn the_mean_is_over_runs_and_not_over_minutes() {
        let minute = |completed, duration_ms| MinuteFigures {
            completed,
            duration_ms,
            ..MinuteFigures::empty(Timestamp::UNIX_EPOCH, Pipeline::Document)
        };
        let figures = [minute(9, 900), minute(1, 1_100), minute(0, 0)];
        let completed = completed(&figures)[&Pipeline::Document];
        assert_eq!((completed.runs, completed.mean_ms()), (10, Some(200)));
        assert_eq!(Completed::default().mean_ms(), None);
    }
}
