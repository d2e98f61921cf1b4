//! The metrics of this process, for Prometheus.

use async_trait::async_trait;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::Server;

/// Writes the metrics of a process.
#[async_trait]
pub trait Exposition: Send + Sync {
    /// All metrics in the Prometheus text format. Called for each scrape, so it must be cheap.
    async fn render(&self) -> String;
}

/// Returns the metrics of this process in the Prometheus text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "service",
    operation_id = "metrics",
    responses((status = 200, description = "Metrics.", body = String, content_type = "text/plain")),
)]
pub(crate) async fn scrape(State(server): State<Server>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.render().await)
}
