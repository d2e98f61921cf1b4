//! Redirects browsers without a login to the login page, and shows other refusals of authentication as a page.

use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::error_page::{error_page, wants_page};
use super::visitor::Visitor;
use crate::{ApiError, AppState, Code};

/// Runs the request, and answers a browser with a page.
pub(crate) async fn redirect(
    State(state): State<Option<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path();
    let is_page = path == "/app" || path.starts_with("/app/");
    let is_looked_at = is_page && parts.method == Method::GET && wants_page(&parts.headers);
    let visitor = match state.filter(|_| is_looked_at) {
        Some(state) => Visitor::from_request_parts(&mut parts, &state).await.ok(),
        None => None,
    };
    let response = next.run(Request::from_parts(parts, body)).await;
    let error = response.extensions().get::<ApiError>().cloned();
    match (visitor, error) {
        (Some(visitor), Some(error)) if error.code == Code::Unauthorized => to_login(&visitor.address),
        (Some(visitor), Some(error)) => {
            error_page(visitor.identified_by(response.extensions()), &error, &response).unwrap_or(response)
        }
        _ => response,
    }
}

/// The login page, which then opens the wanted page.
pub(super) fn to_login(wanted: &str) -> Response {
    let wanted: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
    Redirect::to(&format!("/app/login?next={wanted}")).into_response()
}
