//! Executes one claimed run: one group of steps after the other, until the run ends or its deadline passes.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use quire_domain::run::{RunningStep, step_started};
use quire_domain::{
    ArtifactId, Event, EventType, Failure, RequeuePolicy, Run, RunChange, RunId, RunState, StepAttempt,
    StepName,
};
use quire_ports::{Artifact, Breakpoint, ClaimedRun, Deadline, StepContext};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::group::GroupWork;
use super::ownership::OwnedRun;
use super::persist::{StepResults, WriteOutcome};
use super::slots::Slot;
use super::{EngineCore, PipelineSetup, WorkerLease};
use crate::event_telemetry;
use crate::steps::StepErrorCode;

pub(super) async fn execute(owned: &OwnedRun, lease: Arc<WorkerLease>, claimed: ClaimedRun, slot: Arc<Slot>) {
    let engine = &owned.engine;
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
        lost: &owned.lost,
        setup,
        run: claimed.run,
        slot,
        cancel: watch::Sender::new(false),
    };
    if claimed.started_steps.is_empty() {
        // All steps have succeeded; only the end of the run is missing.
        execution.complete().await;
    } else {
        let attempts =
            claimed.started_steps.into_iter().map(|attempt| StartedAttempt::new(attempt, started_at));
        execution.run_groups(attempts.collect()).await;
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
    /// Cancelled when this engine no longer owns the run.
    lost: &'e CancellationToken,
    pub(super) setup: &'e PipelineSetup,
    pub(super) run: Run,
    slot: Arc<Slot>,
    /// Tells the steps to stop: their results are no longer needed.
    pub(super) cancel: watch::Sender<bool>,
    /// When the work began, in the time that the engine is awake.
    pub(super) began: Duration,
    /// When the attempt must end.
    deadline: Deadline,
}

/// An attempt at a step whose start is recorded.
#[derive(Clone, Copy)]
pub(super) struct StartedAttempt {
    pub(super) step: StepName,
    pub(super) number: u32,
    pub(super) started_at: Timestamp,
}

impl StartedAttempt {
    pub(super) fn new(StepAttempt { step, number }: StepAttempt, started_at: Timestamp) -> Self {
        Self { step, number, started_at }
    }

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
    /// The run is no longer this engine's: a person has cancelled it, or another engine has ended or recovered it.
    RunLost,
}

impl Execution<'_> {
    /// Executes the groups of steps, one after the other.
    async fn run_groups(&mut self, first: Vec<StartedAttempt>) {
        let mut next = Some(first);
        while let Some(attempts) = next {
            next = self.run_group(attempts).await;
        }
    }

    /// Ends the work on the run before its end.
    pub(super) async fn stop(&mut self, work: &mut GroupWork, stop: &Stop) {
        // Cancel the steps before the write below, which may take long.
        let _ = self.cancel.send(true);
        work.abort();
        let change = match stop {
            Stop::RunLost => {
                tracing::info!(run_id = %self.run.id, "run was cancelled or recovered elsewhere, its work is stopped");
                return;
            }
            Stop::TimedOut => {
                let policy = &self.setup.policy;
                let continues = |step| policy.continues_after_timeout(&self.run, step);
                RunChange::TimeOut {
                    continued_by: work.group.first_unfinished().is_some_and(continues).then(RunId::new),
                }
            }
            Stop::Halted => RunChange::HandBack,
        };
        let mut running: Vec<RunningStep> = work.running().map(StartedAttempt::running).collect();
        running.sort_by_key(|running| running.step);
        self.engine.stop_run(&self.lease, &self.run, &running, change).await;
        // The run has ended, so an error here changes nothing.
        let _ = self.engine.breakpoints.reached(Breakpoint::AfterEnd, Some(self.run.id)).await;
    }

    /// Starts the work of a step on the step threads.
    pub(super) fn begin(&self, work: &mut GroupWork, attempt: StartedAttempt) {
        let step = self.setup.steps.get(&attempt.step).cloned();
        let breakpoints = self.engine.breakpoints.clone();
        let run = self.run.id;
        let context = StepContext {
            run: self.run.clone(),
            step: attempt.step,
            attempt: attempt.number,
            deadline: self.deadline.clone(),
            cancelled: self.cancel.subscribe(),
        };
        let slot = self.slot.clone();
        let task = async move {
            // Keeps the slot for as long as the step really runs, even if the run has ended.
            let _slot = slot;
            let Some(step) = step else { return Err(not_set_up(attempt.step)) };
            let unavailable = |error: quire_ports::PortError| {
                Failure::transient(StepErrorCode::StoreUnavailable.as_str(), error.to_string())
            };
            breakpoints.reached(Breakpoint::BeforeStep, Some(run)).await.map_err(unavailable)?;
            let output = step.run(context).await?;
            breakpoints.reached(Breakpoint::AfterStep, Some(run)).await.map_err(unavailable)?;
            Ok(output)
        };
        work.spawn(attempt, task, &self.engine.step_threads);
    }

    pub(super) async fn unless_stopped<T>(&self, done: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.lost.cancelled() => Err(Stop::RunLost),
            done = done => Ok(done),
            () = self.deadline.passed() => Err(Stop::TimedOut),
            () = self.engine.aborting.cancelled() => Err(Stop::Halted),
        }
    }

    pub(super) fn step_started(&self, attempt: StartedAttempt) -> Event {
        step_started(&self.run, attempt.identity(), self.lease.worker, attempt.started_at)
    }

    pub(super) fn step_ended(
        &self,
        event_type: EventType,
        attempt: StartedAttempt,
        at: Timestamp,
        failure: Option<quire_domain::FailureRecord>,
    ) -> Event {
        event_telemetry::step_duration(attempt.step, at.duration_since(attempt.started_at));
        Event {
            worker: Some(self.lease.worker),
            step: Some(attempt.step),
            attempt: Some(attempt.number),
            started_at: Some(attempt.started_at),
            failure,
            ..Event::of_run(event_type, &self.run, at)
        }
    }

    /// Writes progress in the middle of a run. Returns whether the run goes on. If the store will never accept the write, the
    /// run fails with the attempt that it is about and with those that are running.
    pub(super) async fn persist_progress(
        &mut self,
        work: &GroupWork,
        attempt: StartedAttempt,
        events: Vec<Event>,
        results: StepResults,
    ) -> bool {
        let outcome = self.engine.persist(&self.lease, &self.run, events, results, None).await;
        if let WriteOutcome::Unstorable(failure) = outcome {
            let interrupted = work.running().filter(|running| running.step != attempt.step);
            self.fail_unstorable(attempt, interrupted, failure).await;
            return false;
        }
        let goes_on =
            self.engine.breakpoints.reached(Breakpoint::AfterWrite, Some(self.run.id)).await.is_ok();
        goes_on && matches!(outcome, WriteOutcome::Stored)
    }

    /// Ends the run, or sends it back to the queue.
    pub(super) async fn let_go(
        &mut self,
        attempt: StartedAttempt,
        events: Vec<Event>,
        results: StepResults,
        change: RunChange,
    ) {
        let outcome = self.engine.write_transition(&self.lease, &self.run, events, results, change).await;
        if let WriteOutcome::Unstorable(failure) = outcome {
            self.fail_unstorable(attempt, std::iter::empty(), failure).await;
        }
        // The run has ended, so an error here changes nothing.
        let _ = self.engine.breakpoints.reached(Breakpoint::AfterEnd, Some(self.run.id)).await;
    }

    /// Fails the run because the store will never accept the result of the step.
    pub(super) async fn fail_unstorable(
        &mut self,
        attempt: StartedAttempt,
        interrupted: impl Iterator<Item = StartedAttempt>,
        failure: Failure,
    ) {
        let now = self.engine.store.clock.now();
        let failed = |attempt: StartedAttempt| {
            let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
            self.step_ended(EventType::StepFailed, attempt, now, Some(record))
        };
        let events = std::iter::once(attempt).chain(interrupted).map(failed).collect();
        let change =
            RunChange::Fail { step: attempt.step, failure: failure.clone(), requeue: RequeuePolicy::Never };
        if let WriteOutcome::Unstorable(failure) =
            self.engine.write_transition(&self.lease, &self.run, events, StepResults::default(), change).await
        {
            tracing::error!(run_id = %self.run.id, error = failure.message, "run could not be failed");
        }
    }

    async fn complete(&mut self) {
        let (events, results) = (Vec::new(), StepResults::default());
        self.engine.write_transition(&self.lease, &self.run, events, results, RunChange::Complete).await;
    }
}

fn not_set_up(step: StepName) -> Failure {
    let message = format!("this worker has no step {step}; give all workers the same version and settings");
    Failure::permanent(StepErrorCode::StepNotSetUp.as_str(), message)
}

pub(super) fn artifact(artifact_type: String, payload: String, created_at: Timestamp) -> Artifact {
    Artifact { id: ArtifactId::new(), artifact_type, payload, created_at }
}
