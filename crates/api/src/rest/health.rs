//! Is it alive, and can it work? Every check is bounded, and one that hangs never costs more than one thread.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use quire_application::health::HealthChecks;
use serde::Serialize;
use utoipa::ToSchema;

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
pub(crate) async fn health(checks: State<HealthChecks>) -> impl IntoResponse {
    ready(checks).await
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
pub(crate) async fn ready(State(checks): State<HealthChecks>) -> impl IntoResponse {
    let health = checks.run().await;
    let name = |good: bool| if good { "ok" } else { "error" };
    let body = Health {
        status: if health.is_ready() { "healthy" } else { "degraded" },
        database: name(health.database),
        storage: name(health.storage),
    };
    let status = if health.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(body))
}
