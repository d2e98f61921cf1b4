//! Prints runs as text or JSON.

use std::fmt::Write;

use quire_domain::{FailureRecord, RecordedEvent, Run, RunState, StepName};
use quire_ports::{RunAttempt, StepProgress};
use serde_json::{Value, json};

use crate::cli::output::{duration, table, time};

/// A run with its steps, attempts and last events.
pub(super) struct RunDetails {
    pub(super) run: Run,
    pub(super) steps: Vec<StepProgress>,
    pub(super) attempts: Vec<RunAttempt>,
    /// The last events, oldest first.
    pub(super) events: Vec<RecordedEvent>,
}

pub(super) fn list(runs: &[Run]) -> String {
    let rows: Vec<_> = runs
        .iter()
        .map(|run| {
            let code = run.state.reason().map_or("", |reason| reason.record.error_code.as_str());
            [
                run.id.to_string(),
                run.pipeline.to_string(),
                run.state.as_str().to_owned(),
                run.priority.as_str().to_owned(),
                time(Some(run.created_at)),
                run.failed_attempts.to_string(),
                code.to_owned(),
            ]
        })
        .collect();
    table(["RUN", "PIPELINE", "STATE", "PRIORITY", "CREATED", "ATTEMPTS", "ERROR"], &rows)
}

/// ", starts at … or later" for a run with a delay.
pub(super) fn delay_note(run: &Run) -> String {
    match &run.state {
        RunState::Queued { lane: Some(lane), .. } => format!(", waits in lane {lane}"),
        RunState::Queued { available_at: Some(at), .. } => format!(", starts at {at:.0} or later"),
        _ => String::new(),
    }
}

pub(super) fn run_json(run: &Run) -> Value {
    let (available_at, lane, deadline_at, worker) = match &run.state {
        RunState::Queued { available_at, lane } => (*available_at, lane.as_ref(), None, None),
        RunState::Running { deadline_at, worker, .. } => (None, None, *deadline_at, *worker),
        _ => (None, None, None, None),
    };
    let reason = run.state.reason();
    json!({
        "run_id": run.id.to_string(),
        "pipeline": run.pipeline.as_str(),
        "subject_id": run.subject.to_string(),
        "priority": run.priority.as_str(),
        "state": run.state.as_str(),
        "correlation_id": run.correlation_id,
        "created_at": run.created_at.to_string(),
        "queued_at": run.queued_at.to_string(),
        "available_at": available_at.map(|at| at.to_string()),
        "lane": lane.map(quire_domain::LaneName::as_str),
        "started_at": run.state.started_at().map(|at| at.to_string()),
        "deadline_at": deadline_at.map(|at| at.to_string()),
        "completed_at": run.state.completed_at().map(|at| at.to_string()),
        "worker_id": worker.map(|worker| worker.to_string()),
        "attempts": run.failed_attempts,
        "retry_count": run.retry_count,
        "continues_run_id": run.continues.map(|continuation| continuation.run.to_string()),
        "failure_type": reason.map(|reason| reason.failure_type.as_str()),
        "error": reason.map(|reason| &reason.record),
    })
}

impl RunDetails {
    pub(super) fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            json!({
                "step_name": step.step.as_str(),
                "status": step.status.as_str(),
                "attempt": step.attempt,
                "started_at": step.started_at.map(|at| at.to_string()),
                "completed_at": step.completed_at.map(|at| at.to_string()),
                "error_code": step.error_code,
                "error_message": step.error_message,
            })
        });
        let attempts = self.attempts.iter().map(|attempt| {
            json!({
                "fence": attempt.fence.0,
                "worker_id": attempt.worker.map(|worker| worker.to_string()),
                "started_at": attempt.started_at.map(|at| at.to_string()),
                "ended_at": attempt.ended_at.to_string(),
                "outcome": attempt.outcome.as_str(),
                "error": attempt.failure,
            })
        });
        let events = self.events.iter().map(|recorded| {
            let event = &recorded.event;
            json!({
                "id": recorded.id.0,
                "event_type": event.event_type.as_str(),
                "at": event.at.to_string(),
                "step_name": event.step.map(StepName::as_str),
                "attempt": event.attempt,
                "delay_ms": event.delay_ms,
                "worker_id": event.worker.map(|worker| worker.to_string()),
                "error": event.failure,
            })
        });
        let mut run = run_json(&self.run);
        run["steps"] = steps.collect();
        run["attempt_records"] = attempts.collect();
        run["last_events"] = events.collect();
        run
    }

    pub(super) fn to_text(&self) -> String {
        [self.head(), self.steps(), self.attempts(), self.events()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn head(&self) -> String {
        let run = &self.run;
        let mut text = format!("Run {} is {}{}\n", run.id, run.state.as_str(), delay_note(run));
        let mut line = |name: &str, value: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {name:<10} {value}");
        };
        line("pipeline", format!("{}, priority {}", run.pipeline, run.priority.as_str()));
        line("subject", run.subject.to_string());
        line("created", time(Some(run.created_at)));
        if let Some(started) = run.state.started_at() {
            let took = run.state.completed_at().map_or_else(String::new, |end| {
                format!(", ended {} ({})", time(Some(end)), duration(end.duration_since(started)))
            });
            line("started", format!("{}{took}", time(Some(started))));
        }
        line("attempts", format!("{} failed, requeued {} times", run.failed_attempts, run.retry_count));
        if let Some(continuation) = run.continues {
            line("continues", format!("run {}, which timed out", continuation.run));
        }
        if let Some(correlation_id) = &run.correlation_id {
            line("request", correlation_id.clone());
        }
        if let Some(reason) = run.state.reason() {
            line("failed", format!("{}: {}", reason.failure_type.as_str(), failure(Some(&reason.record))));
        }
        text
    }

    fn steps(&self) -> String {
        let rows: Vec<_> = self
            .steps
            .iter()
            .map(|step| {
                let took = step.started_at.zip(step.completed_at);
                [
                    step.step.to_string(),
                    step.status.as_str().to_owned(),
                    step.attempt.to_string(),
                    time(step.started_at),
                    took.map_or_else(|| "-".to_owned(), |(start, end)| duration(end.duration_since(start))),
                    step.error_code.clone().unwrap_or_default(),
                ]
            })
            .collect();
        table(["STEP", "STATUS", "ATTEMPT", "STARTED", "TOOK", "ERROR"], &rows)
    }

    fn attempts(&self) -> String {
        let rows: Vec<_> = self
            .attempts
            .iter()
            .enumerate()
            .map(|(index, attempt)| {
                [
                    (index + 1).to_string(),
                    time(attempt.started_at),
                    time(Some(attempt.ended_at)),
                    attempt.outcome.as_str().to_owned(),
                    failure(attempt.failure.as_ref()),
                ]
            })
            .collect();
        table(["RUN ATTEMPT", "STARTED", "ENDED", "OUTCOME", "ERROR"], &rows)
    }

    fn events(&self) -> String {
        let rows: Vec<_> = self
            .events
            .iter()
            .map(|recorded| {
                let event = &recorded.event;
                let attempt = event.attempt.map_or_else(String::new, |attempt| format!(" #{attempt}"));
                let step = event.step.map_or_else(String::new, |step| format!("{step}{attempt}"));
                [
                    time(Some(event.at)),
                    event.event_type.as_str().to_owned(),
                    step,
                    failure(event.failure.as_ref()),
                ]
            })
            .collect();
        table(["LAST EVENTS", "EVENT", "STEP", "ERROR"], &rows)
    }
}

fn failure(record: Option<&FailureRecord>) -> String {
    record.map_or_else(String::new, |record| format!("{}: {}", record.error_code, record.message))
}
