//! The version of the program.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Server;

/// The version of the program and of its build.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProgramVersion {
    /// The version.
    pub version: String,
    /// The commit of the build, if known.
    pub commit: Option<String>,
    /// The date of the build, if known.
    pub build_date: Option<String>,
}

impl ProgramVersion {
    /// The version from the variables `APP_VERSION`, `GIT_COMMIT` and `BUILD_DATE`, which image builds set.
    pub fn of_environment() -> Self {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        Self {
            version: variable("APP_VERSION").unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
            commit: variable("GIT_COMMIT"),
            build_date: variable("BUILD_DATE"),
        }
    }
}

/// Returns the version of the program.
#[utoipa::path(
    get,
    path = "/version",
    tag = "service",
    operation_id = "version",
    responses((status = 200, description = "The version.", body = ProgramVersion)),
)]
pub(crate) async fn version(State(server): State<Server>) -> impl IntoResponse {
    Json(server.version)
}
