//! Authentication: who makes a request, and whether their roles allow it.
//!
//! As soon as there is a credential (a token in the settings, or a key that was ever created), every request must carry
//! one, and its roles decide what it may do. Open to everybody are only the [`HEALTH_CHECKS`] and the
//! [`OPEN_PAGES`](pages::OPEN_PAGES). Until there is a credential, [`host_check`](crate::middleware::host_check) decides. A
//! browser with a login carries a [`session`] instead of a key. While the database cannot say whether there are keys, every
//! request is refused.

pub(crate) mod refusal;
pub(crate) mod roles;
pub(crate) mod session;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use quire_application::Error;
use quire_application::credential::{Authenticator, KeyHolder};
use quire_application::session::SessionUse;

use self::refusal::AuthRefusal;
use self::session::{SessionInfo, require_own_page};
use crate::caller::Caller;
use crate::middleware::drain_body::drain;
use crate::pages;
use crate::pages::visitor::Identity;
use crate::{ApiError, Code, RateLimits};

/// How long the answer "there is no key" is cached.
const OPEN_FOR: Duration = Duration::from_secs(1);
/// And while another request checks again.
const OPEN_WHILE_CHECKING: Duration = Duration::from_secs(3);
/// Supervisors and load balancers check health without a key.
pub(crate) const HEALTH_CHECKS: [&str; 3] = ["/health", "/health/live", "/health/ready"];

/// Marks a request that needs no credential although others do.
#[derive(Clone, Copy)]
pub(crate) struct NoCredentialNeeded;

/// Authenticates requests.
pub struct Auth {
    authenticator: Authenticator,
    limits: Arc<RateLimits>,
    /// Set once there is a credential, and never cleared: keys are revoked and never deleted.
    required: AtomicBool,
    /// When the last check found no key.
    seen_open: Mutex<Option<Instant>>,
    /// Held by the request that checks.
    checking: tokio::sync::Mutex<()>,
}

impl Auth {
    /// Accepts the credentials of that authenticator. An address that presents too many wrong ones has to wait.
    pub fn new(authenticator: Authenticator, limits: Arc<RateLimits>) -> Self {
        let required = AtomicBool::new(authenticator.has_token());
        let (seen_open, checking) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { authenticator, limits, required, seen_open, checking }
    }

    /// Whether requests need a credential.
    pub(crate) async fn is_required(&self) -> Result<bool, ApiError> {
        self.needs_credential(Instant::now()).await.map_err(lookup_failed)
    }

    /// Whether requests need a credential at this moment.
    async fn needs_credential(&self, now: Instant) -> Result<bool, Error> {
        if self.required.load(Ordering::Relaxed) {
            return Ok(true);
        }
        if self.was_open(OPEN_FOR, now) {
            return Ok(false);
        }
        // One request checks for all others.
        let _looking = match self.checking.try_lock() {
            Ok(checking) => checking,
            Err(_) if self.was_open(OPEN_WHILE_CHECKING, now) => return Ok(false),
            Err(_) => self.checking.lock().await,
        };
        if self.required.load(Ordering::Relaxed) || self.was_open(OPEN_FOR, now) {
            return Ok(self.required.load(Ordering::Relaxed));
        }
        let any = self.authenticator.has_keys().await?;
        if any {
            self.required.store(true, Ordering::Relaxed);
        } else {
            *self.seen_open.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        }
        Ok(any)
    }

    /// Whether the last check found no key, at most this long ago.
    fn was_open(&self, time: Duration, now: Instant) -> bool {
        let seen = *self.seen_open.lock().unwrap_or_else(PoisonError::into_inner);
        seen.is_some_and(|seen| now.saturating_duration_since(seen) < time)
    }

    /// Identifies the client, if a credential is needed, and adds its identity to the request.
    async fn admit(&self, request: &mut Parts) -> Result<(), AuthRefusal> {
        if !self.is_required().await? {
            return Ok(());
        }
        if needs_no_credential(request) {
            request.extensions.insert(NoCredentialNeeded);
            request.extensions.insert(Identity::anonymous());
            return Ok(());
        }
        request.extensions.insert(Identity::anonymous());
        let (holder, session) = self.identify(request).await?;
        // An unknown address needs no role; the client gets a 404.
        let path = request.extensions.get::<MatchedPath>();
        let permitted = path.map_or(Ok(()), |path| check_role(&holder, request, path.as_str()));
        request.extensions.insert(Identity { roles: Some(holder.roles), session });
        request.extensions.insert(Caller(holder.name));
        permitted
    }

    /// The holder of a presented key or token.
    pub(crate) async fn holder(&self, request: &Parts, presented: &str) -> Result<KeyHolder, AuthRefusal> {
        self.limits.check_credential(request, presented).map_err(AuthRefusal::TooManyWrong)?;
        match self.authenticator.holder(presented).await.map_err(lookup_failed)? {
            Ok(holder) => {
                self.limits.credential_was_right(request, presented);
                Ok(holder)
            }
            Err(reason) => {
                self.limits.credential_was_wrong(request, presented);
                Err(AuthRefusal::WrongKey(reason))
            }
        }
    }

    /// Who makes the request. A key takes precedence over a cookie, which browsers send by themselves.
    async fn identify(&self, request: &Parts) -> Result<(KeyHolder, Option<SessionInfo>), AuthRefusal> {
        if let Some(presented) = bearer(&request.headers) {
            return Ok((self.holder(request, presented).await?, None));
        }
        let Some(secret) = session::secret(&request.headers) else { return Err(AuthRefusal::NoCredential) };
        let activity = if is_background(request) { SessionUse::Background } else { SessionUse::Person };
        let holder = self.session(request, &secret, activity).await?;
        require_own_page(request, &secret)?;
        let session = SessionInfo { name: holder.name.clone(), form_token: secret.form_token() };
        Ok((holder, Some(session)))
    }
}

/// The header of requests that a page sends by itself.
const BACKGROUND: &str = "x-quire-background";

/// Whether a page sent the request by itself, to follow what happens. Nobody may be in front of it.
fn is_background(request: &Parts) -> bool {
    let path = request.extensions.get::<MatchedPath>();
    request.headers.contains_key(BACKGROUND) || path.is_some_and(|path| path.as_str() == "/events")
}

/// Whether the request needs no credential although others do: these pages and files show nothing of any document.
fn needs_no_credential(request: &Parts) -> bool {
    let path = request.extensions.get::<MatchedPath>();
    path.is_some_and(|path| pages::OPEN_PAGES.contains(&path.as_str()))
}

/// Without the database no request is admitted.
#[allow(clippy::needless_pass_by_value)] // `map_err(lookup_failed)` reads best.
fn lookup_failed(error: Error) -> ApiError {
    tracing::error!(%error, "authentication failed: keys cannot be looked up");
    ApiError::new(Code::ServiceUnavailable, "keys cannot be looked up at the moment; retry later")
}

fn check_role(holder: &KeyHolder, request: &Parts, path: &str) -> Result<(), AuthRefusal> {
    let needed = roles::needed(&request.method, path);
    if holder.roles.allow(needed) { Ok(()) } else { Err(AuthRefusal::Role(needed, holder.clone())) }
}

/// Whether the route is public.
pub(crate) fn is_for_everybody(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    path.is_some_and(|path| HEALTH_CHECKS.contains(&path.as_str()))
}

/// Admits a request with the identity of its client, or refuses it.
pub(crate) async fn authenticate(State(auth): State<Arc<Auth>>, request: Request, next: Next) -> Response {
    if is_for_everybody(&request) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let admitted = auth.admit(&mut parts).await;
    let identity = parts.extensions.get::<Identity>().cloned();
    let mut response = match admitted {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refused) => {
            drain(&parts.headers, body).await;
            refused.answer(&parts, &auth.limits)
        }
    };
    // An error page must offer only what its reader may do.
    if let Some(identity) = identity.filter(|_| response.extensions().get::<ApiError>().is_some()) {
        response.extensions_mut().insert(identity);
    }
    response
}

/// The credential after `Bearer`, in any case.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, credential) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credential.trim())
        .filter(|credential| !credential.is_empty())
}

#[cfg(test)]
pub(crate) mod tests;
