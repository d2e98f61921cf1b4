//! Liveness and readiness.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use quire_application::health::HealthChecks;
use serde::Serialize;
use utoipa::ToSchema;

/// The process is alive.
#[derive(Serialize, ToSchema)]
#[schema(as = LivenessResponse)]
pub(crate) struct LivenessResponse {
    #[schema(example = "alive")]
    status: &'static str,
}

/// The results of the health checks.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthResponse {
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

/// Reports that the process is alive. Checks nothing else.
#[utoipa::path(
    get,
    path = "/health/live",
    tag = "service",
    operation_id = "live",
    responses((status = 200, description = "The process is alive.", body = LivenessResponse)),
)]
pub(crate) async fn live() -> impl IntoResponse {
    Json(LivenessResponse { status: "alive" })
}

/// Reports whether the process is ready; the same as `/health/ready`.
#[utoipa::path(
    get,
    path = "/health",
    tag = "service",
    operation_id = "health",
    responses(
        (status = 200, description = "Ready to accept requests.", body = HealthResponse),
        (status = 503, description = "Not ready; the body names the failed check.", body = HealthResponse),
    ),
)]
pub(crate) async fn health(checks: State<HealthChecks>) -> impl IntoResponse {
    ready(checks).await
}

/// Reports whether the process is ready to accept requests.
#[utoipa::path(
    get,
    path = "/health/ready",
    tag = "service",
    operation_id = "ready",
    responses(
        (status = 200, description = "Ready to accept requests.", body = HealthResponse),
        (status = 503, description = "Not ready; the body names the failed check.", body = HealthResponse),
    ),
)]
pub(crate) async fn ready(State(checks): State<HealthChecks>) -> impl IntoResponse {
    let health = checks.run().await;
    let name = |good: bool| if good { "ok" } else { "error" };
    let body = HealthResponse {
        status: if health.is_ready() { "healthy" } else { "degraded" },
        database: name(health.database),
        storage: name(health.storage),
    };
    let status = if health.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(body))
}
