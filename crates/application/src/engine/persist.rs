//! Writes the progress of a run. While the store is locked, slow, full or unreachable, the write is retried for as long
//! as this engine owns the run (`run_write.rs`).

use std::sync::Arc;

use quire_domain::run::apply;
use quire_domain::run::{RunningStep, last_event, late_write_refused};
use quire_domain::{Event, Failure, Run, RunChange, Transition};
use quire_ports::{Artifact, FirstVersion, IndexedText, NewSummary, PortError, ProposalResult, RunWrite};

use super::{EngineCore, WorkerLease};
use crate::event_telemetry;
use crate::run_write::{RunWriteAnswer, write_until_stored};
use crate::steps::StepErrorCode;

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
    /// Lets go of a run: ends it, sends it to wait or back to the queue, as `change` says.
    pub(super) async fn write_transition(
        &self,
        lease: &WorkerLease,
        run: &Run,
        events: Vec<Event>,
        results: StepResults,
        change: RunChange,
    ) -> WriteOutcome {
        match apply(run, change, self.store.clock.now()) {
            Ok(transition) => self.persist(lease, run, events, results, Some(transition)).await,
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
            Ok(mut transition) => {
                transition.interrupt(running, lease.worker, now);
                for step in running {
                    event_telemetry::step_interrupted(*step, now);
                }
                self.persist(lease, run, Vec::new(), StepResults::default(), Some(transition)).await
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
        transition: Option<Transition>,
    ) -> WriteOutcome {
        let at = self.store.clock.now();
        let StepResults { artifacts, interpretation, proposal, summary, text } = results;
        let write = RunWrite {
            run: run.clone(),
            at,
            events,
            artifacts,
            interpretation,
            proposal,
            summary,
            text,
            transition,
            repeated: false,
        };
        match write_until_stored(&*self.store.queue, write.clone(), lease.lost.cancelled()).await {
            Ok(RunWriteAnswer::Stored(added)) => {
                self.report_written(&write, &added);
                WriteOutcome::Stored
            }
            Ok(RunWriteAnswer::Refused) => {
                let last = last_event(&write.events, write.transition.as_ref());
                let refused = late_write_refused(&write.run, last, write.at);
                event_telemetry::log(&refused, run.correlation_id.as_deref());
                event_telemetry::count_refused_write(run.pipeline);
                self.minute_counters.count(&refused);
                WriteOutcome::RunLost
            }
            Ok(RunWriteAnswer::GivenUp) => WriteOutcome::RunLost,
            Err(error) => WriteOutcome::Unstorable(unstorable(&error)),
        }
    }

    /// Reports the events of a write, and those that the store added.
    fn report_written(&self, write: &RunWrite, added: &[Event]) {
        let correlation_id = write.run.correlation_id.as_deref();
        for event in &write.events {
            self.minute_counters.count(event);
            event_telemetry::log_and_count(event, correlation_id);
        }
        if let Some(transition) = &write.transition {
            self.report_transition(transition);
        }
        for event in added {
            event_telemetry::log_and_count(event, correlation_id);
        }
    }
}

fn unstorable(error: &PortError) -> Failure {
    tracing::error!(%error, "run progress: the store rejected the write for good");
    let message = "the result of the step cannot be stored; please report this";
    Failure::permanent(StepErrorCode::ResultNotStorable.as_str(), message)
}
