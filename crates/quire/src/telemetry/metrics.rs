//! Every metric of Quire: its name, its description and its known labels. Counters start at zero, because an alert on a
//! counter that does not exist yet never fires.

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use quire_domain::Pipeline;
use quire_ports::{AnalysisErrorKind, ModelErrorKind, WebErrorKind};

use crate::error::CommandError;

/// Histogram buckets in seconds: from a step of 1 ms to a proposal of half an hour and a day in the queue.
const BUCKETS: [f64; 18] = [
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 1800.0,
    86_400.0,
];

/// Values of the label `outcome`.
const OUTCOMES: [&str; 4] = ["completed", "failed", "timed_out", "recovered_as_failed"];
/// Values of the label `doing`: what the engine was doing when the store failed.
const STORE_OPERATIONS: [&str; 4] = ["claim", "advance", "heartbeat", "watch"];

/// The metrics of this process.
#[derive(Clone)]
pub struct PrometheusMetrics {
    handle: PrometheusHandle,
}

impl PrometheusMetrics {
    /// All metrics in the Prometheus text format.
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Folds recorded samples into histogram buckets. Call it regularly: samples pile up between scrapes.
    pub fn run_upkeep(&self) {
        self.handle.run_upkeep();
    }
}

/// Installs the metrics recorder. If the process already has one, that one keeps the metrics and this one stays empty.
pub fn install() -> Result<PrometheusMetrics, CommandError> {
    let recorder = builder()?.build_recorder();
    let metrics = PrometheusMetrics { handle: recorder.handle() };
    if metrics::set_global_recorder(recorder).is_ok() {
        describe();
        start_at_zero();
    }
    Ok(metrics)
}

pub(super) fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)
}

pub(super) fn describe() {
    let count = |name: &'static str, text: &'static str| describe_counter!(name, Unit::Count, text);
    count("quire_runs_started_total", "Runs started.");
    count("quire_runs_finished_total", "Runs that ended, by outcome.");
    count("quire_runs_requeued_total", "Runs put back into the queue after an attempt.");
    count("quire_run_waits_total", "Times that a run went back to the queue to wait.");
    count("quire_runs_recovered_total", "Runs recovered after their worker died.");
    count("quire_fronts_restored_total", "Subjects whose runs all waited, and which got a front again.");
    count("quire_late_writes_refused_total", "Writes refused because the writer no longer owned the run.");
    count("quire_step_retries_total", "Step attempts that were retried.");
    count("quire_step_failures_total", "Step attempts that failed, by error code.");
    count("quire_leases_lost_total", "Times this worker's lease expired before it was renewed.");
    count("quire_scheduler_contention_total", "Claims postponed because another process was writing.");
    count(
        "quire_lock_skips_total",
        "Times that a request was found locked by another worker, by the source of the lock.",
    );
    count(
        "quire_link_lock_fallbacks_total",
        "Requests locked in this process only because Redis did not work.",
    );
    count("quire_redis_errors_total", "Errors of Redis, by operation.");
    count("quire_store_errors_total", "Store errors in the engine, by operation.");
    count("quire_model_calls_total", "Requests to a language model, by outcome.");
    count("quire_model_tokens_total", "Tokens sent to and received from a language model.");
    count(
        "quire_document_intelligence_submissions_total",
        "Files submitted to Document Intelligence, and why twice.",
    );
    count(
        "quire_document_intelligence_operations_total",
        "Ended operations of Document Intelligence, by outcome.",
    );
    count(
        "quire_document_intelligence_fallbacks_total",
        "Documents read locally after Document Intelligence failed.",
    );
    count("quire_web_fetches_total", "Attempts to fetch a web page, by outcome.");
    count("quire_looks_lost_total", "Accesses to documents that could not be recorded in the access audit.");
    count("quire_requests_refused_total", "Requests refused before their handler, by status and reason.");
    count("quire_connections_refused_total", "Connections refused because there were too many, by limit.");
    count("quire_connections_closed_for_others_total", "Silent connections that were closed for new ones.");
    count("quire_swept_subjects_total", "Folders that were removed because no document owned their files.");
    count("quire_log_lines_dropped_total", "Log lines dropped because the output was slow or failing.");

    let seconds = |name: &'static str, text: &'static str| describe_histogram!(name, Unit::Seconds, text);
    seconds("quire_run_wait_seconds", "Time from entering the queue to the start of the run.");
    seconds("quire_run_duration_seconds", "Time from a run's last claim to its end.");
    seconds("quire_step_duration_seconds", "Duration of one step attempt.");

    describe_gauge!("quire_queue_depth", Unit::Count, "Runs in the queue.");
    describe_gauge!(
        "quire_queue_oldest_seconds",
        Unit::Seconds,
        "Time that the oldest run has been in the queue."
    );
    describe_gauge!("quire_redis_unavailable", Unit::Count, "1 while Redis does not work, else 0.");
    describe_gauge!(
        "quire_pipeline_ready",
        Unit::Count,
        "1 while the storage and the schema of the pipeline can be used, else 0."
    );
    describe_gauge!("quire_lane_waiting", Unit::Count, "Runs that wait in the lane.");
    describe_gauge!("quire_lane_calls", Unit::Count, "Calls that this process makes in the lane now.");
    describe_gauge!(
        "quire_indexing_left",
        Unit::Count,
        "Documents that this process has still to index or embed again."
    );
    describe_gauge!("quire_lane_closed", Unit::Count, "1 while the lane is closed or paused, else 0.");
    describe_gauge!("quire_runs_running", Unit::Count, "Runs that this process works on now.");
    describe_gauge!("quire_slots", Unit::Count, "Runs that this process can work on at the same time.");
}

pub(super) fn start_at_zero() {
    for pipeline in Pipeline::ALL {
        let name = pipeline.as_str();
        for counter_name in [
            "quire_runs_started_total",
            "quire_runs_requeued_total",
            "quire_run_waits_total",
            "quire_runs_recovered_total",
            "quire_fronts_restored_total",
            "quire_late_writes_refused_total",
        ] {
            counter!(counter_name, "pipeline" => name).absolute(0);
        }
        for outcome in OUTCOMES {
            counter!("quire_runs_finished_total", "pipeline" => name, "outcome" => outcome).absolute(0);
        }
        for step in pipeline.steps() {
            let step = step.as_str();
            counter!("quire_step_retries_total", "pipeline" => name, "step" => step).absolute(0);
            // Error codes are not known in advance; to Prometheus an empty label is no label.
            counter!("quire_step_failures_total", "pipeline" => name, "step" => step, "code" => "")
                .absolute(0);
        }
    }
    for (status, reason) in quire_api::REFUSAL_REASONS {
        counter!("quire_requests_refused_total", "status" => status, "reason" => reason).absolute(0);
    }
    for reason in ["address", "total"] {
        counter!("quire_connections_refused_total", "reason" => reason).absolute(0);
    }
    for operation in STORE_OPERATIONS {
        counter!("quire_store_errors_total", "doing" => operation).absolute(0);
    }
    // A spent budget is no call.
    let failed = ModelErrorKind::ALL.iter().filter(|kind| **kind != ModelErrorKind::BudgetSpent);
    for outcome in ["OK"].into_iter().chain(failed.map(|kind| kind.as_str())) {
        counter!("quire_model_calls_total", "outcome" => outcome).absolute(0);
    }
    for reason in ["accepted", "unknown_outcome", "vanished"] {
        counter!("quire_document_intelligence_submissions_total", "reason" => reason).absolute(0);
    }
    counter!("quire_document_intelligence_fallbacks_total").absolute(0);
    for outcome in ["OK", AnalysisErrorKind::Failed.as_str(), AnalysisErrorKind::AnswerInvalid.as_str()] {
        counter!("quire_document_intelligence_operations_total", "outcome" => outcome).absolute(0);
    }
    // What is read of a page, and what Firecrawl does, is no fetch.
    let failed = WebErrorKind::ALL
        .iter()
        .filter(|kind| !matches!(kind, WebErrorKind::LowValue | WebErrorKind::ServiceRefused));
    for outcome in ["OK"].into_iter().chain(failed.map(|kind| kind.as_str())) {
        counter!("quire_web_fetches_total", "outcome" => outcome).absolute(0);
    }
    for source in ["redis", "local"] {
        counter!("quire_lock_skips_total", "source" => source).absolute(0);
    }
    for operation in ["acquire", "renew", "release", "look"] {
        counter!("quire_redis_errors_total", "doing" => operation).absolute(0);
    }
    for direction in ["in", "out"] {
        counter!("quire_model_tokens_total", "direction" => direction).absolute(0);
    }
    for counter_name in [
        "quire_leases_lost_total",
        "quire_scheduler_contention_total",
        "quire_link_lock_fallbacks_total",
        "quire_looks_lost_total",
        "quire_swept_subjects_total",
        "quire_log_lines_dropped_total",
        "quire_connections_closed_for_others_total",
    ] {
        counter!(counter_name).absolute(0);
    }
}
