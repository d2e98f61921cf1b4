//! Executes one claimed run: each step in order, with retries, until the run ends or its deadline passes.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use quire_domain::run::RunningStep;
use quire_domain::{
    ArtifactId, Event, EventType, Failure, InterpretationId, RequeuePolicy, Run, RunChange, RunId, RunState,
    StepAttempt, StepName,
};
use quire_ports::{Artifact, Breakpoint, ClaimedRun, Deadline, FirstVersion, StepContext, StepOutput};
use tokio::sync::watch;

use super::persist::{StepResults, WriteOutcome};
use super::slots::Slot;
use super::{EngineCore, PipelineSetup, WorkerLease, report};
use crate::steps::StepErrorCode;

pub(super) async fn execute(
    engine: &Arc<EngineCore>,
    lease: Arc<WorkerLease>,
    claimed: ClaimedRun,
    slot: Arc<Slot>,
) {
    let Some(setup) = engine.pipelines.get(&claimed.run.pipeline) else {
        // A claim names the pipelines of this engine, so the store returned a run that was not asked for.
        tracing::error!(run_id = %claimed.run.id, "claimed a run of a pipeline that this worker does not have");
        return;
    };
    if engine.draining.is_cancelled() {
        engine.hand_back(&lease, &claimed).await;
        return;
    }
    let started_at = claimed.run.state.started_at().unwrap_or(claimed.run.queued_at);
    let time_left = time_left(&claimed.run, engine.store.clock.now());
    let mut execution = Execution {
        began: engine.awake.elapsed(),
        deadline: Deadline::after(engine.awake.clone(), time_left),
        engine,
        lease,
        setup,
        run: claimed.run,
        slot,
        cancel: watch::Sender::new(false),
    };
    match claimed.attempt {
        Some(StepAttempt { step, number }) => execution.run_steps(Attempt { step, number, started_at }).await,
        // All steps have succeeded; only the end of the run is missing.
        None => execution.complete().await,
    }
}

fn time_left(run: &Run, now: Timestamp) -> Duration {
    match run.state {
        RunState::Running { deadline_at: Some(deadline), .. } => {
            deadline.duration_since(now).try_into().unwrap_or_default()
        }
        _ => Duration::MAX,
    }
}

pub(super) struct Execution<'e> {
    pub(super) engine: &'e Arc<EngineCore>,
    pub(super) lease: Arc<WorkerLease>,
    pub(super) setup: &'e PipelineSetup,
    pub(super) run: Run,
    slot: Arc<Slot>,
    /// Tells the step to stop: its result is no longer needed.
    cancel: watch::Sender<bool>,
    /// When the work began, in the time that the engine is awake.
    pub(super) began: Duration,
    /// When the attempt must end.
    deadline: Deadline,
}

/// An attempt at a step whose start is recorded.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    pub(super) step: StepName,
    pub(super) number: u32,
    pub(super) started_at: Timestamp,
}

impl Attempt {
    pub(super) fn identity(self) -> StepAttempt {
        StepAttempt { step: self.step, number: self.number }
    }

    fn running(self) -> RunningStep {
        RunningStep { step: self.step, attempt: self.number, started_at: Some(self.started_at) }
    }
}

/// Why work on a run stops before its end.
pub(super) enum Stop {
    /// The run's deadline has passed.
    TimedOut,
    /// The process stops and no longer waits for runs.
    Halted,
    /// Another engine has ended the worker lease and recovered the run.
    LeaseLost,
}

impl Execution<'_> {
    async fn run_steps(&mut self, first: Attempt) {
        let mut attempt = first;
        loop {
            let next = match self.run_step(attempt).await {
                Ok(Ok(output)) => self.succeeded(attempt, output).await,
                Ok(Err(failure)) => match self.failed(attempt, failure).await {
                    Ok(next) => next,
                    // In a pause between two attempts no step is running.
                    Err(stop) => return self.stop(attempt.step, None, &stop).await,
                },
                Err(stop) => return self.stop(attempt.step, Some(attempt.running()), &stop).await,
            };
            match next {
                Some(next) => attempt = next,
                None => return,
            }
        }
    }

    async fn stop(&mut self, during: StepName, running: Option<RunningStep>, stop: &Stop) {
        // Cancel the step before the write below, which may take long.
        let _ = self.cancel.send(true);
        let change = match stop {
            Stop::LeaseLost => return,
            Stop::TimedOut => RunChange::TimeOut {
                continued_by: self.setup.policy.continues_after_timeout(&self.run, during).then(RunId::new),
            },
            Stop::Halted => RunChange::HandBack,
        };
        self.engine.stop_run(&self.lease, &self.run, running, change).await;
        // The run has ended, so an error here changes nothing.
        let _ = self.engine.probe.reached(Breakpoint::AfterEnd, Some(self.run.id)).await;
    }

    /// Runs the step on the step threads.
    async fn run_step(&mut self, attempt: Attempt) -> Result<Result<StepOutput, Failure>, Stop> {
        let Some(step) = self.setup.steps.get(&attempt.step).cloned() else {
            let message = format!(
                "this worker has no step {}; give all workers the same version and settings",
                attempt.step
            );
            return Ok(Err(Failure::permanent(StepErrorCode::StepNotSetUp.as_str(), message)));
        };
        let probe = self.engine.probe.clone();
        let run = self.run.id;
        let context = StepContext {
            run: self.run.clone(),
            step: attempt.step,
            attempt: attempt.number,
            deadline: self.deadline.clone(),
            cancelled: self.cancel.subscribe(),
        };
        let slot = self.slot.clone();
        let mut task = self.engine.step_threads.spawn(async move {
            // Keeps the slot for as long as the step really runs, even if the run has ended.
            let _slot = slot;
            let unavailable = |error: quire_ports::PortError| {
                Failure::transient(StepErrorCode::StoreUnavailable.as_str(), error.to_string())
            };
            probe.reached(Breakpoint::BeforeStep, Some(run)).await.map_err(unavailable)?;
            let output = step.run(context).await?;
            probe.reached(Breakpoint::AfterStep, Some(run)).await.map_err(unavailable)?;
            Ok(output)
        });
        let waited = self.wait_for(&mut task).await;
        task.abort();
        Ok(waited?.unwrap_or_else(|_| {
            let message = format!("step {} stopped unexpectedly; please report this", attempt.step);
            Err(Failure::transient(StepErrorCode::StepPanicked.as_str(), message))
        }))
    }

    pub(super) async fn wait_for<T>(&self, done: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.lease.lost.cancelled() => Err(Stop::LeaseLost),
            done = done => Ok(done),
            () = self.deadline.passed() => Err(Stop::TimedOut),
            () = self.engine.aborting.cancelled() => Err(Stop::Halted),
        }
    }

    /// Records the success of a step and, in the same write, the start of the next step or the end of the run.
    async fn succeeded(&mut self, attempt: Attempt, output: StepOutput) -> Option<Attempt> {
        let now = self.engine.store.clock.now();
        let mut events = vec![self.step_ended(EventType::StepSucceeded, attempt, now, None)];
        let artifacts = output.artifacts.into_iter();
        let results = StepResults {
            artifacts: artifacts.map(|(kind, payload)| artifact(kind, payload, now)).collect(),
            interpretation: output.interpretation.map(|data| FirstVersion {
                id: InterpretationId::new(),
                data,
                made_by: output.made_by,
            }),
            proposal: output.proposal.into_iter().collect(),
            summary: output.summary,
        };
        let Some(step) = self.setup.plan.after(attempt.step) else {
            self.end(attempt, events, results, RunChange::Complete).await;
            return None;
        };
        let next = Attempt { step, number: 1, started_at: now };
        events.push(self.step_started(next));
        self.advance(attempt, events, results).await.then_some(next)
    }

    pub(super) fn step_started(&self, attempt: Attempt) -> Event {
        Event {
            worker: Some(self.lease.worker),
            step: Some(attempt.step),
            attempt: Some(attempt.number),
            ..Event::of_run(EventType::StepStarted, &self.run, attempt.started_at)
        }
    }

    pub(super) fn step_ended(
        &self,
        event_type: EventType,
        attempt: Attempt,
        at: Timestamp,
        failure: Option<quire_domain::FailureRecord>,
    ) -> Event {
        report::step_duration(attempt.step, at.duration_since(attempt.started_at));
        Event {
            worker: Some(self.lease.worker),
            step: Some(attempt.step),
            attempt: Some(attempt.number),
            started_at: Some(attempt.started_at),
            failure,
            ..Event::of_run(event_type, &self.run, at)
        }
    }

    /// Writes progress in the middle of a run. Returns whether the run goes on.
    pub(super) async fn advance(
        &mut self,
        attempt: Attempt,
        events: Vec<Event>,
        results: StepResults,
    ) -> bool {
        let outcome = self.engine.persist(&self.lease, &self.run, events, results, None).await;
        if let WriteOutcome::Unstorable(failure) = outcome {
            self.fail_unstorable(attempt, failure).await;
            return false;
        }
        let goes_on = self.engine.probe.reached(Breakpoint::AfterAdvance, Some(self.run.id)).await.is_ok();
        goes_on && matches!(outcome, WriteOutcome::Stored)
    }

    pub(super) async fn end(
        &mut self,
        attempt: Attempt,
        events: Vec<Event>,
        results: StepResults,
        change: RunChange,
    ) {
        let outcome = self.engine.end_run(&self.lease, &self.run, events, results, change).await;
        if let WriteOutcome::Unstorable(failure) = outcome {
            self.fail_unstorable(attempt, failure).await;
        }
        // The run has ended, so an error here changes nothing.
        let _ = self.engine.probe.reached(Breakpoint::AfterEnd, Some(self.run.id)).await;
    }

    /// Fails the run because the store will never accept the result of the step.
    pub(super) async fn fail_unstorable(&mut self, attempt: Attempt, failure: Failure) {
        let now = self.engine.store.clock.now();
        let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
        let failed = self.step_ended(EventType::StepFailed, attempt, now, Some(record));
        let change = RunChange::Fail { step: attempt.step, failure, requeue: RequeuePolicy::Never };
        if let WriteOutcome::Unstorable(failure) =
            self.engine.end_run(&self.lease, &self.run, vec![failed], StepResults::default(), change).await
        {
            tracing::error!(run_id = %self.run.id, error = failure.message, "run could not be failed");
        }
    }

    async fn complete(&mut self) {
        let (events, results) = (Vec::new(), StepResults::default());
        self.engine.end_run(&self.lease, &self.run, events, results, RunChange::Complete).await;
    }
}

pub(super) fn artifact(artifact_type: String, payload: String, created_at: Timestamp) -> Artifact {
    Artifact { id: ArtifactId::new(), artifact_type, payload, created_at }
}
