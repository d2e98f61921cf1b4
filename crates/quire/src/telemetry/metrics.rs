//! Every metric of Quire: its name, what it means, and the labels it is known to have, so that each stands at zero
//! before anything has happened. An alert on a counter that is not there yet never fires.

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use quire_domain::Pipeline;

use crate::trouble::Trouble;

/// Seconds: from a step that only looks something up to a proposal that takes half an hour, and a day in a queue.
const SECONDS: [f64; 18] = [
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 1800.0,
    86_400.0,
];

/// The ways in which a run ends.
const OUTCOMES: [&str; 4] = ["completed", "failed", "timed_out", "recovered_as_failed"];
/// What the engine can be doing when the store fails it.
const DOINGS: [&str; 4] = ["claim", "advance", "heartbeat", "watch"];

/// The metrics of this process.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// All of them, in the Prometheus text format.
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Folds what histograms have gathered into their buckets. Without it they grow until the next scrape.
    pub fn tidy(&self) {
        self.handle.run_upkeep();
    }
}

/// Starts counting. Where somebody else counts already, this process's metrics stay with them and these are empty.
pub fn install() -> Result<Metrics, Trouble> {
    let recorder = builder()?.build_recorder();
    let metrics = Metrics { handle: recorder.handle() };
    if metrics::set_global_recorder(recorder).is_ok() {
        describe();
        start_at_zero();
    }
    Ok(metrics)
}

pub(super) fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
}

pub(super) fn describe() {
    let count = |name: &'static str, text: &'static str| describe_counter!(name, Unit::Count, text);
    count("quire_runs_started_total", "Runs started.");
    count("quire_runs_finished_total", "Runs that ended, by outcome.");
    count("quire_runs_requeued_total", "Runs sent back to the queue after an attempt.");
    count("quire_runs_recovered_total", "Runs whose worker had gone.");
    count(
        "quire_late_writes_refused_total",
        "Writes refused because the run belongs to somebody else by now.",
    );
    count("quire_step_retries_total", "Step attempts that were repeated.");
    count("quire_step_failures_total", "Step attempts that failed, by error code.");
    count("quire_leases_lost_total", "Times this worker's lease ended before it was renewed.");
    count("quire_scheduler_contention_total", "Claims put off because another process was writing.");
    count("quire_lock_skips_total", "Runs passed over because somebody else held their lock.");
    count("quire_store_errors_total", "Times the store failed the engine, by what it was doing.");
    count("quire_model_calls_total", "Requests to a language model, by outcome.");
    count("quire_model_tokens_total", "Tokens that went to a language model and came from it.");
    count("quire_looks_lost_total", "Looks at documents that could not be recorded.");
    count("quire_log_lines_dropped_total", "Log lines lost because their output was slow or failing.");

    let seconds = |name: &'static str, text: &'static str| describe_histogram!(name, Unit::Seconds, text);
    seconds("quire_run_wait_seconds", "Time from entering the queue to being started.");
    seconds("quire_run_duration_seconds", "Time from start to end of a run's last attempt.");
    seconds("quire_step_duration_seconds", "Time that one attempt of a step took.");

    describe_gauge!("quire_queue_depth", Unit::Count, "Runs that wait.");
    describe_gauge!(
        "quire_queue_oldest_seconds",
        Unit::Seconds,
        "How long the longest waiting run has waited."
    );
    describe_gauge!("quire_runs_running", Unit::Count, "Runs this process works on now.");
    describe_gauge!("quire_slots", Unit::Count, "Runs this process can work on at once.");
}

pub(super) fn start_at_zero() {
    for pipeline in Pipeline::ALL {
        let name = pipeline.as_str();
        for counted in [
            "quire_runs_started_total",
            "quire_runs_requeued_total",
            "quire_runs_recovered_total",
            "quire_late_writes_refused_total",
        ] {
            counter!(counted, "pipeline" => name).absolute(0);
        }
        for outcome in OUTCOMES {
            counter!("quire_runs_finished_total", "pipeline" => name, "outcome" => outcome).absolute(0);
        }
        for step in pipeline.steps() {
            let step = step.as_str();
            counter!("quire_step_retries_total", "pipeline" => name, "step" => step).absolute(0);
            // Codes are known when they occur; to Prometheus an empty label is none.
            counter!("quire_step_failures_total", "pipeline" => name, "step" => step, "code" => "")
                .absolute(0);
        }
    }
    for doing in DOINGS {
        counter!("quire_store_errors_total", "doing" => doing).absolute(0);
    }
    for counted in [
        "quire_leases_lost_total",
        "quire_scheduler_contention_total",
        "quire_lock_skips_total",
        "quire_looks_lost_total",
        "quire_log_lines_dropped_total",
    ] {
        counter!(counted).absolute(0);
    }
}
