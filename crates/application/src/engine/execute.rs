//! One run, from its claim to its end: each step in order, each with its attempts, under the run's deadline.

use std::pin::Pin;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{ArtifactId, Change, Event, EventType, Failure, Run, State, StepName};
use quire_ports::{Artifact, Breakpoint, Claimed, StepContext, StepOutput};
use tokio::sync::watch;

use super::persist::Persisted;
use super::{Inner, Life, PipelineSetup, report};

pub(super) async fn execute(engine: &Arc<Inner>, life: Arc<Life>, claimed: Claimed) {
    let Some(setup) = engine.pipelines.get(&claimed.run.pipeline) else {
        // Claims name the pipelines of this engine, so this is a store that answers something else.
        tracing::error!(run_id = %claimed.run.id, "claimed a run of a pipeline that is not set up here");
        return;
    };
    if engine.stopping.is_cancelled() {
        engine.give_back(life, claimed).await;
        return;
    }
    let (cancel, cancelled) = watch::channel(false);
    let deadline = deadline_of(&claimed.run, engine.store.clock.now());
    let mut execution = Execution {
        deadline: Box::pin(async move { engine.store.clock.sleep(deadline).await }),
        engine,
        life,
        setup,
        run: claimed.run,
        cancelled,
    };
    execution.steps(claimed.step).await;
    // Whatever a step still holds, it may let go.
    let _ = cancel.send(true);
}

fn deadline_of(run: &Run, now: Timestamp) -> std::time::Duration {
    match run.state {
        State::Running { deadline_at: Some(deadline), .. } => {
            deadline.duration_since(now).try_into().unwrap_or_default()
        }
        _ => std::time::Duration::MAX,
    }
}

struct Execution<'e> {
    engine: &'e Arc<Inner>,
    life: Arc<Life>,
    setup: &'e PipelineSetup,
    run: Run,
    cancelled: watch::Receiver<bool>,
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
    async fn steps(&mut self, first: Option<StepName>) {
        let change = match self.step_by_step(first).await {
            Ok(()) | Err(Stop::Lost) => return,
            Err(Stop::TimedOut) => Change::TimeOut,
            Err(Stop::Halted) => Change::Orphan { recovery: self.setup.policy.recovery },
        };
        self.end(Vec::new(), Vec::new(), change).await;
    }

    async fn step_by_step(&mut self, first: Option<StepName>) -> Result<(), Stop> {
        let Some(step) = first else {
            // Everything had succeeded already and only the end was missing.
            self.end(Vec::new(), Vec::new(), Change::Complete).await;
            return Ok(());
        };
        let mut attempt = Some(Attempt { step, number: 1, started_at: self.started_at() });
        while let Some(current) = attempt {
            attempt = match self.work(current).await? {
                Ok(output) => self.succeeded(current, output).await,
                Err(failure) => self.failed(current, failure).await?,
            };
        }
        Ok(())
    }

    fn started_at(&self) -> Timestamp {
        self.run.state.started_at().unwrap_or(self.run.queued_at)
    }

    /// The work itself, on the threads kept for it.
    async fn work(&mut self, attempt: Attempt) -> Result<Result<StepOutput, Failure>, Stop> {
        let Some(step) = self.setup.steps.get(&attempt.step).cloned() else {
            let message = format!("step {} is not set up on this worker", attempt.step);
            return Ok(Err(Failure::permanent("STEP_NOT_SET_UP", message)));
        };
        let probe = self.engine.probe.clone();
        let run = self.run.id;
        let context = StepContext {
            run: self.run.clone(),
            step: attempt.step,
            attempt: attempt.number,
            cancelled: self.cancelled.clone(),
        };
        let mut working = self.engine.work.spawn(async move {
            let unavailable =
                |error: quire_ports::PortError| Failure::transient("STORE_UNAVAILABLE", error.to_string());
            probe.reached(Breakpoint::BeforeStep, Some(run)).await.map_err(unavailable)?;
            let output = step.run(context).await?;
            probe.reached(Breakpoint::AfterStep, Some(run)).await.map_err(unavailable)?;
            Ok(output)
        });
        let waited = self.wait_for(&mut working).await;
        working.abort();
        Ok(waited?.unwrap_or_else(|_| {
            let message = format!("step {} stopped in a way it should not; please report this", attempt.step);
            Err(Failure::transient("STEP_PANICKED", message))
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
        let artifacts = output.artifacts.into_iter().map(|(artifact_type, payload)| Artifact {
            id: ArtifactId::new(),
            artifact_type,
            payload,
            created_at: now,
        });
        let artifacts = artifacts.collect();
        let Some(step) = self.setup.plan.after(attempt.step) else {
            self.end(events, artifacts, Change::Complete).await;
            return None;
        };
        let next = Attempt { step, number: 1, started_at: now };
        events.push(self.started(next));
        self.advance(events, artifacts).await.then_some(next)
    }

    /// Records a failure; then either the next attempt, after a pause, or the end of this one's run.
    async fn failed(&mut self, attempt: Attempt, failure: Failure) -> Result<Option<Attempt>, Stop> {
        let now = self.engine.store.clock.now();
        let record = failure.record(Some(attempt.step), self.run.correlation_id.as_deref());
        let failed = self.ended(EventType::StepFailed, attempt, now, Some(record.clone()));
        let delay = self.setup.policy.backoff.next(attempt.number, failure.kind, now, &mut rand::rng());
        let Some(delay) = delay.filter(|delay| self.fits(now, *delay)) else {
            let change = Change::Fail { step: attempt.step, failure, requeue: self.setup.policy.requeue };
            self.end(vec![failed], Vec::new(), change).await;
            return Ok(None);
        };
        let retried = Event {
            event_type: EventType::StepRetried,
            delay_ms: u64::try_from(delay.as_millis()).ok(),
            ..failed.clone()
        };
        if !self.advance(vec![failed, retried], Vec::new()).await {
            return Ok(None);
        }
        let clock = self.engine.store.clock.clone();
        self.wait_for(clock.sleep(delay.try_into().unwrap_or_default())).await?;
        let next = Attempt { number: attempt.number + 1, started_at: clock.now(), ..attempt };
        Ok(self.advance(vec![self.started(next)], Vec::new()).await.then_some(next))
    }

    /// Whether there is time left for another attempt after that delay.
    fn fits(&self, now: Timestamp, delay: SignedDuration) -> bool {
        match self.run.state {
            State::Running { deadline_at: Some(deadline), .. } => deadline.duration_since(now) > delay,
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
    async fn advance(&mut self, events: Vec<Event>, artifacts: Vec<Artifact>) -> bool {
        let written = self.engine.persist(&self.life, &self.run, events, artifacts, None).await;
        if self.engine.probe.reached(Breakpoint::AfterAdvance, Some(self.run.id)).await.is_err() {
            return false;
        }
        match written {
            Persisted::Stored => true,
            Persisted::Gone => false,
            Persisted::Impossible(failure) => {
                // What the step produced cannot be stored, and will not be next time either.
                let step = self.setup.plan.steps[0];
                let change = Change::Fail { step, failure, requeue: quire_domain::Requeue::Never };
                self.engine.settle(&self.life, &self.run, Vec::new(), change).await;
                false
            }
        }
    }

    async fn end(&mut self, events: Vec<Event>, artifacts: Vec<Artifact>, change: Change) {
        self.engine.settle_with(&self.life, &self.run, events, artifacts, change).await;
        // A fault planned here comes too late to matter.
        let _ = self.engine.probe.reached(Breakpoint::AfterSettle, Some(self.run.id)).await;
    }
}
