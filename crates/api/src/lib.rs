//! Quire over HTTP. [`routes`] has every route and the middleware on one page; [`error`] is the whole contract for errors.
//!
//! Handlers and pages call the use cases of `quire_application`. The binary hands in an [`App`] as part of a [`Server`].

mod caller;
pub mod error;
mod error_pages;
mod middleware;
pub mod pages;
mod request;
mod rest;
pub mod routes;
mod serve;

use std::sync::Arc;

use axum::extract::FromRef;
use quire_application::App;
use quire_application::audit::AccessAudit;
use quire_application::health::HealthChecks;

pub use error::{ApiError, Code, ConflictReason};
pub use middleware::auth::Auth;
pub use middleware::auth::refusal::REFUSAL_REASONS;
pub use middleware::cors::CorsOrigins;
pub use middleware::hsts::Hsts;
pub use middleware::rate_limit::{RateLimits, RatesPerMinute};
pub use middleware::trusted_proxies::TrustedProxies;
pub use pages::words::Language;
pub use rest::calibration::CalibrationList;
pub use rest::metrics::Exposition;
pub use rest::proposals::show::ProposalRunResponse;
pub use rest::search::ask::AskResponse;
pub use rest::search::find::SearchResponse;
pub use rest::version::ProgramVersion;
pub use routes::router;
pub use serve::{ConnectionLimits, serve};

/// What a process serves over HTTP.
#[derive(Clone)]
pub struct Server {
    /// Whether the process can do its work.
    pub health: HealthChecks,
    /// The metrics of this process.
    pub metrics: Arc<dyn Exposition>,
    /// The version of the program.
    pub version: ProgramVersion,
    /// Who may send requests.
    pub auth: Arc<Auth>,
    /// How many requests a client may send.
    pub rate_limits: Arc<RateLimits>,
    /// How many connections are open at once.
    pub connections: ConnectionLimits,
    /// Whether browsers must use TLS from now on.
    pub hsts: Hsts,
    /// Which other sites may read responses.
    pub origins: CorsOrigins,
    /// Documents and runs. A worker serves none.
    pub state: Option<AppState>,
}

/// What the handlers of documents and runs share.
#[derive(Clone)]
pub struct AppState {
    /// The use cases.
    pub app: Arc<App>,
    /// Records who accessed which document.
    pub audit: AccessAudit,
    /// The language of the pages; without one, the browser chooses.
    pub language: Option<Language>,
}

impl FromRef<AppState> for Arc<App> {
    fn from_ref(state: &AppState) -> Self {
        state.app.clone()
    }
}

impl FromRef<AppState> for AccessAudit {
    fn from_ref(state: &AppState) -> Self {
        state.audit.clone()
    }
}

impl FromRef<Server> for HealthChecks {
    fn from_ref(server: &Server) -> Self {
        server.health.clone()
    }
}
