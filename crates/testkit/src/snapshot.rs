//! The state of a store as text: every run with its steps, and the event history. Runs are numbered in order of
//! creation, so that two executions of the same scenario give the same text.

use std::collections::HashMap;
use std::fmt::Write;

use quire_domain::{EventId, RunId};
use quire_ports::{EventFilter, RunFilter, Store};

/// Renders the state of a store as text that tests can compare.
pub async fn render(store: &Store) -> String {
    let mut runs = store.run_reader.runs(&RunFilter { limit: 1000, ..RunFilter::default() }).await.unwrap();
    runs.reverse();
    let names: HashMap<RunId, usize> = (1..).zip(&runs).map(|(number, run)| (run.id, number)).collect();
    let mut text = String::new();
    for run in &runs {
        let reason = run.state.reason().map_or("", |reason| reason.failure_type.as_str());
        writeln!(
            text,
            "run {} {} {} attempts={} retries={} {reason}",
            names[&run.id],
            run.pipeline,
            run.state.as_str(),
            run.failed_attempts,
            run.retry_count
        )
        .unwrap();
        for step in store.run_reader.steps(run.id).await.unwrap() {
            let code = step.error_code.unwrap_or_default();
            writeln!(text, "  {} {} attempt={} {code}", step.step, step.status.as_str(), step.attempt)
                .unwrap();
        }
    }
    for recorded in store.run_reader.events(EventId(0), EventFilter::default(), 10_000).await.unwrap() {
        let event = recorded.event;
        let run =
            event.run.and_then(|id| names.get(&id)).map_or_else(String::new, |name| format!(" run {name}"));
        let step = event.step.map_or_else(String::new, |step| format!(" {step}"));
        let attempt = event.attempt.map_or_else(String::new, |attempt| format!(" #{attempt}"));
        let code = event.error_code().map_or_else(String::new, |code| format!(" {code}"));
        writeln!(text, "{}{run}{step}{attempt}{code}", event.event_type.as_str()).unwrap();
    }
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
