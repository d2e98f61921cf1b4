//! Writes the progress of a run. While the store is locked, slow, full or unreachable, the write is retried for as long
//! as this engine owns the run.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::run::apply;
use quire_domain::run::{RunningStep, last_event, late_write_refused};
use quire_domain::{Event, Failure, Run, RunChange, Transition};
use quire_ports::{
    Artifact, FirstVersion, IndexedText, NewSummary, PortError, ProposalResult, RunWrite, RunWriteOutcome,
};

use super::{EngineCore, WorkerLease};
use crate::event_log;
use crate::steps::StepErrorCode;

/// Pauses between two tries while the store is not available.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What an attempt at a step produced and the store keeps.
#[derive(Default)]
pub(super) struct StepResults {
    pub(super) artifacts: Vec<Artifact>,
    pub(super) interpretation: Option<FirstVersion>,
    pub(super) proposal: Vec<ProposalResult>,
    pub(super) summary: Option<NewSummary>,
    pub(super) text: Option<Arc<IndexedText>>,
}

/// The outcome of a write.
pub(super) enum WriteOutcome {
    Stored,
    /// This engine no longer owns the run, or the run does not allow the change. The store refused the write, or its
    /// answers were lost and the lease with them.
    RunLost,
    /// The store will never accept this write.
    Unstorable(Failure),
}

impl EngineCore {
    /// Ends a run or sends it back to the queue, as `change` says.
    pub(super) async fn end_run(
        &self,
        lease: &WorkerLease,
        run: &Run,
        events: Vec<Event>,
        results: StepResults,
        change: RunChange,
    ) -> WriteOutcome {
        match apply(run, change, self.store.clock.now()) {
            Ok(end) => self.persist(lease, run, events, results, Some(end)).await,
            Err(refusal) => {
                tracing::error!(run_id = %run.id, %refusal, "run could not be ended");
                WriteOutcome::RunLost
            }
        }
    }

    /// Ends a run or sends it back to the queue while steps of it may be running. These are recorded as failed.
    pub(super) async fn stop_run(
        &self,
        lease: &WorkerLease,
        run: &Run,
        running: &[RunningStep],
        change: RunChange,
    ) -> WriteOutcome {
        let now = self.store.clock.now();
        match apply(run, change, now) {
            Ok(mut end) => {
                end.interrupt(running, lease.worker, now);
                for step in running {
                    event_log::step_interrupted(*step, now);
                }
                self.persist(lease, run, Vec::new(), StepResults::default(), Some(end)).await
            }
            Err(refusal) => {
                tracing::error!(run_id = %run.id, %refusal, "run could not be stopped");
                WriteOutcome::RunLost
            }
        }
    }

    /// Writes, and retries while the store is not available, until the lease is lost.
    pub(super) async fn persist(
        &self,
        lease: &WorkerLease,
        run: &Run,
        events: Vec<Event>,
        results: StepResults,
        end: Option<Transition>,
    ) -> WriteOutcome {
        let at = self.store.clock.now();
        let StepResults { artifacts, interpretation, proposal, summary, text } = results;
        let mut write = RunWrite {
            run: run.clone(),
            at,
            events,
            artifacts,
            interpretation,
            proposal,
            summary,
            text,
            end,
            repeated: false,
        };
        let mut pause = FIRST_PAUSE;
        loop {
            match self.store.queue.write(write.clone()).await {
                Ok(RunWriteOutcome::Accepted(conditional)) => {
                    self.report_written(&write, &conditional);
                    return WriteOutcome::Stored;
                }
                Ok(RunWriteOutcome::Refused) => {
                    let last = last_event(&write.events, write.end.as_ref());
                    let refused = late_write_refused(&write.run, last, write.at);
                    event_log::log(&refused, run.correlation_id.as_deref());
                    event_log::count_refused_write(run.pipeline);
                    self.minute_counters.count(&refused);
                    return WriteOutcome::RunLost;
                }
                Err(error) if error.is_retryable() => {
                    tracing::warn!(run_id = %run.id, %error, "run progress: write failed, will retry");
                    metrics::counter!("quire_store_errors_total", "doing" => "advance").increment(1);
                }
                Err(error) => return WriteOutcome::Unstorable(unstorable(&error)),
            }
            write.repeated = true;
            tokio::select! {
                () = lease.lost.cancelled() => return WriteOutcome::RunLost,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }

    /// Reports the events of a write, and those that the store added.
    fn report_written(&self, write: &RunWrite, added: &[Event]) {
        let correlation_id = write.run.correlation_id.as_deref();
        for event in &write.events {
            self.minute_counters.count(event);
            event_log::log_and_count(event, correlation_id);
        }
        if let Some(end) = &write.end {
            self.report_transition(end);
        }
        for event in added {
            event_log::log_and_count(event, correlation_id);
        }
    }
}

fn unstorable(error: &PortError) -> Failure {
    tracing::error!(%error, "run progress: the store rejected the write for good");
    let message = "the result of the step cannot be stored; please report this";
    Failure::permanent(StepErrorCode::ResultNotStorable.as_str(), message)
}
