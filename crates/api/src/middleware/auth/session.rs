//! Sessions of the pages: a browser sends a cookie where a program sends a key.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use jiff::SignedDuration;
use quire_application::credential::KeyHolder;
use quire_application::session::{SessionSecret, SessionUse};
use serde_json::json;

use super::refusal::{AuthRefusal, count};
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
    /// The holder of a session that has not ended.
    pub(super) async fn session(
        &self,
        request: &Parts,
        secret: &SessionSecret,
        activity: SessionUse,
    ) -> Result<KeyHolder, AuthRefusal> {
        let text = secret.reveal();
        self.limits.check_credential(request, &text).map_err(AuthRefusal::TooManyWrong)?;
        let holder = self.authenticator.session_holder(secret, activity).await.map_err(lookup_failed)?;
        match holder {
            Some(holder) => {
                self.limits.credential_was_right(request, &text);
                Ok(holder)
            }
            None => {
                Err(AuthRefusal::SessionEnded { is_first: self.limits.session_was_wrong(request, &text) })
            }
        }
    }

    /// The session of a request to an address that needs none, and its holder.
    pub(crate) async fn current_session(
        &self,
        request: &Parts,
    ) -> Result<Option<(KeyHolder, SessionSecret)>, AuthRefusal> {
        let Some(secret) = secret(&request.headers) else { return Ok(None) };
        match self.session(request, &secret, SessionUse::Background).await {
            Ok(holder) => Ok(Some((holder, secret))),
            Err(AuthRefusal::SessionEnded { .. }) => Ok(None),
            Err(refused) => Err(refused),
        }
    }

    /// Exchanges a key for a new session that replaces the current one. If the name of the holder must be `expected` and is
    /// another one, no session begins.
    pub(crate) async fn log_in(
        &self,
        request: &Parts,
        presented: &str,
        expected: Option<&str>,
    ) -> Result<(String, SessionSecret), AuthRefusal> {
        let holder = self.holder(request, presented).await?;
        if expected.is_some_and(|name| name != holder.name) {
            count("other_person");
            let message =
                "this is the key of another person; log in with the key that this page was opened with";
            let error = ApiError::new(Code::Forbidden, message).with(json!({ "reason": "OTHER_PERSON" }));
            return Err(AuthRefusal::Other(error));
        }
        let before = secret(&request.headers);
        let entered = self.authenticator.log_in(presented, before.as_ref()).await.map_err(ApiError::from)?;
        entered.map_err(AuthRefusal::WrongKey)
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
        return csrf::refuse_reads_of_other_sites(request);
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
    count("csrf_token");
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
