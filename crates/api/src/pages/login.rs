//! `/app/login` and `/app/logout`: a key in exchange for a session, while anybody is asked who they are.
//!
//! Who logged in and out, and from where somebody tried in vain, goes to the log.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRef, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::routing::{get, post};
use jiff::SignedDuration;
use quire_domain::EventId;

use super::frame::{Frame, Part, page};
use super::preferences::back;
use super::visitor::Visitor;
use crate::guard::session::{kept, require_form_token};
use crate::guard::sites::refuse_others;
use crate::request::Parameters;
use crate::{ApiError, AppState, Guard, Limits, Server};

/// Where people log in and out: what that needs.
#[derive(Clone)]
pub(super) struct Desk {
    app: AppState,
    guard: Arc<Guard>,
    limits: Arc<Limits>,
}

impl Desk {
    pub(super) fn new(app: AppState, server: &Server) -> Self {
        Self { app, guard: server.guard.clone(), limits: server.limits.clone() }
    }
}

impl FromRef<Desk> for AppState {
    fn from_ref(desk: &Desk) -> Self {
        desk.app.clone()
    }
}

pub(super) fn router(desk: Desk) -> Router {
    Router::new()
        .route("/app/login", get(show).post(enter))
        .route("/app/logout", post(leave))
        .with_state(desk)
}

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    frame: Frame,
    /// Where to go then.
    next: String,
    /// Why it did not work.
    trouble: Option<String>,
}

/// `GET /app/login`: the form. Whoever need not log in goes on.
async fn show(
    State(desk): State<Desk>,
    visitor: Visitor,
    parameters: Parameters,
    parts: Parts,
) -> Result<Response, ApiError> {
    let next = back(parameters.text("next"));
    if !desk.guard.is_closed().await? || desk.guard.session(&parts.headers).await?.is_some() {
        return Ok(lead_to(next, None));
    }
    form(visitor, &next, None)
}

/// `POST /app/login`: begins a session for whoever has a key.
async fn enter(
    State(desk): State<Desk>,
    visitor: Visitor,
    parts: Parts,
    given: Bytes,
) -> Result<Response, ApiError> {
    let given = Parameters::of(&String::from_utf8_lossy(&given));
    let next = back(given.text("next"));
    if !desk.guard.is_closed().await? {
        return Ok(lead_to(next, None));
    }
    // Else another site could log somebody in as whom it likes, and read what they then bring in.
    refuse_others(&parts)?;
    if let Err(seconds) = desk.limits.try_login(&parts) {
        return too_often(visitor, &next, seconds);
    }
    let key = given.text("key").unwrap_or_default().trim();
    let Some((name, secret)) = desk.guard.log_in(key, &parts.headers).await? else {
        let address = desk.limits.address(&parts).map(tracing::field::display);
        tracing::warn!(address, "a login was refused");
        let wrong = visitor.language.words().get("login.wrong").to_owned();
        return Ok((StatusCode::UNAUTHORIZED, form(visitor, &next, Some(wrong))?).into_response());
    };
    desk.limits.logged_in(&parts);
    tracing::info!(who = name, "logged in");
    let cookie = kept(&secret.reveal(), desk.guard.lifetime(), desk.limits.is_encrypted(&parts));
    Ok(lead_to(next, cookie))
}

/// `POST /app/logout`: ends the session, and has the browser forget it.
async fn leave(State(desk): State<Desk>, parts: Parts, given: Bytes) -> Result<Response, ApiError> {
    refuse_others(&parts)?;
    if let Some((holder, secret)) = desk.guard.session(&parts.headers).await? {
        let given = Parameters::of(&String::from_utf8_lossy(&given));
        require_form_token(&secret, given.text("csrf"))?;
        desk.guard.log_out(&secret).await?;
        tracing::info!(who = holder.name, "logged out");
    }
    let forgotten = kept("", SignedDuration::ZERO, desk.limits.is_encrypted(&parts));
    Ok(lead_to(HeaderValue::from_static("/app/login"), forgotten))
}

fn form(mut visitor: Visitor, next: &HeaderValue, trouble: Option<String>) -> Result<Response, ApiError> {
    let next = next.to_str().unwrap_or("/app").to_owned();
    let encoded: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    // What this page is an answer to may be a form, to which nothing leads back.
    visitor.address = format!("/app/login?next={encoded}");
    let frame = Frame::new(visitor, Part::Inbox, &[], EventId(0));
    page(&Login { frame, next, trouble })
}

fn too_often(visitor: Visitor, next: &HeaderValue, seconds: u64) -> Result<Response, ApiError> {
    let message = visitor.language.words().count("login.too_often", seconds);
    let mut response = form(visitor, next, Some(message))?;
    *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    Ok(response)
}

fn lead_to(address: HeaderValue, cookie: Option<HeaderValue>) -> Response {
    let cookie = cookie.map(|cookie| (header::SET_COOKIE, cookie));
    let headers =
        [(header::LOCATION, address), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::SEE_OTHER, AppendHeaders(cookie), headers).into_response()
}
