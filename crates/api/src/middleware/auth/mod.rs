//! Who may ask, once anybody is asked who they are.
//!
//! As soon as there is a credential (a token in the settings, or a key that was ever made), every request but those about
//! health must carry one, and what it may do depends on its roles. Until then [`neighbours`](crate::middleware::host_check) decides.
//! A browser in which somebody logged in carries a [`session`] instead.
//! When the database cannot say whether there are keys, nobody is answered.

pub(crate) mod roles;
pub(crate) mod session;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quire_application::Error;
use quire_application::credential::{Authenticator, KeyHolder};

use self::session::{BySession, require_own_page};
use crate::caller::Caller;
use crate::middleware::drain_body::drain;
use crate::pages;
use crate::pages::visitor::Known;
use crate::{ApiError, Code};

/// For how long it is believed that there is no key.
const BELIEVED: Duration = Duration::from_secs(1);
/// And while somebody is looking.
const STILL_BELIEVED: Duration = Duration::from_secs(3);
/// Supervisors and load balancers ask these, and have no key.
pub(crate) const FOR_EVERYBODY: [&str; 3] = ["/health", "/health/live", "/health/ready"];

/// Marks a request that needed no credential where others do.
#[derive(Clone, Copy)]
pub(crate) struct PassedBy;

/// Knows the credentials.
pub struct Auth {
    authenticator: Authenticator,
    /// Set once there is a credential, for good: keys are revoked and never forgotten.
    closed: AtomicBool,
    /// When there was last seen to be no key.
    seen_open: Mutex<Option<Instant>>,
    /// Held by whoever looks.
    looking: tokio::sync::Mutex<()>,
}

impl Auth {
    /// A guard that accepts the credentials of that authenticator.
    pub fn new(authenticator: Authenticator) -> Self {
        let closed = AtomicBool::new(authenticator.has_token());
        Self { authenticator, closed, seen_open: Mutex::default(), looking: tokio::sync::Mutex::default() }
    }

    /// Whether anybody is asked who they are.
    pub(crate) async fn is_closed(&self) -> Result<bool, ApiError> {
        self.asks(Instant::now()).await.map_err(unanswered)
    }

    /// Whether a credential is needed at this moment.
    async fn asks(&self, now: Instant) -> Result<bool, Error> {
        if self.closed.load(Ordering::Relaxed) {
            return Ok(true);
        }
        if self.was_open_within(BELIEVED, now) {
            return Ok(false);
        }
        // One looks for all: a crowd of questions at the same moment would keep everybody waiting.
        let _looking = match self.looking.try_lock() {
            Ok(looking) => looking,
            Err(_) if self.was_open_within(STILL_BELIEVED, now) => return Ok(false),
            Err(_) => self.looking.lock().await,
        };
        if self.closed.load(Ordering::Relaxed) || self.was_open_within(BELIEVED, now) {
            return Ok(self.closed.load(Ordering::Relaxed));
        }
        let any = self.authenticator.has_keys().await?;
        if any {
            self.closed.store(true, Ordering::Relaxed);
        } else {
            *self.seen_open.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        }
        Ok(any)
    }

    /// Whether there was no key at most this long ago.
    fn was_open_within(&self, time: Duration, now: Instant) -> bool {
        let seen = *self.seen_open.lock().unwrap_or_else(PoisonError::into_inner);
        seen.is_some_and(|seen| now.saturating_duration_since(seen) < time)
    }

    /// Notes in the request who makes it, if anybody is asked.
    async fn let_in(&self, request: &mut Parts) -> Result<(), ApiError> {
        if !self.is_closed().await? {
            return Ok(());
        }
        if needs_no_credential(request) {
            request.extensions.insert(PassedBy);
            request.extensions.insert(Known::nobody());
            return Ok(());
        }
        request.extensions.insert(Known::nobody());
        let (holder, session) = self.identify(request).await?;
        // What is nowhere is not worth a role, and the answer says no more than that.
        let path = request.extensions.get::<MatchedPath>();
        let permitted = path.map_or(Ok(()), |path| permit(&holder, request, path.as_str()));
        request.extensions.insert(Known { roles: Some(holder.roles), session });
        request.extensions.insert(Caller(holder.name));
        permitted
    }

    /// On whose behalf the request is made. A key says more than a cookie, which browsers send unasked.
    async fn identify(&self, request: &Parts) -> Result<(KeyHolder, Option<BySession>), ApiError> {
        if let Some(presented) = bearer(&request.headers) {
            let holder =
                self.authenticator.holder(presented).await.map_err(unanswered)?.ok_or_else(|| {
                    let message = "this key is not known here, or was revoked; ask for a new one";
                    ApiError::new(Code::Unauthorized, message)
                })?;
            return Ok((holder, None));
        }
        let Some((holder, secret)) = self.session(&request.headers).await? else {
            let message =
                "say who is asking: send a key from `quire keys create` as Authorization: Bearer KEY";
            return Err(ApiError::new(Code::Unauthorized, message));
        };
        require_own_page(request, &secret)?;
        let session = BySession { name: holder.name.clone(), form_token: secret.form_token() };
        Ok((holder, Some(session)))
    }
}

/// Whether the request needs no credential although others do: what pages are made of holds nothing of anybody's.
fn needs_no_credential(request: &Parts) -> bool {
    let path = request.extensions.get::<MatchedPath>();
    path.is_some_and(|path| pages::FOR_EVERYBODY.contains(&path.as_str()))
}

/// Whatever is wrong with the database, nobody is let in on a guess.
#[allow(clippy::needless_pass_by_value)] // `map_err(unanswered)` reads best.
fn unanswered(error: Error) -> ApiError {
    tracing::error!(%error, "who may ask could not be looked up");
    ApiError::new(Code::ServiceUnavailable, "who may ask cannot be looked up at the moment; ask again later")
}

fn permit(holder: &KeyHolder, request: &Parts, path: &str) -> Result<(), ApiError> {
    let needed = roles::needed(&request.method, path);
    if holder.roles.allow(needed) {
        return Ok(());
    }
    let message = format!(
        "this needs the role {}, and the key of {} has {}",
        needed.as_str(),
        holder.name,
        holder.roles
    );
    Err(ApiError::new(Code::Forbidden, message).with(serde_json::json!({ "role": needed.as_str() })))
}

/// Whether nobody is asked who they are for this.
pub(crate) fn is_for_everybody(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    path.is_some_and(|path| FOR_EVERYBODY.contains(&path.as_str()))
}

/// Lets a request through, with the name of whoever makes it, or answers why not.
pub(crate) async fn authenticate(State(auth): State<Arc<Auth>>, request: Request, next: Next) -> Response {
    if is_for_everybody(&request) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let admitted = auth.let_in(&mut parts).await;
    let known = parts.extensions.get::<Known>().cloned();
    let mut response = match admitted {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refused) => {
            drain(&parts.headers, body).await;
            refused.into_response()
        }
    };
    // A page that says what went wrong must not offer more than whoever sees it may do.
    if let Some(known) = known.filter(|_| response.extensions().get::<ApiError>().is_some()) {
        response.extensions_mut().insert(known);
    }
    response
}

/// What stands behind `Bearer`, in whatever case that is written.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, credential) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credential.trim())
        .filter(|credential| !credential.is_empty())
}

#[cfg(test)]
pub(crate) mod tests;
