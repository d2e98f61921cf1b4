//! A real PostgreSQL server behind a proxy that falls silent. These tests use the clock of the server.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, LeaseSettings};
use quire_application::lanes::{LaneLimits, LanePermits};
use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, Store};
use quire_postgres::testing::{TestSchema, raw_sql, url};
use quire_postgres::{PgStore, PostgresOptions};
use quire_testkit::{RawSql, ScriptedBreakpoints, SilentProxy};
use tokio::sync::Semaphore;

use crate::fixture::{EngineFixture, document_pipeline, gated_step, requeue_policy};

const TERM: Duration = Duration::from_secs(3);

/// An engine with a store of its own behind the proxy.
struct ProxiedEngine {
    engine: Engine,
    breakpoints: Arc<ScriptedBreakpoints>,
}

impl ProxiedEngine {
    async fn start(proxy: &SilentProxy, place: &TestSchema, gate: &Arc<Semaphore>) -> Self {
        let options = PostgresOptions { schema: Some(place.schema.clone()), ..PostgresOptions::default() };
        let store = PgStore::connect(&proxy.through(&url()), options).await.unwrap().into_store();
        let pipelines = document_pipeline(requeue_policy(), &gated_step(gate));
        let settings = EngineSettings {
            lease: LeaseSettings::Renewed { term: SignedDuration::try_from(TERM).unwrap() },
            heartbeat: TERM / 6,
            tick: Duration::from_millis(100),
            recovery: vec![(pipelines[0].plan.pipeline, pipelines[0].policy.recovery)],
            ..EngineFixture::settings()
        };
        let breakpoints = Arc::new(ScriptedBreakpoints::default());
        let lanes = LanePermits::new(&store, LaneLimits { per_process: 1, per_installation: None, ocr: 1 });
        let engine = Engine::start(store, settings, pipelines, lanes, breakpoints.clone()).await.unwrap();
        Self { engine, breakpoints }
    }

    /// Waits for that many more heartbeats. Each begins when the one before has an answer or has given up.
    async fn heartbeats(&self, count: usize) {
        let before = self.breakpoints.count(Breakpoint::BeforeHeartbeat);
        self.breakpoints.wait_for(Breakpoint::BeforeHeartbeat, before + count).await;
    }
}

/// A store that reaches the server past the proxy, and direct SQL.
async fn past_the_proxy(place: &Arc<TestSchema>) -> (Store, Arc<dyn RawSql>) {
    (place.store().await.into_store(), raw_sql(place))
}

async fn wait_for_number(sql: &Arc<dyn RawSql>, query: &str, expected: i64) {
    let waiting = async {
        while sql.number(query).await != expected {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(quire_testkit::observed_store::TEST_TIMEOUT, waiting).await;
    waited.unwrap_or_else(|_| panic!("{query} did not become {expected}"));
}

async fn enqueue(store: &Store) -> quire_domain::RunId {
    let new = quire_testkit::fixture::document_run(SubjectId::new());
    store.queue.enqueue(&new, store.clock.now()).await.unwrap().id
}

const EXPIRED: &str =
    "SELECT count(*) FROM workers WHERE ended_at IS NULL AND lease_until < clock_timestamp()";

/// Every lease expires while the server is silent. Nobody died, so no run loses its attempt.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_costs_no_run_an_attempt() {
    let place = Arc::new(TestSchema::migrated().await);
    let (store, sql) = past_the_proxy(&place).await;
    let proxy = SilentProxy::of_database(&url()).await;
    let gate = Arc::new(Semaphore::new(0));
    let engines = [
        ProxiedEngine::start(&proxy, &place, &gate).await,
        ProxiedEngine::start(&proxy, &place, &gate).await,
    ];
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(enqueue(&store).await);
    }
    wait_for_number(&sql, "SELECT count(*) FROM runs WHERE state = 'RUNNING'", 6).await;
    proxy.silence();
    wait_for_number(&sql, EXPIRED, 2).await;
    // Both notice the silence: a heartbeat gives up after a third of the lease.
    for engine in &engines {
        engine.heartbeats(2).await;
    }
    proxy.speak();
    wait_for_number(&sql, EXPIRED, 0).await;
    for engine in &engines {
        engine.heartbeats(8).await;
    }
    gate.add_permits(100);
    wait_for_number(&sql, "SELECT count(*) FROM runs WHERE state = 'COMPLETED'", 6).await;
    for run in runs {
        let stored = store.run_reader.run(run).await.unwrap();
        assert_eq!((stored.failed_attempts, stored.retry_count), (0, 0));
    }
    let requeued =
        format!("SELECT count(*) FROM events WHERE event_type = '{}'", EventType::RunRequeued.as_str());
    assert_eq!(sql.number(&requeued).await, 0);
    for engine in engines {
        engine.engine.stop().await;
    }
}

/// The other end of the connections vanishes without closing them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heartbeat_leaves_a_dead_connection_for_another() {
    let place = Arc::new(TestSchema::migrated().await);
    let (_, sql) = past_the_proxy(&place).await;
    let proxy = SilentProxy::of_database(&url()).await;
    let engine = ProxiedEngine::start(&proxy, &place, &Arc::new(Semaphore::new(0))).await;
    engine.heartbeats(2).await;
    proxy.strand();
    engine.heartbeats(1).await;
    let seen = sql.number("SELECT (extract(epoch FROM seen_at) * 1000000)::bigint FROM workers").await;
    let renewed = format!(
        "SELECT count(*) FROM workers WHERE (extract(epoch FROM seen_at) * 1000000)::bigint > {seen} + 1000000"
    );
    wait_for_number(&sql, &renewed, 1).await;
    assert!(engine.engine.is_connected());
}

/// A worker dies although the server answers: after a lease term of contact another one takes its runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_dies_after_a_silence_is_still_found() {
    let place = Arc::new(TestSchema::migrated().await);
    let (store, sql) = past_the_proxy(&place).await;
    let proxy = SilentProxy::of_database(&url()).await;
    let gate = Arc::new(Semaphore::new(0));
    let dying = ProxiedEngine::start(&proxy, &place, &gate).await;
    let run = enqueue(&store).await;
    wait_for_number(&sql, "SELECT count(*) FROM runs WHERE state = 'RUNNING'", 1).await;
    let other = ProxiedEngine::start(&proxy, &place, &gate).await;
    proxy.silence();
    wait_for_number(&sql, EXPIRED, 2).await;
    drop(dying);
    proxy.speak();
    gate.add_permits(100);
    wait_for_number(&sql, "SELECT count(*) FROM runs WHERE state = 'COMPLETED'", 1).await;
    assert_eq!(store.run_reader.run(run).await.unwrap().failed_attempts, 1);
    other.engine.stop().await;
}
