//! Quire over HTTP. [`router`] is the whole surface on one page, [`error`] the whole contract for what goes wrong.
//!
//! Handlers and pages call the use cases of `quire_application`. The binary hands in an [`App`] as part of a [`Server`].

mod audit;
mod calibration;
mod caller;
mod documents;
pub mod error;
mod error_pages;
mod events;
mod governance;
mod guard;
mod headers;
mod health;
mod limits;
mod metrics;
mod neighbours;
mod openapi;
mod origins;
pub mod pages;
mod panics;
mod proxies;
mod request;
mod request_id;
mod review;
pub mod router;
mod runs;
mod serve;
mod unread;
mod version;

use std::sync::Arc;

use axum::extract::FromRef;
use quire_application::App;
use quire_application::audit::AccessAudit;
use quire_application::health::HealthChecks;

pub use calibration::CalibrationList;
pub use error::{ApiError, Code, Reason};
pub use guard::Guard;
pub use limits::Limits;
pub use metrics::Exposition;
pub use origins::Origins;
pub use pages::words::Language;
pub use proxies::Proxies;
pub use router::router;
pub use serve::serve;
pub use version::Version;

/// What a process serves over HTTP.
#[derive(Clone)]
pub struct Server {
    /// Whether the process can do its work.
    pub health: HealthChecks,
    /// The metrics of this process.
    pub metrics: Arc<dyn Exposition>,
    /// The version of the program.
    pub version: Version,
    /// Who may send requests.
    pub guard: Arc<Guard>,
    /// How many requests a client may send.
    pub limits: Arc<Limits>,
    /// Which other sites may read responses.
    pub origins: Origins,
    /// Documents and runs. A worker serves none.
    pub app: Option<AppState>,
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
