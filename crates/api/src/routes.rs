//! Every route of the REST API and of the pages, and the middleware that requests pass, on one page.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Redirect;
use axum::routing::{get, patch, post};

use crate::middleware::{
    access_audit, auth, body_limit, client_limit, compression, host_check, panic, query_parameters,
    rate_limit, request_id, security_headers, slow_body,
};
use crate::pages::login::LoginState;
use crate::rest::{
    calibration, documents, events, governance, health, lanes, links, metrics, model_usage, openapi,
    proposals, review, runs, search, version,
};
use crate::{ApiError, AppState, Server, error_pages, pages};

/// All routes of a process. A worker has no documents: it serves its health, metrics and version alone.
pub fn router(server: Server) -> Router {
    let mut router = Router::new();
    if let Some(state) = &server.state {
        router = router.merge(rest_routes(state, &server)).merge(page_routes(state, &server));
    }
    let router = router
        // Liveness checks nothing else: a slow database must not restart the process.
        .route("/health/live", get(health::live))
        .route("/health", get(health::health))
        .route("/health/ready", get(health::ready))
        .route("/metrics", get(metrics::scrape))
        .route("/version", get(version::version))
        .with_state(server.clone());
    with_middleware(router, server)
}

/// The REST API.
fn rest_routes(state: &AppState, server: &Server) -> Router<Server> {
    Router::new()
        .route("/documents", get(documents::list).post(documents::upload::upload_with_details))
        .route("/documents/upload", post(documents::upload::upload))
        .route("/documents/export", get(documents::export))
        .route("/documents/{id}", get(documents::detail))
        .route("/documents/{id}/download", get(documents::download))
        .route("/documents/{id}/reprocess", post(documents::reprocess))
        .route("/documents/{id}/language", patch(documents::set_language))
        .route("/documents/{id}/hide", post(documents::hide::hide).delete(documents::hide::unhide))
        .route("/documents/{id}/processing-history", get(documents::history))
        .route("/documents/{id}/jobs", get(documents::jobs))
        .route("/documents/{id}/hits", get(search::hits::hits))
        .route("/documents/{id}/similar", get(search::similar::similar))
        .route("/documents/{id}/pages", get(documents::pages))
        .route("/documents/{id}/pages/{number}", get(documents::page))
        .route("/documents/{id}/pages/{number}/image", get(documents::page_image))
        .route("/documents/{id}/review", get(review::show))
        .route("/documents/{id}/compare", get(review::compare))
        .route("/documents/{id}/reviewed", post(review::mark).delete(review::reopen))
        .route("/calibration", get(calibration::show))
        .route("/events", get(events::follow))
        .route("/lanes", get(lanes::list))
        .route("/lanes/{name}/pause", post(lanes::pause))
        .route("/lanes/{name}/resume", post(lanes::resume))
        .route("/model-usage", get(model_usage::show))
        .route("/search", get(search::find::find))
        .route("/ask", post(search::ask::ask))
        .route("/runs/{id}", get(runs::show))
        .route("/runs/{id}/artifacts/raw-text", get(runs::raw_text))
        .route("/runs/{id}/withdraw", post(runs::withdraw))
        .route("/runs/{id}/cancel", post(runs::cancel))
        .route("/runs/{id}/retry", post(runs::retry))
        .route("/runs/{id}/interpretations", get(review::versions).post(review::edit))
        .route("/v1/full-review", post(proposals::full_review))
        .route("/v1/expand-idea", post(proposals::expand_idea))
        .route("/v1/review-idea", post(proposals::review_idea))
        .route("/v1/runs", get(proposals::list))
        .route("/v1/runs/{id}", get(proposals::show))
        .route("/v1/runs/{id}/retry", post(proposals::retry))
        .route("/v1/runs/{id}/revisions", post(proposals::revise))
        .route("/v1/runs/{first}/diff/{second}", get(proposals::diff))
        .route("/v1/requests", post(links::create::create))
        .route("/v1/requests/{id}", get(links::show::show))
        .route("/v1/requests/{id}/status", get(links::status::status))
        .route("/v1/requests/{id}/retry", post(links::retry::retry))
        .route("/v1/summaries", get(links::summaries::list))
        .route(
            "/v1/summaries/{id}",
            get(links::summary::show).patch(links::summary::mark).delete(links::summary::delete),
        )
        .route("/reviewer/structural-changes", get(governance::structural_changes))
        .route("/reviewer/structural-changes/{id}/decision", post(governance::decide))
        .route("/reviewer/schema/current", get(governance::current))
        .route("/reviewer/governance/audit-trail", get(governance::audit_trail))
        // The description of all operations, for programs and for people.
        .route("/openapi.json", get(openapi::show))
        .route("/docs", get(openapi::docs::show))
        .route("/docs/style.css", get(openapi::docs::style))
        // An explanation of each error code.
        .route("/errors", get(error_pages::list))
        .route("/errors/style.css", get(error_pages::style))
        .route("/errors/{code}", get(error_pages::show))
        .layer(from_fn(query_parameters::refuse_unknown))
        .layer(body_limit::layer())
        // Inside the rate limit: only requests that reach their handler are audited.
        .layer(from_fn_with_state(state.audit.clone(), access_audit::record))
        .layer(from_fn_with_state(server.rate_limits.clone(), rate_limit::enforce))
        .with_state(state.clone())
}

/// The pages of the web interface.
fn page_routes(state: &AppState, server: &Server) -> Router<Server> {
    let login = Router::new()
        .route("/app/login", get(pages::login::show).post(pages::login::log_in))
        .route("/app/logout", post(pages::login::log_out))
        .route("/app/session", get(pages::login::session))
        .with_state(LoginState::new(state.clone(), server));
    Router::new()
        .route("/", get(|| async { Redirect::to("/app") }))
        .route("/app", get(pages::inbox::show))
        .route("/app/rows", get(pages::inbox::rows))
        .route("/app/documents/{id}", get(pages::review::show))
        .route("/app/documents/{id}/work", get(pages::review::work))
        .route("/app/documents/{id}/versions", get(pages::review::history::show))
        .route("/app/documents/{id}/compare", get(pages::review::compare::show))
        .route("/app/documents/{id}/next", get(pages::review::next::lead))
        .route("/app/documents/{id}/runs", get(pages::runs::show))
        .route("/app/documents/{id}/runs/list", get(pages::runs::list))
        .route("/app/search", get(pages::search::show))
        .route("/app/search/results", get(pages::search::results))
        .route("/app/proposals", get(pages::proposals::list::show))
        .route("/app/proposals/rows", get(pages::proposals::list::rows))
        .route("/app/proposals/{id}", get(pages::proposals::show::show))
        .route("/app/proposals/{id}/now", get(pages::proposals::show::now))
        .route("/app/proposals/{first}/compare/{second}", get(pages::proposals::compare::show))
        .route("/app/model-usage", get(pages::model_usage::show))
        .route("/app/links", get(pages::links::list::show))
        .route("/app/links/rows", get(pages::links::list::rows))
        .route("/app/links/{id}", get(pages::links::show::show))
        .route("/app/links/{id}/now", get(pages::links::show::now))
        .route("/app/operations", get(pages::operations::show))
        .route("/app/operations/now", get(pages::operations::now))
        .route("/app/governance", get(pages::governance::candidates::show))
        .route("/app/governance/candidates", get(pages::governance::candidates::list))
        .route("/app/governance/schemas", get(pages::governance::schemas::show))
        .route("/app/governance/trail", get(pages::governance::trail::show))
        .route("/app/governance/reliability", get(pages::governance::reliability::show))
        .route("/app/preferences", post(pages::preferences::choose))
        .route("/assets/{folder}/{*name}", get(pages::assets::show))
        .layer(from_fn_with_state(state.audit.clone(), access_audit::record))
        .with_state(state.clone())
        .merge(login)
        .layer(from_fn_with_state(state.clone(), pages::error_page::show))
        .layer(compression::layer())
}

/// Wraps the routes in the middleware of every request. The last layer is the first that a request meets.
fn with_middleware(router: Router, server: Server) -> Router {
    let Server { auth, origins, connections, hsts, state, .. } = server;
    let router = router
        .fallback(|| async { ApiError::no_such_page() })
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .layer(from_fn_with_state(origins.clone(), host_check::require_local))
        .layer(from_fn_with_state(auth, auth::authenticate))
        // A browser without a login is redirected to it, and reads on a page what it may not do.
        .layer(from_fn_with_state(state, pages::login_redirect::redirect));
    let router = match origins.layer() {
        // Outside of authentication: a browser's preflight request carries no key.
        Some(layer) => router.layer(layer),
        None => router,
    };
    router
        .layer(from_fn(panic::catch))
        .layer(from_fn(body_limit::refuse_large_forms))
        .layer(from_fn_with_state(connections.client_timeout, slow_body::refuse))
        .layer(from_fn_with_state(client_limit::ClientRequests::new(&connections), client_limit::enforce))
        // Outside of everything that can fail, so that each response has its id and each error its body.
        .layer(from_fn(request_id::attach))
        .layer(from_fn_with_state(hsts.0, security_headers::add))
}

#[cfg(test)]
#[path = "routes_tests.rs"]
pub(crate) mod tests;
