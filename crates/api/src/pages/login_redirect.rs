//! What the guard refuses, for people: whoever is to say who they are is led to the login, and whoever may not do something
//! reads so on a page.

use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::error_page::{looks, made};
use super::visitor::Visitor;
use crate::{ApiError, AppState, Code};

/// Passes everything on, and answers browsers that look at a page with a page.
pub(crate) async fn redirect(
    State(state): State<Option<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path();
    let is_page = path == "/app" || path.starts_with("/app/");
    let is_looked_at = is_page && parts.method == Method::GET && looks(&parts.headers);
    let visitor = match state.filter(|_| is_looked_at) {
        Some(state) => Visitor::from_request_parts(&mut parts, &state).await.ok(),
        None => None,
    };
    let response = next.run(Request::from_parts(parts, body)).await;
    let error = response.extensions().get::<ApiError>().cloned();
    match (visitor, error) {
        (Some(visitor), Some(error)) if error.code == Code::Unauthorized => to_login(&visitor.address),
        (Some(visitor), Some(error)) => {
            made(visitor.found_in(response.extensions()), &error, &response).unwrap_or(response)
        }
        _ => response,
    }
}

/// The login, from where the page that was wanted comes next.
pub(super) fn to_login(wanted: &str) -> Response {
    let wanted: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
    Redirect::to(&format!("/app/login?next={wanted}")).into_response()
}
