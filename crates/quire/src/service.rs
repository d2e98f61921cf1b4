//! What `serve` and `worker` have in common: an engine and a listener that run until a signal stops the process.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use quire_api::{AppState, Auth, ProgramVersion, RateLimits, RatesPerMinute, Server};
use quire_application::Error;
use quire_application::audit::AccessAudit;
use quire_application::credential::Authenticator;
use quire_application::engine::{Engine, LeaseSettings, PipelineSetup};
use quire_application::health::{DatabaseCheck, HealthChecks};
use quire_application::lanes::LanePermits;
use quire_application::operations::ServerRegistration;
use quire_application::search::{Indexer, index_outdated};
use quire_application::session::SessionService;
use quire_application::storage::{OriginalsPolicy, Sweep, keep_sweeping};
use quire_domain::LaneName;
use quire_ports::{BlobStore, NoBreakpoints, Store};
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use crate::config::{Config, to_std};
use crate::error::CommandError;
use crate::scrape::MetricsScrape;
use crate::telemetry::{self, PrometheusMetrics, Telemetry};
use crate::wire::{self, EngineDatabase};
use crate::{StepFactory, listen, owner_only, shutdown};

/// Connections that may wait to be accepted. When more come at once, the operating system drops some for a second.
const ACCEPT_QUEUE: u32 = 4096;
/// How often histograms are folded into their buckets.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(10);
/// How long open requests may take after the engine has stopped. They have known of the shutdown since its beginning.
const REQUEST_DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Default rate limits per client and minute, if other machines can reach the server.
const PUBLIC: RatesPerMinute = RatesPerMinute { uploads: 10, downloads: 30, megabytes: 1000, drawings: 600 };

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoints {
    /// It works on runs and serves API, pages, health and metrics.
    All,
    /// It serves them and leaves runs to other processes.
    WithoutEngine,
    /// It works on runs and serves health and metrics only.
    Health,
}

/// Runs an engine, and a listener if `listen` is given, until a signal stops the process. Calls `ready` once with the
/// address when both have started.
pub(crate) async fn run_until_stopped(
    config: &Config,
    telemetry: &Telemetry,
    steps: StepFactory,
    listen: Option<SocketAddr>,
    endpoints: Endpoints,
    ready: impl FnOnce(Option<SocketAddr>) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let stop = shutdown::on_signal()?;
    let metrics = telemetry::install_metrics()?;
    if let Some(address) = listen {
        listen::refuse_without_database(config, address)?;
    }
    // The database comes first: its lock error says more than "address in use". The engine comes last because it
    // changes data.
    let database = wire::open_for_engine(config, OriginalsPolicy::Kept).await?;
    owner_only::warn_of_others(config);
    let listener = match listen {
        Some(address) => {
            listen::require_credential(config, &database.store, address).await?;
            listen::warn_without_tls(config, address);
            Some(bind(address).await?)
        }
        None => None,
    };
    let lanes = LanePermits::new(&database.store, config.lane_limits());
    let (state, audit) = match endpoints {
        Endpoints::All | Endpoints::WithoutEngine => {
            let (audit, writer) = AccessAudit::start(database.store.clone());
            let app = Arc::new(wire::app(config, &database.store, &lanes, &stop).await?);
            (Some(AppState { app, audit, language: config.server.language.0 }), Some(writer))
        }
        Endpoints::Health => (None, None),
    };
    let engine = match endpoints {
        Endpoints::WithoutEngine => None,
        Endpoints::All | Endpoints::Health => Some(start_engine(config, &database, &lanes, steps).await?),
    };
    let registration = match (endpoints, database.lease) {
        (Endpoints::WithoutEngine, LeaseSettings::Renewed { term }) => {
            let heartbeat = config.engine_settings(worker_name(), database.lease).heartbeat;
            let store = database.store.clone();
            Some(ServerRegistration::start(store, worker_name(), term, heartbeat).await?)
        }
        // An engine registers itself.
        _ => None,
    };
    let engine = Arc::new(Mutex::new(engine));
    run_upkeep_until(stop.clone(), metrics.clone());

    let address = listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let blobs = wire::blobs(config, &database.store)?;
    if endpoints != Endpoints::Health {
        sweep_until(stop.clone(), config, &database.store, blobs.clone());
        let embedder = if config.search.enabled {
            Some(wire::embedder(config, &database.store, &lanes).await?)
        } else {
            None
        };
        lanes.register(&LaneName::indexing()).await;
        let indexer = Indexer::new(database.store.clone(), blobs.clone(), embedder, lanes.clone());
        tokio::spawn(index_outdated(indexer, stop.clone()));
    }
    let serving = listener.map(|listener| {
        let process = Process { endpoints, engine: engine.clone(), stop: stop.clone() };
        let server =
            Server { state, ..server(config, &database, metrics, telemetry, process, address, blobs) };
        let (stop, delay) = (stop.clone(), to_std(config.server.drain_delay));
        tokio::spawn(quire_api::serve(listener, server, async move {
            stop.cancelled().await;
            // A load balancer needs time to notice that the server is no longer ready.
            tokio::time::sleep(delay).await;
        }))
    });
    ready(address)?;
    stop.cancelled().await;
    let engine = engine.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(engine) = engine {
        engine.stop().await;
    }
    if let Some(serving) = serving {
        // Requests that take longer than this get no response.
        let limit = to_std(config.server.drain_delay) + REQUEST_DRAIN_TIMEOUT;
        let _ = tokio::time::timeout(limit, serving).await;
    }
    if let Some(audit) = audit {
        audit.finish().await;
    }
    // Last, because the requests above still wrote.
    if let Some(registration) = registration {
        registration.end().await;
    }
    tracing::info!("stopped");
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, CommandError> {
    let bound = async {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(ACCEPT_QUEUE)
    };
    bound.await.map_err(|error: std::io::Error| {
        CommandError::new(format!(
            "cannot listen on {address} ({error}); stop the program that uses it or choose another address with --listen"
        ))
    })
}

/// Starts an engine with these steps.
pub(crate) async fn start_engine(
    config: &Config,
    database: &EngineDatabase,
    lanes: &Arc<LanePermits>,
    steps: StepFactory,
) -> Result<Engine, CommandError> {
    let pipelines: Vec<PipelineSetup> = steps(config.clone(), database.store.clone(), lanes.clone())
        .await?
        .into_iter()
        .filter(|(_, steps)| !steps.is_empty())
        .map(|(pipeline, steps)| {
            let mut plan = config.plan(pipeline);
            // A step that this program does not implement is left out of its runs.
            plan.steps.retain(|step| steps.contains_key(step));
            PipelineSetup { plan, policy: config.policy(pipeline), steps }
        })
        .collect();
    let settings = config.engine_settings(worker_name(), database.lease);
    tracing::info!(
        slots = settings.slots,
        pipelines = %pipelines.iter().map(|setup| setup.plan.pipeline.as_str()).collect::<Vec<_>>().join(" "),
        "engine starting"
    );
    Ok(Engine::start(database.store.clone(), settings, pipelines, lanes.clone(), Arc::new(NoBreakpoints))
        .await?)
}

/// What the health of a process depends on.
struct Process {
    endpoints: Endpoints,
    engine: Arc<Mutex<Option<Engine>>>,
    stop: CancellationToken,
}

fn server(
    config: &Config,
    database: &EngineDatabase,
    metrics: PrometheusMetrics,
    telemetry: &Telemetry,
    process: Process,
    address: Option<SocketAddr>,
    blobs: Arc<dyn BlobStore>,
) -> Server {
    let Process { endpoints, engine, stop } = process;
    let checked = engine.clone();
    let is_connected = move || {
        let engine = checked.lock().unwrap_or_else(PoisonError::into_inner);
        endpoints == Endpoints::WithoutEngine || engine.as_ref().is_some_and(Engine::is_connected)
    };
    let slots = if endpoints == Endpoints::WithoutEngine { 0 } else { config.slots() };
    let running =
        move || engine.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Engine::running);
    let dropped = telemetry.dropped.clone();
    let scrape = MetricsScrape::new(metrics, database.store.clone(), dropped, slots, Box::new(running));
    let check =
        EngineDatabaseCheck { store: database.store.clone(), is_connected: Box::new(is_connected), stop };
    let limits = Arc::new(rate_limits(config, address));
    Server {
        health: HealthChecks::new(Arc::new(check), wire::storage_check(config)).with_blobs(blobs),
        metrics: Arc::new(scrape),
        version: ProgramVersion::of_environment(),
        auth: Arc::new(auth(config, &database.store, limits.clone())),
        rate_limits: limits,
        connections: listen::connection_limits(config),
        hsts: config.server.hsts.clone(),
        origins: config.server.cors_origins.clone(),
        state: None,
    }
}

fn auth(config: &Config, store: &Store, limits: Arc<RateLimits>) -> Auth {
    let sessions = SessionService::new(store, config.server.session_settings());
    let (keys, clock) = (store.credentials.clone(), store.clock.clone());
    let authenticator = Authenticator::new(keys, clock, config.server.auth_token.non_empty());
    Auth::new(authenticator.with_sessions(sessions), limits)
}

/// Without a setting, only a server that other machines can reach has rate limits.
fn rate_limits(config: &Config, address: Option<SocketAddr>) -> RateLimits {
    let is_local = address.is_none_or(|address| address.ip().is_loopback());
    let default = if is_local { RatesPerMinute::default() } else { PUBLIC };
    let limits = &config.limits;
    let rates = RatesPerMinute {
        uploads: limits.uploads_per_minute.or(default.uploads),
        downloads: limits.downloads_per_minute.or(default.downloads),
        megabytes: limits.megabytes_per_minute.or(default.megabytes),
        drawings: limits.drawings_per_minute.or(default.drawings),
    };
    RateLimits::new(rates, config.server.trusted_proxies.clone())
}

/// Checks that the database answers queries and accepts the engine's writes. A database that is full, locked or
/// read-only still answers queries.
struct EngineDatabaseCheck {
    store: Store,
    is_connected: Box<dyn Fn() -> bool + Send + Sync>,
    stop: CancellationToken,
}

#[async_trait]
impl DatabaseCheck for EngineDatabaseCheck {
    async fn check(&self) -> Result<(), Error> {
        if self.stop.is_cancelled() {
            return Err(Error::Unavailable {
                service: "database",
                reason: "the process is stopping".to_owned(),
            });
        }
        if !(self.is_connected)() {
            return Err(Error::Unavailable {
                service: "database",
                reason: "it has not accepted a heartbeat of the engine lately".to_owned(),
            });
        }
        self.store.check().await
    }
}

fn run_upkeep_until(stop: CancellationToken, metrics: PrometheusMetrics) {
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(UPKEEP_INTERVAL) => metrics.run_upkeep(),
                () = stop.cancelled() => return,
            }
        }
    });
}

/// Removes files without a document until `stop` is cancelled.
fn sweep_until(stop: CancellationToken, config: &Config, store: &Store, blobs: Arc<dyn BlobStore>) {
    let interval = to_std(config.storage.sweep_interval);
    if !interval.is_zero() {
        tokio::spawn(keep_sweeping(Sweep::new(store.clone(), blobs), interval, stop));
    }
}

/// Host name and process id, for the list of workers.
pub(crate) fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::env::var("HOSTNAME"));
    format!("{}:{}", host.as_deref().map_or("localhost", str::trim), std::process::id())
}
