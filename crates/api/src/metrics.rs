//! The metrics of this process, for Prometheus.

use async_trait::async_trait;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::Surface;

/// Whoever can write the metrics down.
#[async_trait]
pub trait Exposition: Send + Sync {
    /// All of them, in the Prometheus text format. Called for each scrape, so it must be cheap.
    async fn render(&self) -> String;
}

pub(crate) async fn scrape(State(surface): State<Surface>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], surface.metrics.render().await)
}
