//! `/app/login` and `/app/logout`: exchanges a key for a session.
//!
//! Logins, logouts and the addresses of failed logins go to the log.

use std::sync::Arc;

use askama::Template;
use axum::body::Bytes;
use axum::extract::{FromRef, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use jiff::SignedDuration;
use quire_domain::EventId;

use super::frame::{Frame, NavigationItem, page};
use super::preferences::back;
use super::visitor::Visitor;
use crate::middleware::auth::session::{cookie_header, require_form_token};
use crate::middleware::csrf::refuse_other_sites;
use crate::request::Parameters;
use crate::{ApiError, AppState, Auth, RateLimits, Server};

/// The state of the login pages.
#[derive(Clone)]
pub(crate) struct LoginState {
    app: AppState,
    auth: Arc<Auth>,
    rate_limits: Arc<RateLimits>,
}

impl LoginState {
    pub(crate) fn new(app: AppState, server: &Server) -> Self {
        Self { app, auth: server.auth.clone(), rate_limits: server.rate_limits.clone() }
    }
}

impl FromRef<LoginState> for AppState {
    fn from_ref(state: &LoginState) -> Self {
        state.app.clone()
    }
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    frame: Frame,
    /// The page to open after the login.
    next: String,
    /// Why the login failed.
    trouble: Option<String>,
}

/// `GET /app/login`: the form. Redirects a visitor who needs no login.
pub(crate) async fn show(
    State(state): State<LoginState>,
    visitor: Visitor,
    parameters: Parameters,
    parts: Parts,
) -> Result<Response, ApiError> {
    let next = back(parameters.text("next"));
    if !state.auth.is_required().await? || state.auth.session(&parts.headers).await?.is_some() {
        return Ok(redirect_to(next, None));
    }
    form(visitor, &next, None)
}

/// `POST /app/login`: begins a session for the holder of a key.
pub(crate) async fn log_in(
    State(state): State<LoginState>,
    visitor: Visitor,
    parts: Parts,
    given: Bytes,
) -> Result<Response, ApiError> {
    let given = Parameters::of(&String::from_utf8_lossy(&given));
    let next = back(given.text("next"));
    if !state.auth.is_required().await? {
        return Ok(redirect_to(next, None));
    }
    // Otherwise another site could log a visitor in under its own key, and read the visitor's uploads.
    refuse_other_sites(&parts)?;
    if let Err(seconds) = state.rate_limits.try_login(&parts) {
        return too_many_attempts(visitor, &next, seconds);
    }
    let key = given.text("key").unwrap_or_default().trim();
    let Some((name, secret)) = state.auth.log_in(key, &parts.headers).await? else {
        let address = state.rate_limits.address(&parts).map(tracing::field::display);
        tracing::warn!(address, "login refused");
        let wrong = visitor.language.words().get("login.invalid_key").to_owned();
        return Ok((StatusCode::UNAUTHORIZED, form(visitor, &next, Some(wrong))?).into_response());
    };
    state.rate_limits.logged_in(&parts);
    tracing::info!(who = name, "logged in");
    let cookie =
        cookie_header(&secret.reveal(), state.auth.lifetime(), state.rate_limits.is_encrypted(&parts));
    Ok(redirect_to(next, cookie))
}

/// `POST /app/logout`: ends the session and deletes its cookie.
pub(crate) async fn log_out(
    State(state): State<LoginState>,
    parts: Parts,
    given: Bytes,
) -> Result<Response, ApiError> {
    refuse_other_sites(&parts)?;
    if let Some((holder, secret)) = state.auth.session(&parts.headers).await? {
        let given = Parameters::of(&String::from_utf8_lossy(&given));
        require_form_token(&secret, given.text("csrf"))?;
        state.auth.log_out(&secret).await?;
        tracing::info!(who = holder.name, "logged out");
    }
    let forgotten = cookie_header("", SignedDuration::ZERO, state.rate_limits.is_encrypted(&parts));
    Ok(redirect_to(HeaderValue::from_static("/app/login"), forgotten))
}

fn form(mut visitor: Visitor, next: &HeaderValue, trouble: Option<String>) -> Result<Response, ApiError> {
    let next = next.to_str().unwrap_or("/app").to_owned();
    let encoded: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    // The form may answer a POST, to which no link leads back.
    visitor.address = format!("/app/login?next={encoded}");
    let frame = Frame::new(visitor, NavigationItem::Inbox, &[], EventId(0));
    page(&LoginPage { frame, next, trouble })
}

fn too_many_attempts(visitor: Visitor, next: &HeaderValue, seconds: u64) -> Result<Response, ApiError> {
    let message = visitor.language.words().count("login.too_many_attempts", seconds);
    let mut response = form(visitor, next, Some(message))?;
    *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    Ok(response)
}

fn redirect_to(address: HeaderValue, cookie: Option<HeaderValue>) -> Response {
    let cookie = cookie.map(|cookie| (header::SET_COOKIE, cookie));
    let headers =
        [(header::LOCATION, address), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::SEE_OTHER, AppendHeaders(cookie), headers).into_response()
}
