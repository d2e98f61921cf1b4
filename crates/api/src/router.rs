//! Everything that can be asked over HTTP, on one page.

use axum::Router;
use axum::middleware;
use axum::routing::get;

use crate::{ApiError, Surface, health, metrics, request_id, version};

/// The surface of a Quire process.
pub fn router(surface: Surface) -> Router {
    Router::new()
        // Is the process there? Never asks anything else, so that a slow database does not get it restarted.
        .route("/health/live", get(health::live))
        // Can it do its work?
        .route("/health", get(health::ready))
        .route("/health/ready", get(health::ready))
        // What has it done?
        .route("/metrics", get(metrics::scrape))
        .route("/version", get(version::version))
        .fallback(|| async { ApiError::no_such_page() })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        // Outermost, so that every answer has its id and every error its body.
        .layer(middleware::from_fn(request_id::attach))
        .with_state(surface)
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
