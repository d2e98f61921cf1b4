//! What every story needs: a watched store, a clock that stands still, breakpoints, and steps that do as told.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings, PipelineSetup};
use quire_domain::{
    Backoff, Event, EventId, EventType, NewRun, Pipeline, PipelinePlan, Priority, RecoveryPolicy,
    RequeuePolicy, RetryPolicy, RunId, SubjectId,
};
use quire_ports::{EventFilter, Step, Store};
use quire_testkit::{FakeClock, ScriptedProbe, StoreFixture, StoreObserver, fixture, steps};

/// The scene of a story.
pub struct Stage {
    pub fixture: StoreFixture,
    pub store: Store,
    pub observer: StoreObserver,
    pub clock: FakeClock,
    pub probe: Arc<ScriptedProbe>,
}

pub const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// A policy that tries a step twice and gives up.
pub fn strict() -> RetryPolicy {
    RetryPolicy {
        backoff: Backoff { attempts: 2, base_ms: 500, max_ms: 5000, jitter_ratio: 0.2 },
        requeue: RequeuePolicy::Never,
        recovery: RecoveryPolicy::Fail,
    }
}

/// The policy of the cloud profile: back to the queue, three claims in all.
pub fn lenient() -> RetryPolicy {
    RetryPolicy {
        requeue: RequeuePolicy::Auto { max_claims: 3, base_delay: SignedDuration::from_secs(30) },
        recovery: RecoveryPolicy::Requeue { max_claims: 3 },
        ..strict()
    }
}

/// The document pipeline with the same work in every step, and all the time it wants: a story lets time pass as
/// fast as the machine allows, and only those about deadlines should meet one.
pub fn documents(policy: RetryPolicy, work: &Arc<dyn Step>) -> Vec<PipelineSetup> {
    documents_within(SignedDuration::from_hours(1000), policy, work)
}

/// The same with a limit.
pub fn documents_within(
    limit: SignedDuration,
    policy: RetryPolicy,
    work: &Arc<dyn Step>,
) -> Vec<PipelineSetup> {
    let plan = PipelinePlan { limit, ..fixture::document_plan() };
    vec![PipelineSetup { steps: steps::for_every_step(&plan, work), plan, policy }]
}

impl Stage {
    pub fn set(fixture: StoreFixture) -> Self {
        let clock = FakeClock::at(fixture::start());
        let store = Store { clock: Arc::new(clock.clone()), ..fixture.store.clone() };
        let (store, observer) = StoreObserver::observe(store);
        Self { fixture, store, observer, clock, probe: Arc::default() }
    }

    pub fn settings() -> EngineSettings {
        EngineSettings {
            name: "stage:1".to_owned(),
            slots: 4,
            claim_limit: 100,
            tick: Duration::from_secs(1),
            lease: LeaseSettings::Renewed { term: SignedDuration::from_hours(1000) },
            heartbeat: Duration::from_secs(5),
            ownerless_after: SignedDuration::from_hours(2),
            grace: SignedDuration::from_secs(5),
            shutdown_wait: Duration::from_secs(15),
            recovery: Vec::new(),
        }
    }

    pub async fn engine(&self, pipelines: Vec<PipelineSetup>) -> Engine {
        self.engine_with(Self::settings(), pipelines).await
    }

    pub async fn engine_with(&self, settings: EngineSettings, pipelines: Vec<PipelineSetup>) -> Engine {
        let recovery = pipelines.iter().map(|setup| (setup.plan.pipeline, setup.policy.recovery)).collect();
        let settings = EngineSettings { recovery, ..settings };
        Engine::start(self.store.clone(), settings, pipelines, self.probe.clone()).await.unwrap()
    }

    /// Accepts a document run.
    pub async fn enqueue(&self, subject: SubjectId) -> RunId {
        let new = NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject,
            priority: Priority::Normal,
            correlation_id: None,
        };
        quire_application::run::enqueue(&self.store, &new).await.unwrap().id
    }

    pub async fn state(&self, run: RunId) -> &'static str {
        self.store.history.run(run).await.unwrap().state.as_str()
    }

    /// Returns when a run is in that state, while the clock stands still.
    pub async fn until_state(&self, run: RunId, state: &str) {
        self.observer.wait_until(|| async { self.state(run).await == state }).await;
    }

    /// Returns when a run is in that state, letting seconds pass.
    pub async fn until_state_in_time(&self, run: RunId, state: &str) {
        self.observer
            .wait_until_advancing(&self.clock, SECOND, || async { self.state(run).await == state })
            .await;
    }

    /// The history of a run.
    pub async fn events(&self, run: RunId) -> Vec<Event> {
        let filter = EventFilter { run: Some(run), subject: None };
        let events = self.store.history.events(EventId(0), filter, 1000).await.unwrap();
        events.into_iter().map(|recorded| recorded.event).collect()
    }

    /// The history of a run, by event type.
    pub async fn told(&self, run: RunId) -> Vec<EventType> {
        self.events(run).await.into_iter().map(|event| event.event_type).collect()
    }

    /// How often something stands in the whole history.
    pub async fn times_told(&self, kind: EventType) -> usize {
        let events = self.store.history.events(EventId(0), EventFilter::default(), 10_000).await.unwrap();
        events.iter().filter(|recorded| recorded.event.event_type == kind).count()
    }
}

/// A plan of one pipeline, whole.
pub fn whole(pipeline: Pipeline) -> PipelinePlan {
    fixture::all_plans().into_iter().find(|plan| plan.pipeline == pipeline).unwrap()
}
