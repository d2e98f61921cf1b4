//! Which Quire answers.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Server;

/// Which program this is, as far as whoever built it said so.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Version {
    /// Its version.
    pub version: String,
    /// Of which commit.
    pub commit: Option<String>,
    /// Built when.
    pub build_date: Option<String>,
}

impl Version {
    /// As the variables `APP_VERSION`, `GIT_COMMIT` and `BUILD_DATE` say, which builders of images set.
    pub fn of_environment() -> Self {
        let said = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        Self {
            version: said("APP_VERSION").unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
            commit: said("GIT_COMMIT"),
            build_date: said("BUILD_DATE"),
        }
    }
}

/// Says which program answers, and in which version.
#[utoipa::path(
    get,
    path = "/version",
    tag = "service",
    operation_id = "version",
    responses((status = 200, description = "The program.", body = Version)),
)]
pub(crate) async fn version(State(server): State<Server>) -> impl IntoResponse {
    Json(server.version)
}
