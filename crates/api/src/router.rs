//! Everything that can be asked over HTTP, on one page.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, patch, post};

use crate::request::LARGEST_BODY;
use crate::{
    ApiError, AppState, Guard, Origins, Server, audit, calibration, documents, error_pages, events,
    governance, guard, headers, health, limits, metrics, neighbours, openapi, pages, panics, request_id,
    review, runs, version,
};

/// The routes of a Quire process.
pub fn router(server: Server) -> Router {
    let app = server.app.clone();
    let documents = app.clone().map(|app| document_routes(app, &server)).unwrap_or_default();
    let (guard, origins) = (server.guard.clone(), server.origins.clone());
    let router = Router::new()
        // Is the process there? Never asks anything else, so that a slow database does not get it restarted.
        .route("/health/live", get(health::live))
        // Can it do its work?
        .route("/health", get(health::health))
        .route("/health/ready", get(health::ready))
        // What has it done?
        .route("/metrics", get(metrics::scrape))
        .route("/version", get(version::version))
        .with_state(server)
        .merge(documents);
    guarded(router, guard, &origins, app)
}

/// What every request passes; the last layer is the first that it meets.
fn guarded(router: Router, guard: Arc<Guard>, origins: &Origins, app: Option<AppState>) -> Router {
    let router = router
        .fallback(|| async { ApiError::no_such_page() })
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .layer(middleware::from_fn_with_state(origins.clone(), neighbours::only))
        .layer(middleware::from_fn_with_state(guard, guard::ask))
        // People are led to the login, and told on a page what they may not do.
        .layer(middleware::from_fn_with_state(app, pages::entrance::keep));
    let router = match origins.layer() {
        // A browser's question whether it may ask carries no key.
        Some(layer) => router.layer(layer),
        None => router,
    };
    router
        .layer(middleware::from_fn(panics::catch))
        // Outside of all that may fail, so that every answer has its id and every error its body.
        .layer(middleware::from_fn(request_id::attach))
        .layer(middleware::from_fn(headers::add))
}

/// Documents and their runs.
fn document_routes(app: AppState, server: &Server) -> Router {
    Router::new()
        .route("/documents", get(documents::list).post(documents::upload::add))
        .route("/documents/upload", post(documents::upload::create))
        .route("/documents/export", get(documents::export))
        .route("/documents/{id}", get(documents::detail))
        .route("/documents/{id}/download", get(documents::download))
        .route("/documents/{id}/reprocess", post(documents::reprocess))
        .route("/documents/{id}/language", patch(documents::set_language))
        .route("/documents/{id}/processing-history", get(documents::history))
        .route("/documents/{id}/jobs", get(documents::jobs))
        .route("/documents/{id}/pages", get(documents::pages))
        .route("/documents/{id}/pages/{number}", get(documents::page))
        .route("/documents/{id}/pages/{number}/image", get(documents::page_image))
        .route("/documents/{id}/review", get(review::show))
        .route("/documents/{id}/compare", get(review::compare))
        .route("/documents/{id}/reviewed", post(review::mark).delete(review::reopen))
        .route("/calibration", get(calibration::show))
        .route("/events", get(events::follow))
        .route("/runs/{id}", get(runs::show))
        .route("/runs/{id}/artifacts/raw-text", get(runs::raw_text))
        .route("/runs/{id}/withdraw", post(runs::withdraw))
        .route("/runs/{id}/retry", post(runs::retry))
        .route("/runs/{id}/interpretations", get(review::versions).post(review::edit))
        .route("/reviewer/structural-changes", get(governance::structural_changes))
        .route("/reviewer/structural-changes/{id}/decision", post(governance::decide))
        .route("/reviewer/schema/current", get(governance::current))
        .route("/reviewer/governance/audit-trail", get(governance::audit_trail))
        // All of this, described for programs and for people.
        .route("/openapi.json", get(openapi::show))
        .route("/docs", get(openapi::docs::show))
        .route("/docs/style.css", get(openapi::docs::style))
        // What each code of an error means.
        .route("/errors", get(error_pages::list))
        .route("/errors/style.css", get(error_pages::style))
        .route("/errors/{code}", get(error_pages::show))
        // A misspelt filter is not passed over.
        .layer(middleware::from_fn(openapi::known_parameters))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        // What was let through is remembered, and nothing else.
        .layer(middleware::from_fn_with_state(app.audit.clone(), audit::note))
        .layer(middleware::from_fn_with_state(server.limits.clone(), limits::hold))
        .with_state(app.clone())
        // The pages that people work in.
        .merge(pages::router(app, server))
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
