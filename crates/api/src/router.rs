//! Everything that can be asked over HTTP, on one page.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, patch, post};

use crate::request::LARGEST_BODY;
use crate::{ApiError, Product, Surface, documents, health, metrics, neighbours, request_id, runs, version};

/// The surface of a Quire process.
pub fn router(surface: Surface) -> Router {
    let product = surface.product.clone().map(product).unwrap_or_default();
    Router::new()
        // Is the process there? Never asks anything else, so that a slow database does not get it restarted.
        .route("/health/live", get(health::live))
        // Can it do its work?
        .route("/health", get(health::ready))
        .route("/health/ready", get(health::ready))
        // What has it done?
        .route("/metrics", get(metrics::scrape))
        .route("/version", get(version::version))
        .with_state(surface)
        .merge(product)
        .fallback(|| async { ApiError::no_such_page() })
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        // Outermost, so that every answer has its id and every error its body.
        .layer(middleware::from_fn(request_id::attach))
}

/// Documents and their runs.
fn product(product: Product) -> Router {
    Router::new()
        .route("/documents", get(documents::list).post(documents::upload::add))
        .route("/documents/upload", post(documents::upload::create))
        .route("/documents/{id}", get(documents::detail))
        .route("/documents/{id}/download", get(documents::download))
        .route("/documents/{id}/reprocess", post(documents::reprocess))
        .route("/documents/{id}/language", patch(documents::set_language))
        .route("/documents/{id}/processing-history", get(documents::history))
        .route("/documents/{id}/jobs", get(documents::jobs))
        .route("/documents/{id}/pages", get(documents::pages))
        .route("/documents/{id}/pages/{number}", get(documents::page))
        .route("/documents/{id}/pages/{number}/image", get(documents::page_image))
        .route("/runs/{id}", get(runs::show))
        .route("/runs/{id}/artifacts/raw-text", get(runs::raw_text))
        .route("/runs/{id}/withdraw", post(runs::withdraw))
        .route("/runs/{id}/retry", post(runs::retry))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        // Before anything is read of the request.
        .layer(middleware::from_fn(neighbours::only))
        .with_state(product)
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
