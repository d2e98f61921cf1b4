//! Is it alive, and can it work? Every check is bounded, and one that hangs never costs more than one thread.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use quire_domain::RunId;
use quire_ports::{PortError, PortResult, Store};
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::time::timeout;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::Surface;

/// Longer than this is as bad as no answer.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(20) } else { Duration::from_secs(2) };

/// The process is there.
#[derive(Serialize, ToSchema)]
pub(crate) struct Alive {
    #[schema(example = "alive")]
    status: &'static str,
}

/// What works and what does not.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `healthy`, or `degraded` if one of the others is not `ok`.
    #[schema(example = "healthy")]
    status: &'static str,
    /// `ok` or `error`.
    #[schema(example = "ok")]
    database: &'static str,
    /// `ok` or `error`.
    #[schema(example = "ok")]
    storage: &'static str,
}

/// Whoever can say whether the database answers.
#[async_trait]
pub trait DatabaseCheck: Send + Sync {
    /// Asks it something small.
    async fn ask(&self) -> PortResult<()>;
}

#[async_trait]
impl DatabaseCheck for Store {
    /// Asks for a run that cannot exist: one look in one index, and "not found" is the sound answer.
    async fn ask(&self) -> PortResult<()> {
        match self.history.run(RunId(Uuid::nil())).await {
            Ok(_) | Err(PortError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Checks whether files can be kept. It may block; it is run off the async threads, one at a time.
#[derive(Clone)]
pub struct StorageCheck {
    check: Arc<dyn Fn() -> io::Result<()> + Send + Sync>,
    running: Arc<Mutex<()>>,
}

impl StorageCheck {
    /// A check that succeeds when `check` does.
    pub fn new(check: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self { check: Arc::new(check), running: Arc::default() }
    }

    /// Whether it succeeds in time. While one hangs, the next ones wait for it instead of hanging beside it.
    async fn passes(&self) -> bool {
        let turn = async {
            let turn = self.running.clone().lock_owned().await;
            let check = self.check.clone();
            tokio::task::spawn_blocking(move || {
                let outcome = check();
                drop(turn);
                outcome
            })
            .await
        };
        matches!(timeout(PATIENCE, turn).await, Ok(Ok(Ok(()))))
    }
}

/// Says that the process is there, without asking anything else.
#[utoipa::path(
    get,
    path = "/health/live",
    tag = "service",
    operation_id = "live",
    responses((status = 200, description = "It is there.", body = Alive)),
)]
pub(crate) async fn live() -> impl IntoResponse {
    Json(Alive { status: "alive" })
}

/// Says whether the process can do its work; the same as `/health/ready`.
#[utoipa::path(
    get,
    path = "/health",
    tag = "service",
    operation_id = "health",
    responses(
        (status = 200, description = "It can.", body = Health),
        (status = 503, description = "It cannot; the body says what is missing.", body = Health),
    ),
)]
pub(crate) async fn health(surface: State<Surface>) -> impl IntoResponse {
    ready(surface).await
}

/// Says whether the process can do its work.
#[utoipa::path(
    get,
    path = "/health/ready",
    tag = "service",
    operation_id = "ready",
    responses(
        (status = 200, description = "It can.", body = Health),
        (status = 503, description = "It cannot; the body says what is missing.", body = Health),
    ),
)]
pub(crate) async fn ready(State(surface): State<Surface>) -> impl IntoResponse {
    let (database, storage) =
        tokio::join!(timeout(PATIENCE, surface.database.ask()), surface.storage.passes());
    let database = matches!(database, Ok(Ok(())));
    let name = |good: bool| if good { "ok" } else { "error" };
    let healthy = database && storage;
    let health = Health {
        status: if healthy { "healthy" } else { "degraded" },
        database: name(database),
        storage: name(storage),
    };
    let status = if healthy { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(health))
}
