//! Writes events as structured log lines and counts them as metrics. This is best effort and never blocks.

use jiff::{SignedDuration, Timestamp};
use quire_domain::run::{RunningStep, step_started};
use quire_domain::{Effect, Event, EventType, Pipeline, StepName, Transition, WorkerId};
use quire_ports::ClaimedRun;

/// Logs an event. Every event line has the same keys; a key that does not apply is null.
pub fn log(event: &Event, correlation_id: Option<&str>) {
    let document = event.subject.filter(|_| event.pipeline == Some(Pipeline::Document));
    let link = event.subject.filter(|_| event.pipeline == Some(Pipeline::Link));
    let failure = event.failure.as_ref();
    tracing::info!(
        target: "quire::event",
        document_id = document.map(tracing::field::display),
        request_id = event.subject.map(tracing::field::display),
        run_id = event.run.map(tracing::field::display),
        step_name = event.step.map(StepName::as_str),
        event_type = event.event_type.as_str(),
        event = link.and(name_for_links(event)),
        error_code = event.error_code(),
        correlation_id,
        stage = event.step.map(StepName::as_str),
        attempt = event.attempt,
        delay_ms = event.delay_ms,
        actor = event.actor.as_deref(),
        reason = event.reason.as_deref(),
        error = failure.map(|failure| failure.message.as_str()),
        at = %event.at,
    );
}

/// The name of an event in the log of links, where it has one of its own.
fn name_for_links(event: &Event) -> Option<&'static str> {
    match event.event_type {
        EventType::RunStarted => Some("bg_processing_start"),
        EventType::StepRetried => Some("bg_retry"),
        EventType::RunCompleted => Some("bg_processing_success"),
        EventType::RunFailed | EventType::RunTimedOut | EventType::RunRecoveredAsFailed => {
            Some("bg_processing_failed")
        }
        EventType::RunCancelled => Some("bg_processing_cancelled"),
        _ => None,
    }
}

/// Logs the events of a transition.
pub fn log_transition(transition: &Transition) {
    for effect in &transition.effects {
        if let Effect::Record(event) = effect {
            log(event, transition.run.correlation_id.as_deref());
        }
    }
}

/// Logs and counts an event.
pub(crate) fn log_and_count(event: &Event, correlation_id: Option<&str>) {
    log(event, correlation_id);
    count(event);
}

/// Logs and counts the events of a transition.
pub(crate) fn log_and_count_transition(transition: &Transition) {
    for effect in &transition.effects {
        if let Effect::Record(recorded) = effect {
            log_and_count(recorded, transition.run.correlation_id.as_deref());
        }
    }
}

/// Logs and counts the start of a run and of its first steps. A run that goes on after a wait was counted before.
pub(crate) fn run_started(claimed: &ClaimedRun, worker: WorkerId) {
    let run = &claimed.run;
    let correlation_id = run.correlation_id.as_deref();
    let at = run.state.started_at().unwrap_or(run.queued_at);
    log(&Event { worker: Some(worker), ..Event::of_run(EventType::RunStarted, run, at) }, correlation_id);
    if !run.goes_on() {
        let pipeline = run.pipeline.as_str();
        metrics::counter!("quire_runs_started_total", "pipeline" => pipeline).increment(1);
        metrics::histogram!("quire_run_wait_seconds", "pipeline" => pipeline)
            .record(at.duration_since(run.queued_at).as_secs_f64());
    }
    for attempt in &claimed.started_steps {
        log_and_count(&step_started(run, *attempt, worker, at), correlation_id);
    }
}

/// Counts an orphaned run that was recovered.
pub(crate) fn count_recovered(pipeline: Pipeline) {
    metrics::counter!("quire_runs_recovered_total", "pipeline" => pipeline.as_str()).increment(1);
}

/// Counts a subject whose runs all waited, and which got a front again.
pub(crate) fn count_restored_front(pipeline: Pipeline) {
    metrics::counter!("quire_fronts_restored_total", "pipeline" => pipeline.as_str()).increment(1);
}

/// Counts a late write that the store refused.
pub(crate) fn count_refused_write(pipeline: Pipeline) {
    metrics::counter!("quire_late_writes_refused_total", "pipeline" => pipeline.as_str()).increment(1);
}

/// Measures an attempt at a step.
pub(crate) fn step_duration(step: StepName, duration: SignedDuration) {
    metrics::histogram!(
        "quire_step_duration_seconds",
        "pipeline" => step.pipeline().as_str(),
        "step" => step.as_str()
    )
    .record(duration.as_secs_f64());
}

/// Measures an attempt at a step that was interrupted.
pub(crate) fn step_interrupted(running: RunningStep, at: Timestamp) {
    if let Some(started_at) = running.started_at {
        step_duration(running.step, at.duration_since(started_at));
    }
}

fn count(event: &Event) {
    let Some(pipeline) = event.pipeline.map(Pipeline::as_str) else { return };
    let finished = |outcome: &'static str| {
        metrics::counter!("quire_runs_finished_total", "pipeline" => pipeline, "outcome" => outcome)
            .increment(1);
        if let Some(start) = event.started_at {
            metrics::histogram!("quire_run_duration_seconds", "pipeline" => pipeline, "outcome" => outcome)
                .record(event.at.duration_since(start).as_secs_f64());
        }
    };
    match event.event_type {
        EventType::RunCompleted => finished("completed"),
        EventType::RunFailed => finished("failed"),
        EventType::RunTimedOut => finished("timed_out"),
        EventType::RunCancelled => finished("cancelled"),
        EventType::RunWithdrawn => finished("withdrawn"),
        EventType::RunRecoveredAsFailed => finished("recovered_as_failed"),
        EventType::RunRequeued if event.is_wait() => {
            metrics::counter!("quire_run_waits_total", "pipeline" => pipeline).increment(1);
        }
        EventType::RunRequeued => {
            metrics::counter!("quire_runs_requeued_total", "pipeline" => pipeline).increment(1);
        }
        EventType::StepRetried => {
            let step = event.step.map_or("", StepName::as_str);
            metrics::counter!("quire_step_retries_total", "pipeline" => pipeline, "step" => step)
                .increment(1);
        }
        EventType::StepFailed => {
            let step = event.step.map_or("", StepName::as_str);
            let code = event.error_code().unwrap_or_default().to_owned();
            metrics::counter!("quire_step_failures_total", "pipeline" => pipeline, "step" => step, "code" => code)
                .increment(1);
        }
        _ => {}
    }
}
