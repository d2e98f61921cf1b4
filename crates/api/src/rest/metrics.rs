//! The metrics of this process, for Prometheus.

use async_trait::async_trait;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::Server;

/// Whoever can write the metrics down.
#[async_trait]
pub trait Exposition: Send + Sync {
    /// All of them, in the Prometheus text format. Called for each scrape, so it must be cheap.
    async fn render(&self) -> String;
}

/// Gives the metrics of this process, as Prometheus reads them.
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
