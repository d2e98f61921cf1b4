//! The fixture of every engine test: an observed store, a fake clock, a scripted breakpoints and simple steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings, PipelineSetup};
use quire_application::lanes::{LaneLimits, LanePermits};
use quire_domain::{
    Backoff, ClaimScope, Event, EventId, EventType, NewRun, Pipeline, PipelinePlan, Priority, RecoveryPolicy,
    RequeuePolicy, RetryPolicy, Run, RunId, SubjectId,
};
use quire_ports::{Breakpoint, EventFilter, PortError, Step, StepOutput, Store};
use quire_testkit::{FakeClock, ScriptedBreakpoints, StoreFixture, StoreObserver, fixture, steps};
use tokio::sync::Semaphore;

/// A store for engines, and the means to control them.
pub struct EngineFixture {
    pub store_fixture: StoreFixture,
    pub store: Store,
    pub observer: StoreObserver,
    pub clock: FakeClock,
    pub breakpoints: Arc<ScriptedBreakpoints>,
    /// The permits of every engine; one call at a time in each lane.
    pub lanes: Arc<LanePermits>,
}

pub const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// The lease of every engine. Tests advance the clock fast, and a heartbeat must be answered well within this time.
pub const LEASE_TERM: SignedDuration = SignedDuration::from_secs(600);

/// A policy that tries a step twice and then fails the run. Orphaned runs fail.
pub fn fail_policy() -> RetryPolicy {
    RetryPolicy {
        backoff: Backoff { max_attempts: 2, base_ms: 500, max_ms: 5000, jitter_ratio: 0.2 },
        requeue: RequeuePolicy::Never,
        recovery: RecoveryPolicy::Fail,
        continuations: 0,
    }
}

/// The policy of the cloud profile: a failed or orphaned run is requeued, up to three claims.
pub fn requeue_policy() -> RetryPolicy {
    RetryPolicy {
        requeue: RequeuePolicy::Auto { max_claims: 3, base_delay: SignedDuration::from_secs(30) },
        recovery: RecoveryPolicy::Requeue { max_claims: 3 },
        ..fail_policy()
    }
}

/// A step, and the highest number of runs that were in it at once.
pub fn step_with_peak() -> (Arc<dyn Step>, Arc<AtomicUsize>) {
    let (inside, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let highest = peak.clone();
    let step = steps::step(move |_| {
        let (inside, highest) = (inside.clone(), highest.clone());
        async move {
            highest.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            inside.fetch_sub(1, Ordering::SeqCst);
            Ok(StepOutput::default())
        }
    });
    (step, peak)
}

/// The document pipeline with the same step for each of its names. Its limit is 1000 hours, because tests advance the clock
/// fast and only tests of deadlines should reach one.
pub fn document_pipeline(policy: RetryPolicy, work: &Arc<dyn Step>) -> Vec<PipelineSetup> {
    document_pipeline_with_limit(SignedDuration::from_hours(1000), policy, work)
}

/// The document pipeline with this limit.
pub fn document_pipeline_with_limit(
    limit: SignedDuration,
    policy: RetryPolicy,
    work: &Arc<dyn Step>,
) -> Vec<PipelineSetup> {
    let plan = PipelinePlan { limit, ..fixture::document_plan() };
    vec![PipelineSetup { steps: steps::for_every_step(&plan, work), plan, policy }]
}

impl EngineFixture {
    pub fn new(store_fixture: StoreFixture) -> Self {
        let clock = FakeClock::at(fixture::start());
        let store = Store { clock: Arc::new(clock.clone()), ..store_fixture.store.clone() };
        let (store, observer) = StoreObserver::observe(store);
        let limits = LaneLimits { per_process: 1, per_installation: None, ocr: 1 };
        let lanes = LanePermits::new(&store, limits);
        Self { store_fixture, store, observer, clock, breakpoints: Arc::default(), lanes }
    }

    /// The same store with its own clock, for what must happen in real time. Advancing the clock of the fixture does nothing.
    pub fn in_real_time(self) -> Self {
        let (store, observer) = StoreObserver::observe(self.store_fixture.store.clone());
        let limits = LaneLimits { per_process: 1, per_installation: None, ocr: 1 };
        let lanes = LanePermits::new(&store, limits);
        Self { store, observer, lanes, ..self }
    }

    pub fn settings() -> EngineSettings {
        EngineSettings {
            name: "test:1".to_owned(),
            scope: ClaimScope::default(),
            slots: 4,
            claim_limit: 100,
            longest_slot_pause: EngineSettings::SLOT_PAUSE,
            tick: Duration::from_secs(1),
            lease: LeaseSettings::Renewed { term: LEASE_TERM },
            heartbeat: Duration::from_secs(5),
            unowned_after: SignedDuration::from_hours(2),
            grace: SignedDuration::from_secs(5),
            shutdown_wait: Duration::from_secs(15),
            recovery: Vec::new(),
        }
    }

    pub async fn start_engine(&self, pipelines: Vec<PipelineSetup>) -> Engine {
        self.start_engine_with(Self::settings(), pipelines).await
    }

    pub async fn start_engine_with(&self, settings: EngineSettings, pipelines: Vec<PipelineSetup>) -> Engine {
        self.start_engine_probed(settings, pipelines, self.breakpoints.clone()).await
    }

    /// Starts an engine with a breakpoints of its own. A connection that a dropped engine opened may break while it is used, because the
    /// threads of that engine end meanwhile; then the engine is started again, as a supervisor would do.
    pub async fn start_engine_probed(
        &self,
        settings: EngineSettings,
        pipelines: Vec<PipelineSetup>,
        breakpoints: Arc<ScriptedBreakpoints>,
    ) -> Engine {
        let recovery = pipelines.iter().map(|setup| (setup.plan.pipeline, setup.policy.recovery)).collect();
        let settings = EngineSettings { recovery, ..settings };
        let start = || {
            let (store, lanes) = (self.store.clone(), self.lanes.clone());
            Engine::start(store, settings.clone(), pipelines.clone(), lanes, breakpoints.clone())
        };
        match start().await {
            Err(PortError::Unavailable { .. }) => start().await.unwrap(),
            started => started.unwrap(),
        }
    }

    /// Waits until the watchdog with that breakpoints has looked three more times.
    pub async fn let_watch(&self, breakpoints: &ScriptedBreakpoints) {
        let before = breakpoints.count(Breakpoint::BeforeWatch);
        self.wait_until_advancing(|| async { breakpoints.count(Breakpoint::BeforeWatch) > before + 3 }).await;
    }

    /// Holds the next heartbeat with that breakpoints, and returns when it is held.
    pub async fn hold_heartbeat(&self, breakpoints: &ScriptedBreakpoints) {
        let before = breakpoints.held(Breakpoint::BeforeHeartbeat);
        breakpoints.hold_once(Breakpoint::BeforeHeartbeat);
        self.wait_until_advancing(|| async { breakpoints.held(Breakpoint::BeforeHeartbeat) > before }).await;
    }

    /// Enqueues a document run.
    pub async fn enqueue(&self, subject: SubjectId) -> RunId {
        let new = NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject,
            priority: Priority::Normal,
            correlation_id: None,
            requested_by: None,
            extractor: None,
            continues: None,
        };
        quire_application::run::enqueue(&self.store, &new).await.unwrap().id
    }

    /// Adds a run that waits behind a front that does not exist. No port can, and no engine may claim it meanwhile.
    pub async fn enqueue_behind_no_front(&self) -> RunId {
        let (run, subject) = (RunId::new(), SubjectId::new());
        let sql = &self.store_fixture.sql;
        let (id, subject) = (sql.id(run.0), sql.id(subject.0));
        let existing = self.enqueue(SubjectId::new()).await;
        let planted = format!(
            "INSERT INTO runs (id, pipeline, subject_id, state, turn, created_at, queued_at) \
             SELECT {id}, 'document', {subject}, 'QUEUED', 'BEHIND', created_at, queued_at FROM runs WHERE id = {}",
            sql.id(existing.0)
        );
        sql.execute(&planted).await.unwrap();
        run
    }

    /// The run as it is stored.
    pub async fn run(&self, run: RunId) -> Run {
        self.store.run_reader.run(run).await.unwrap()
    }

    pub async fn state(&self, run: RunId) -> &'static str {
        self.run(run).await.state.as_str()
    }

    /// Returns when a run is in that state. The clock stands still.
    pub async fn wait_for_state(&self, run: RunId, state: &str) {
        self.observer.wait_until(|| async { self.state(run).await == state }).await;
    }

    /// Returns when a run is in that state. Advances the clock by seconds.
    pub async fn wait_for_state_advancing(&self, run: RunId, state: &str) {
        self.wait_until_advancing(|| async { self.state(run).await == state }).await;
    }

    /// Returns when `condition` holds. Advances the clock by seconds.
    pub async fn wait_until_advancing<F, R>(&self, condition: F)
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        self.observer.wait_until_advancing(&self.clock, SECOND, condition).await;
    }

    /// The events of a run.
    pub async fn events(&self, run: RunId) -> Vec<Event> {
        let filter = EventFilter { run: Some(run), subject: None };
        let events = self.store.run_reader.events(EventId(0), filter, 1000).await.unwrap();
        events.into_iter().map(|recorded| recorded.event).collect()
    }

    /// The types of the events of a run.
    pub async fn event_types(&self, run: RunId) -> Vec<EventType> {
        self.events(run).await.into_iter().map(|event| event.event_type).collect()
    }

    /// How many events of this type the history has.
    pub async fn count_events(&self, kind: EventType) -> usize {
        let events = self.store.run_reader.events(EventId(0), EventFilter::default(), 10_000).await.unwrap();
        events.iter().filter(|recorded| recorded.event.event_type == kind).count()
    }
}

/// The plan of a pipeline with all its steps.
pub fn plan_of(pipeline: Pipeline) -> PipelinePlan {
    fixture::all_plans().into_iter().find(|plan| plan.pipeline == pipeline).unwrap()
}

/// A step that needs a permit of the gate for each execution.
pub fn gated_step(gate: &Arc<Semaphore>) -> Arc<dyn Step> {
    let gate = gate.clone();
    steps::step(move |_| {
        let gate = gate.clone();
        async move {
            gate.acquire().await.unwrap().forget();
            Ok(StepOutput::default())
        }
    })
}
