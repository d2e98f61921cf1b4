//! Sessions of the pages: a browser sends a cookie where a program sends a key.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use jiff::SignedDuration;
use quire_application::credential::KeyHolder;
use quire_application::session::SessionSecret;
use serde_json::json;

use super::{Auth, lookup_failed};
use crate::middleware::csrf;
use crate::pages::visitor::cookie;
use crate::{ApiError, Code};

/// The cookie with the secret of a session.
pub(crate) const COOKIE: &str = "quire_session";
/// The header with which scripts prove that they belong to a page of this server.
const FORM_TOKEN: &str = "x-csrf-token";

/// The session that a page is shown in.
#[derive(Clone, Debug)]
pub(crate) struct SessionInfo {
    /// The name of the user.
    pub(crate) name: String,
    /// The token that forms and scripts send back.
    pub(crate) form_token: String,
}

impl Auth {
    /// The session of the request and its holder, if it has not ended.
    pub(crate) async fn session(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<(KeyHolder, SessionSecret)>, ApiError> {
        let Some(secret) = secret(headers) else { return Ok(None) };
        let holder = self.authenticator.session_holder(&secret).await.map_err(lookup_failed)?;
        Ok(holder.map(|holder| (holder, secret)))
    }

    /// Exchanges a key for a new session that replaces the current one: the holder's name and the session's secret.
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

/// The secret in the cookie.
pub(crate) fn secret(headers: &HeaderMap) -> Option<SessionSecret> {
    SessionSecret::parse(cookie(headers, COOKIE)?)
}

/// A request that changes something must come from a page of this server and carry the token of its session.
pub(super) fn require_own_page(request: &Parts, secret: &SessionSecret) -> Result<(), ApiError> {
    if request.method.is_safe() {
        return Ok(());
    }
    csrf::refuse_other_sites(request)?;
    let given = request.headers.get(FORM_TOKEN).and_then(|given| given.to_str().ok());
    require_form_token(secret, given)
}

/// Refuses a request without the token of its session.
pub(crate) fn require_form_token(secret: &SessionSecret, given: Option<&str>) -> Result<(), ApiError> {
    if given.is_some_and(|given| secret.is_form_token(given)) {
        return Ok(());
    }
    let message = "this page belongs to another login; reload it and repeat the action";
    Err(ApiError::new(Code::Forbidden, message).with(json!({ "reason": "CSRF_TOKEN" })))
}

/// The cookie of a session. Without a lifetime it deletes the cookie. Scripts cannot read it, other sites cannot send it, and
/// over TLS it is never sent without.
pub(crate) fn cookie_header(secret: &str, time: SignedDuration, is_encrypted: bool) -> Option<HeaderValue> {
    let (seconds, secure) = (time.as_secs(), if is_encrypted { "; Secure" } else { "" });
    let cookie = format!("{COOKIE}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).ok()
}
