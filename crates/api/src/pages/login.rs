//! `/app/login`, `/app/logout` and `/app/session`: exchanges a key for a session.
//!
//! A page whose session has ended logs in with the same address, as a script: it gets JSON, and goes on where it was.
//! Logins, logouts and the addresses of failed logins go to the log.

use std::sync::Arc;

use askama::Template;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRef, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use jiff::SignedDuration;
use quire_application::credential::KeyRefusal;
use quire_application::session::SessionSecret;
use quire_domain::EventId;
use serde::Serialize;

use super::frame::{Frame, NavigationItem, page};
use super::preferences::back;
use super::visitor::Visitor;
use crate::middleware::auth::refusal::AuthRefusal;
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
    error: Option<String>,
}

/// `GET /app/login`: the form. Redirects a visitor who needs no login.
pub(crate) async fn show(
    State(state): State<LoginState>,
    visitor: Visitor,
    parameters: Parameters,
    parts: Parts,
) -> Result<Response, ApiError> {
    let next = back(parameters.non_empty("next"));
    let session = state.auth.current_session(&parts).await;
    if !state.auth.is_required().await? || session.is_ok_and(|session| session.is_some()) {
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
    let given = Parameters::parse(&String::from_utf8_lossy(&given));
    let next = back(given.non_empty("next"));
    if !state.auth.is_required().await? {
        return Ok(redirect_to(next, None));
    }
    // Otherwise another site could log a visitor in under its own key, and read the visitor's uploads.
    refuse_other_sites(&parts)?;
    let key = given.non_empty("key").unwrap_or_default().trim();
    let is_script = wants_json(&parts.headers);
    let (name, secret) = match state.auth.log_in(&parts, key, given.non_empty("name")).await {
        Ok(entered) => entered,
        Err(AuthRefusal::Other(error)) => return Err(error),
        Err(refused) => {
            let page = if is_script { None } else { Some(refused_form(visitor, &next, &refused)?) };
            let answer = refused.answer(&parts, &state.rate_limits);
            return Ok(page.unwrap_or(answer));
        }
    };
    tracing::info!(who = name, "logged in");
    let cookie =
        cookie_header(&secret.reveal(), state.auth.lifetime(), state.rate_limits.is_encrypted(&parts));
    if !is_script {
        return Ok(redirect_to(next, cookie));
    }
    let cookie = cookie.map(|cookie| (header::SET_COOKIE, cookie));
    Ok((AppendHeaders(cookie), Json(SessionResponse::new(name, &secret))).into_response())
}

/// Whether the client is a script of a page, which logs in without leaving it.
fn wants_json(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accepts.is_some_and(|accept| accept.starts_with("application/json"))
}

/// The session of a page, for its scripts.
#[derive(Serialize)]
struct SessionResponse {
    name: String,
    csrf: String,
}

impl SessionResponse {
    fn new(name: String, secret: &SessionSecret) -> Self {
        Self { name, csrf: secret.form_token() }
    }
}

/// `GET /app/session`: the current session, which another page of the browser may have begun.
pub(crate) async fn session(State(state): State<LoginState>, parts: Parts) -> Response {
    match state.auth.current_session(&parts).await {
        Ok(Some((holder, secret))) => Json(SessionResponse::new(holder.name, &secret)).into_response(),
        Ok(None) => AuthRefusal::SessionEnded { is_first: false }.into_response(),
        Err(refused) => refused.answer(&parts, &state.rate_limits),
    }
}

/// `POST /app/logout`: ends the session and deletes its cookie.
pub(crate) async fn log_out(
    State(state): State<LoginState>,
    parts: Parts,
    given: Bytes,
) -> Result<Response, ApiError> {
    refuse_other_sites(&parts)?;
    if let Some((holder, secret)) = state.auth.current_session(&parts).await.unwrap_or_default() {
        let given = Parameters::parse(&String::from_utf8_lossy(&given));
        require_form_token(&secret, given.non_empty("csrf"))?;
        state.auth.log_out(&secret).await?;
        tracing::info!(who = holder.name, "logged out");
    }
    let forgotten = cookie_header("", SignedDuration::ZERO, state.rate_limits.is_encrypted(&parts));
    Ok(redirect_to(HeaderValue::from_static("/app/login"), forgotten))
}

fn form(mut visitor: Visitor, next: &HeaderValue, error: Option<String>) -> Result<Response, ApiError> {
    let next = next.to_str().unwrap_or("/app").to_owned();
    let encoded: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    // The form may answer a POST, to which no link leads back.
    visitor.address = format!("/app/login?next={encoded}");
    let frame = Frame::new(visitor, NavigationItem::Inbox, &[], EventId(0));
    page(&LoginPage { frame, next, error })
}

/// The form again, with the reason.
fn refused_form(visitor: Visitor, next: &HeaderValue, refused: &AuthRefusal) -> Result<Response, ApiError> {
    let words = visitor.language.words();
    let AuthRefusal::TooManyWrong(seconds) = *refused else {
        let wrong = words.get(refused_word(refused)).to_owned();
        return Ok((StatusCode::UNAUTHORIZED, form(visitor, next, Some(wrong))?).into_response());
    };
    let mut response = form(visitor, next, Some(words.count("login.too_many_attempts", seconds)))?;
    *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    Ok(response)
}

/// Why a login failed, for people.
fn refused_word(refused: &AuthRefusal) -> &'static str {
    match refused {
        AuthRefusal::WrongKey(KeyRefusal::Expired(_)) => "login.expired_key",
        AuthRefusal::WrongKey(KeyRefusal::Replaced(_)) => "login.replaced_key",
        _ => "login.invalid_key",
    }
}

fn redirect_to(address: HeaderValue, cookie: Option<HeaderValue>) -> Response {
    let cookie = cookie.map(|cookie| (header::SET_COOKIE, cookie));
    let headers =
        [(header::LOCATION, address), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::SEE_OTHER, AppendHeaders(cookie), headers).into_response()
}
