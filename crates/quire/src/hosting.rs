//! What `serve` and `worker` share: an engine and a listener that live until the process is told to stop.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use quire_api::{AppState, Auth, RateLimits, Server, Version};
use quire_application::Error;
use quire_application::audit::AccessAudit;
use quire_application::credential::Authenticator;
use quire_application::engine::{Engine, PipelineSetup};
use quire_application::health::{DatabaseCheck, HealthChecks};
use quire_application::session::SessionService;
use quire_ports::{NoProbe, Store};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::scrape::Scrape;
use crate::telemetry::{self, Metrics, Telemetry};
use crate::trouble::Trouble;
use crate::wire::{self, Opened};
use crate::{StepFactory, listening, shutdown};

/// How often histograms are tidied.
const TIDY_EVERY: Duration = Duration::from_secs(10);
/// How long answers under way may take once the engine has stopped.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// How many a client has a minute where other machines can ask.
const UPLOADS: u32 = 10;
const DOWNLOADS: u32 = 30;

/// What is shown at the address.
#[derive(Clone, Copy)]
pub(crate) enum Shows {
    /// Documents and runs, health and metrics.
    Everything,
    /// Health and metrics.
    Health,
}

/// Runs an engine, and answers at `listen` if there is one, until told to stop. `ready` is called once with the
/// address when everything works.
pub(crate) async fn host(
    config: &Config,
    telemetry: &Telemetry,
    steps: StepFactory,
    listen: Option<SocketAddr>,
    shows: Shows,
    ready: impl FnOnce(Option<SocketAddr>) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let stop = shutdown::on_signal()?;
    let metrics = telemetry::install_metrics()?;
    if let Some(address) = listen {
        listening::refuse_what_cannot_be(config, address)?;
    }
    // First the database, whose lock says more than a port that is taken; last the engine, which changes things.
    let opened = wire::open_for_engine(config).await?;
    let listener = match listen {
        Some(address) => {
            listening::require_credential(config, &opened.store, address).await?;
            Some(bind(address).await?)
        }
        None => None,
    };
    let (app, audit) = match shows {
        Shows::Everything => {
            let (audit, writer) = AccessAudit::start(opened.store.clone());
            let app = Arc::new(wire::app(config, &opened.store, &stop)?);
            (Some(AppState { app, audit, language: config.server.language.0 }), Some(writer))
        }
        Shows::Health => (None, None),
    };
    let engine = Arc::new(Mutex::new(Some(start_engine(config, &opened, steps).await?)));
    tidy_until(stop.clone(), metrics.clone());

    let address = listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let answering = listener.map(|listener| {
        let server = Server { app, ..server(config, &opened, metrics, telemetry, engine.clone(), address) };
        let stop = stop.clone();
        tokio::spawn(quire_api::serve(listener, server, async move { stop.cancelled().await }))
    });
    ready(address)?;
    stop.cancelled().await;
    let engine = engine.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(engine) = engine {
        engine.stop().await;
    }
    if let Some(answering) = answering {
        // Whoever still waits for an answer then does not get it.
        let _ = tokio::time::timeout(LAST_ANSWERS, answering).await;
    }
    if let Some(audit) = audit {
        audit.finish().await;
    }
    tracing::info!("stopped");
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Trouble> {
    TcpListener::bind(address).await.map_err(|error| {
        Trouble::new(format!(
            "cannot listen on {address} ({error}); stop what does, or choose another address with --listen"
        ))
    })
}

/// Starts an engine with these steps on a database that was opened for it.
pub(crate) async fn start_engine(
    config: &Config,
    opened: &Opened,
    steps: StepFactory,
) -> Result<Engine, Trouble> {
    let pipelines: Vec<PipelineSetup> = steps(config.clone(), opened.store.clone())
        .await?
        .into_iter()
        .filter(|(_, steps)| !steps.is_empty())
        .map(|(pipeline, steps)| {
            let mut plan = config.plan(pipeline);
            // Steps that this program does not have yet are no part of a run.
            plan.steps.retain(|step| steps.contains_key(step));
            PipelineSetup { plan, policy: config.policy(pipeline), steps }
        })
        .collect();
    let settings = config.engine_settings(name(), opened.lease);
    tracing::info!(
        slots = settings.slots,
        pipelines = %pipelines.iter().map(|setup| setup.plan.pipeline.as_str()).collect::<Vec<_>>().join(" "),
        "starting the engine"
    );
    Ok(Engine::start(opened.store.clone(), settings, pipelines, Arc::new(NoProbe)).await?)
}

fn server(
    config: &Config,
    opened: &Opened,
    metrics: Metrics,
    telemetry: &Telemetry,
    engine: Arc<Mutex<Option<Engine>>>,
    address: Option<SocketAddr>,
) -> Server {
    let asked = engine.clone();
    let heard = move || {
        asked.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(Engine::is_connected)
    };
    let running =
        move || engine.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Engine::running);
    let lost = telemetry.lost.clone();
    let scrape = Scrape::new(metrics, opened.store.clone(), lost, config.slots(), Box::new(running));
    let database = Working { store: opened.store.clone(), heard: Box::new(heard) };
    Server {
        health: HealthChecks::new(Arc::new(database), wire::storage_check(config)),
        metrics: Arc::new(scrape),
        version: Version::of_environment(),
        auth: Arc::new(auth(config, &opened.store)),
        rate_limits: Arc::new(rate_limits(config, address)),
        origins: config.server.cors_origins.clone(),
        app: None,
    }
}

fn auth(config: &Config, store: &Store) -> Auth {
    let sessions = SessionService::new(store, config.server.session_terms());
    let authenticator = Authenticator::new(store.credentials.clone(), config.server.auth_token.given());
    Auth::new(authenticator.with_sessions(sessions))
}

/// Only where other machines can ask is anybody held back, unless the settings say so.
fn rate_limits(config: &Config, address: Option<SocketAddr>) -> RateLimits {
    let is_alone = address.is_none_or(|address| address.ip().is_loopback());
    let (uploads, downloads) = if is_alone { (0, 0) } else { (UPLOADS, DOWNLOADS) };
    let set = &config.limits;
    RateLimits::per_minute(
        set.uploads_per_minute.or(uploads),
        set.downloads_per_minute.or(downloads),
        config.server.trusted_proxies.clone(),
    )
}

/// A database that answers and also takes what the engine writes: one that is full, locked or read-only answers
/// questions as ever.
struct Working {
    store: Store,
    heard: Box<dyn Fn() -> bool + Send + Sync>,
}

#[async_trait]
impl DatabaseCheck for Working {
    async fn check(&self) -> Result<(), Error> {
        if !(self.heard)() {
            return Err(Error::Unavailable {
                service: "database",
                reason: "it has accepted no heartbeat of the engine for a while".to_owned(),
            });
        }
        self.store.check().await
    }
}

fn tidy_until(stop: CancellationToken, metrics: Metrics) {
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(TIDY_EVERY) => metrics.tidy(),
                () = stop.cancelled() => return,
            }
        }
    });
}

/// Host and process, for the list of workers.
fn name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::env::var("HOSTNAME"));
    format!("{}:{}", host.as_deref().map_or("localhost", str::trim), std::process::id())
}
