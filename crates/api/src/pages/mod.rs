//! The pages that people work in: made by the server, with small scripts for what must be live.
//!
//! A page is a template of `templates/` and what it shows; its texts are in `words/`, its styles and scripts in `assets/`.
//! What a script changes it changes by the same requests as every other program, and it shows parts of pages that the
//! server made: nothing is laid out twice.

mod assets;
pub(crate) mod entrance;
mod frame;
mod governance;
mod inbox;
mod login;
mod moments;
mod operations;
mod plot;
mod preferences;
mod review;
mod runs;
mod squeeze;
mod trouble;
pub(crate) mod visitor;
pub mod words;

use axum::Router;
use axum::middleware;
use axum::response::Redirect;
use axum::routing::{get, post};

use self::login::Desk;
use crate::{AppState, Server, audit};

/// What needs no role: these hold nothing of anybody's.
pub(crate) const FOR_EVERYBODY: [&str; 5] =
    ["/", "/app/login", "/app/logout", "/app/preferences", "/assets/{folder}/{*name}"];

/// Every page, and what pages are made of.
pub(crate) fn router(app: AppState, server: &Server) -> Router {
    let desk = Desk::new(app.clone(), server);
    Router::new()
        .route("/", get(|| async { Redirect::to("/app") }))
        .route("/app/governance", get(governance::candidates::show))
        .route("/app/governance/candidates", get(governance::candidates::list))
        .route("/app/governance/schemas", get(governance::schemas::show))
        .route("/app/governance/trail", get(governance::trail::show))
        .route("/app/governance/reliability", get(governance::reliability::show))
        .route("/app", get(inbox::show))
        .route("/app/documents/{id}/runs", get(runs::show))
        .route("/app/documents/{id}/runs/list", get(runs::list))
        .route("/app/operations", get(operations::show))
        .route("/app/operations/now", get(operations::now))
        .route("/app/documents/{id}", get(review::show))
        .route("/app/documents/{id}/work", get(review::work))
        .route("/app/documents/{id}/versions", get(review::history::show))
        .route("/app/documents/{id}/compare", get(review::compare::show))
        .route("/app/documents/{id}/next", get(review::next::lead))
        .route("/app/rows", get(inbox::rows))
        .route("/app/preferences", post(preferences::choose))
        .route("/assets/{folder}/{*name}", get(assets::show))
        .layer(middleware::from_fn_with_state(app.audit.clone(), audit::note))
        .with_state(app.clone())
        .merge(login::router(desk))
        .layer(middleware::from_fn_with_state(app, trouble::show))
        .layer(middleware::from_fn(squeeze::squeeze))
}
