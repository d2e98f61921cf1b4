//! People who are logged in: their browser sends a cookie where a program sends a key.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use jiff::SignedDuration;
use quire_application::credential::KeyHolder;
use quire_application::session::SessionSecret;
use serde_json::json;

use super::{Auth, unanswered};
use crate::middleware::csrf;
use crate::pages::visitor::cookie;
use crate::{ApiError, Code};

/// The cookie with a session's secret.
pub(crate) const COOKIE: &str = "quire_session";
/// With what scripts prove that they are ours.
const FORM_TOKEN: &str = "x-csrf-token";

/// What a page knows of the session that it is shown in.
#[derive(Clone, Debug)]
pub(crate) struct BySession {
    /// The name of whoever is logged in.
    pub(crate) name: String,
    /// What forms and scripts send back.
    pub(crate) form_token: String,
}

impl Auth {
    /// Whose session the request belongs to, if it has one that goes on.
    pub(crate) async fn session(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<(KeyHolder, SessionSecret)>, ApiError> {
        let Some(secret) = secret(headers) else { return Ok(None) };
        let holder = self.authenticator.session_holder(&secret).await.map_err(unanswered)?;
        Ok(holder.map(|holder| (holder, secret)))
    }

    /// Logs in whoever has that key: their name and the secret of a new session, in place of the one they had.
    pub(crate) async fn log_in(
        &self,
        presented: &str,
        headers: &HeaderMap,
    ) -> Result<Option<(String, SessionSecret)>, ApiError> {
        Ok(self.authenticator.log_in(presented, secret(headers).as_ref()).await?)
    }

    /// Ends a session.
    pub(crate) async fn log_out(&self, secret: &SessionSecret) -> Result<(), ApiError> {
        Ok(self.authenticator.log_out(secret).await?)
    }

    /// How long a browser may keep a session's secret.
    pub(crate) fn lifetime(&self) -> SignedDuration {
        self.authenticator.session_lifetime()
    }
}

/// The secret that a browser sends.
pub(crate) fn secret(headers: &HeaderMap) -> Option<SessionSecret> {
    SessionSecret::parse(cookie(headers, COOKIE)?)
}

/// What changes something must come from a page of ours, and say what only that page knows.
pub(super) fn require_own_page(request: &Parts, secret: &SessionSecret) -> Result<(), ApiError> {
    if request.method.is_safe() {
        return Ok(());
    }
    csrf::refuse_other_sites(request)?;
    let given = request.headers.get(FORM_TOKEN).and_then(|given| given.to_str().ok());
    require_form_token(secret, given)
}

/// Refuses what does not have the token of its session.
pub(crate) fn require_form_token(secret: &SessionSecret, given: Option<&str>) -> Result<(), ApiError> {
    if given.is_some_and(|given| secret.is_form_token(given)) {
        return Ok(());
    }
    let message = "this page belongs to another login; load it again, then repeat what you did";
    Err(ApiError::new(Code::Forbidden, message).with(json!({ "reason": "CSRF_TOKEN" })))
}

/// The cookie that keeps a secret for that long; none is kept for no time at all. Scripts cannot read it, pages of other
/// sites cannot have it sent, and with TLS it goes nowhere without.
pub(crate) fn kept(secret: &str, time: SignedDuration, is_encrypted: bool) -> Option<HeaderValue> {
    let (seconds, secure) = (time.as_secs(), if is_encrypted { "; Secure" } else { "" });
    let cookie = format!("{COOKIE}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).ok()
}
