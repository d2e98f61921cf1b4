//! One run, from its claim to its end: each step in order, each with its attempts, under the run's deadline.

use std::pin::Pin;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    ArtifactId, Change, Event, EventType, Failure, InterpretationId, RequeuePolicy, Run, RunState, StepName,
};
use quire_ports::{Artifact, Breakpoint, ClaimedRun, FirstVersion, StepContext, StepOutput};
use tokio::sync::watch;

use super::persist::{Persisted, Produced};
use super::slots::Slot;
use super::{Inner, PipelineSetup, WorkerLease, report};
use crate::steps::StepErrorCode;

pub(super) async fn execute(
    engine: &Arc<Inner>,
    life: Arc<WorkerLease>,
    claimed: ClaimedRun,
    slot: Arc<Slot>,
) {
    let Some(setup) = engine.pipelines.get(&claimed.run.pipeline) else {
        // Claims name the pipelines of this engine, so this is a store that answers something else.
        tracing::error!(run_id = %claimed.run.id, "claimed a run of a pipeline that is not set up here");
        return;
    };
    if engine.stopping.is_cancelled() {
        engine.give_back(&life, &claimed).await;
        return;
    }
    let started_at = claimed.run.state.started_at().unwrap_or(claimed.run.queued_at);
    let deadline = deadline_of(&claimed.run, engine.store.clock.now());
    let mut execution = Execution {
        deadline: Box::pin(async move { engine.store.clock.sleep(deadline).await }),
        engine,
        life,
        setup,
        run: claimed.run,
        slot,
        cancel: watch::Sender::new(false),
    };
    match claimed.step {
        Some(step) => execution.steps(Attempt { step, number: 1, started_at }).await,
        // Everything had succeeded already and only the end was missing.
        None => execution.complete().await,
    }
}

fn deadline_of(run: &Run, now: Timestamp) -> std::time::Duration {
    match run.state {
        RunState::Running { deadline_at: Some(deadline), .. } => {
            deadline.duration_since(now).try_into().unwrap_or_default()
        }
        _ => std::time::Duration::MAX,
    }
}

struct Execution<'e> {
    engine: &'e Arc<Inner>,
    life: Arc<WorkerLease>,
    setup: &'e PipelineSetup,
    run: Run,
    slot: Arc<Slot>,
    /// Tells the step that nobody waits for it any more.
    cancel: watch::Sender<bool>,
    deadline: Pin<Box<dyn Future<Output = ()> + Send + 'e>>,
}

/// One attempt of one step that is recorded as started.
#[derive(Clone, Copy)]
struct Attempt {
    step: StepName,
    number: u32,
    started_at: Timestamp,
}

/// Why work on a run stops before its end.
enum Stop {
    /// The run's time is up.
    TimedOut,
    /// The process stops and waits no longer.
    Halted,
    /// The lease was lost: the run is no longer ours.
    Lost,
}

impl Execution<'_> {
    async fn steps(&mut self, first: Attempt) {
        let mut attempt = first;
        loop {
            let next = match self.work(attempt).await {
                Ok(Ok(output)) => Ok(self.succeeded(attempt, output).await),
                Ok(Err(failure)) => self.failed(attempt, failure).await,
                Err(stop) => Err(stop),
            };
            match next {
                Ok(Some(next)) => attempt = next,
                Ok(None) => return,
                Err(stop) => return self.stop(attempt, &stop).await,
            }
        }
    }

    async fn stop(&mut self, attempt: Attempt, stop: &Stop) {
        // First of all the step lets go of what it holds; the store may take its time.
        let _ = self.cancel.send(true);
        let change = match stop {
            Stop::Lost => return,
            Stop::TimedOut => Change::TimeOut,
            Stop::Halted => Change::Orphan { recovery: self.setup.policy.recovery },
        };
        self.end(attempt, Vec::new(), Produced::default(), change).await;
    }

    /// The work itself, on the threads kept for it.
    async fn work(&mut self, attempt: Attempt) -> Result<Result<StepOutput, Failure>, Stop> {
        let Some(step) = self.setup.steps.get(&attempt.step).cloned() else {
            let message = format!("step {} is not set up on this worker", attempt.step);
            return Ok(Err(Failure::permanent(StepErrorCode::StepNotSetUp.as_str(), message)));
        };
        let probe = self.engine.probe.clone();
        let run = self.run.id;
        let context = StepContext {
            run: self.run.clone(),
            step: attempt.step,
            attempt: attempt.number,
            cancelled: self.cancel.subscribe(),
        };
        let slot = self.slot.clone();
        let mut working = self.engine.work.spawn(async move {
            // Held for as long as the step really runs, whatever becomes of the run.
            let _slot = slot;
            let unavailable = |error: quire_ports::PortError| {
                Failure::transient(StepErrorCode::StoreUnavailable.as_str(), error.to_string())
            };
            probe.reached(Breakpoint::BeforeStep, Some(run)).await.map_err(unavailable)?;
            let output = step.run(context).await?;
            probe.reached(Breakpoint::AfterStep, Some(run)).await.map_err(unavailable)?;
            Ok(output)
        });
        let waited = self.wait_for(&mut working).await;
        working.abort();
        Ok(waited?.unwrap_or_else(|_| {
            let message = format!("step {} stopped in a way it should not; please report this", attempt.step);
            Err(Failure::transient(StepErrorCode::StepPanicked.as_str(), message))
        }))
    }

    async fn wait_for<T>(&mut self, done: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.life.lost.cancelled() => Err(Stop::Lost),
            done = done => Ok(done),
            () = &mut self.deadline => Err(Stop::TimedOut),
            () = self.engine.halted.cancelled() => Err(Stop::Halted),
        }
    }

    /// Records a success and, in the same write, the start of the next step or the end of the run.
    async fn succeeded(&mut self, attempt: Attempt, output: StepOutput) -> Option<Attempt> {
        let now = self.engine.store.clock.now();
        let mut events = vec![self.ended(EventType::StepSucceeded, attempt, now, None)];
        let artifacts = output.artifacts.into_iter();
        let produced = Produced {
            artifacts: artifacts.map(|(kind, payload)| artifact(kind, payload, now)).collect(),
            interpretation: output.interpretation.map(|data| FirstVersion {
                id: InterpretationId::new(),
                data,
                made_by: output.made_by,
            }),
        };
        let Some(step) = self.setup.plan.after(attempt.step) else {
            self.end(attempt, events, produced, Change::Complete).await;
            return None;
        };
        let next = Attempt { step, number: 1, started_at: now };
        events.push(self.started(next));
        self.advance(attempt, events, produced).await.then_some(next)
    }

    /// Records a failure, with its diagnosis; then either the next attempt, after a pause, or the end of this one's
    /// run.
    async fn failed(&mut self, attempt: Attempt, mut failure: Failure) -> Result<Option<Attempt>, Stop> {
        let now = self.engine.store.clock.now();
        let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
        let failed = self.ended(EventType::StepFailed, attempt, now, Some(record));
        let diagnosis = failure.diagnosis.take();
        let diagnosis = diagnosis.map(|told| artifact(Failure::DIAGNOSIS.to_owned(), told.into(), now));
        let produced = Produced { artifacts: Vec::from_iter(diagnosis), interpretation: None };
        let delay = self.setup.policy.backoff.next(attempt.number, failure.kind, now, &mut rand::rng());
        let Some(delay) = delay.filter(|delay| self.fits(now, *delay)) else {
            let change = Change::Fail { step: attempt.step, failure, requeue: self.setup.policy.requeue };
            self.end(attempt, vec![failed], produced, change).await;
            return Ok(None);
        };
        let retried = Event {
            event_type: EventType::StepRetried,
            delay_ms: u64::try_from(delay.as_millis()).ok(),
            ..failed.clone()
        };
        if !self.advance(attempt, vec![failed, retried], produced).await {
            return Ok(None);
        }
        let clock = self.engine.store.clock.clone();
        self.wait_for(clock.sleep(delay.try_into().unwrap_or_default())).await?;
        let next = Attempt { number: attempt.number + 1, started_at: clock.now(), ..attempt };
        Ok(self.advance(next, vec![self.started(next)], Produced::default()).await.then_some(next))
    }

    /// Whether there is time left for another attempt after that delay.
    fn fits(&self, now: Timestamp, delay: SignedDuration) -> bool {
        match self.run.state {
            RunState::Running { deadline_at: Some(deadline), .. } => deadline.duration_since(now) > delay,
            _ => true,
        }
    }

    fn started(&self, attempt: Attempt) -> Event {
        Event {
            worker: Some(self.life.worker),
            step: Some(attempt.step),
            attempt: Some(attempt.number),
            ..Event::of_run(EventType::StepStarted, &self.run, attempt.started_at)
        }
    }

    fn ended(
        &self,
        event_type: EventType,
        attempt: Attempt,
        at: Timestamp,
        failure: Option<quire_domain::FailureRecord>,
    ) -> Event {
        report::step_took(attempt.step, at.duration_since(attempt.started_at));
        Event {
            worker: Some(self.life.worker),
            step: Some(attempt.step),
            attempt: Some(attempt.number),
            started_at: Some(attempt.started_at),
            failure,
            ..Event::of_run(event_type, &self.run, at)
        }
    }

    /// Writes about the run while it goes on. False when it is no longer ours to go on with.
    async fn advance(&mut self, attempt: Attempt, events: Vec<Event>, produced: Produced) -> bool {
        let written = self.engine.persist(&self.life, &self.run, events, produced, None).await;
        if let Persisted::Impossible(failure) = written {
            self.fail_unstorable(attempt, failure).await;
            return false;
        }
        let goes_on = self.engine.probe.reached(Breakpoint::AfterAdvance, Some(self.run.id)).await.is_ok();
        goes_on && matches!(written, Persisted::Stored)
    }

    async fn end(&mut self, attempt: Attempt, events: Vec<Event>, produced: Produced, change: Change) {
        let written = self.engine.settle(&self.life, &self.run, events, produced, change).await;
        if let Persisted::Impossible(failure) = written {
            self.fail_unstorable(attempt, failure).await;
        }
        // A fault planned here comes too late to matter.
        let _ = self.engine.probe.reached(Breakpoint::AfterSettle, Some(self.run.id)).await;
    }

    /// What the step produced cannot be stored, and will not be next time either: that is its failure.
    async fn fail_unstorable(&mut self, attempt: Attempt, failure: Failure) {
        let now = self.engine.store.clock.now();
        let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
        let failed = self.ended(EventType::StepFailed, attempt, now, Some(record));
        let change = Change::Fail { step: attempt.step, failure, requeue: RequeuePolicy::Never };
        if let Persisted::Impossible(failure) =
            self.engine.settle(&self.life, &self.run, vec![failed], Produced::default(), change).await
        {
            tracing::error!(run_id = %self.run.id, error = failure.message, "a run could not be failed");
        }
    }

    async fn complete(&mut self) {
        let (events, produced) = (Vec::new(), Produced::default());
        self.engine.settle(&self.life, &self.run, events, produced, Change::Complete).await;
    }
}

fn artifact(artifact_type: String, payload: String, created_at: Timestamp) -> Artifact {
    Artifact { id: ArtifactId::new(), artifact_type, payload, created_at }
}
