//! Why a request was refused before it reached its handler. Each refusal is counted by its reason; wrong credentials and
//! missing roles are logged, too.

use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use quire_application::credential::{KeyHolder, KeyRefusal};
use quire_domain::Role;
use serde_json::json;

use crate::{ApiError, Code, RateLimits};

/// Every reason that is counted, with its status.
pub const REFUSAL_REASONS: [(&str, &str); 12] = [
    ("401", "no_credential"),
    ("401", "unknown_key"),
    ("401", "revoked_key"),
    ("401", "expired_key"),
    ("401", "replaced_key"),
    ("401", "session_ended"),
    ("403", "role"),
    ("403", "other_site"),
    ("403", "csrf_token"),
    ("403", "other_host"),
    ("403", "other_person"),
    ("429", "wrong_credentials"),
];

/// A refused request.
#[derive(Debug)]
pub(crate) enum AuthRefusal {
    /// 401: it carries no credential.
    NoCredential,
    /// 401: its key or token is wrong.
    WrongKey(KeyRefusal),
    /// 401: its session has ended, or never existed. A browser goes on sending it, so only its first request is logged.
    SessionEnded {
        /// Whether this is the first request.
        is_first: bool,
    },
    /// 403: its key does not have the role.
    Role(Role, KeyHolder),
    /// 429: too many wrong credentials came from its address.
    TooManyWrong(u64),
    /// Anything else, with its error.
    Other(ApiError),
}

impl AuthRefusal {
    fn reason(&self) -> Option<&'static str> {
        match self {
            Self::NoCredential => Some("no_credential"),
            Self::WrongKey(KeyRefusal::Unknown) => Some("unknown_key"),
            Self::WrongKey(KeyRefusal::Revoked(_)) => Some("revoked_key"),
            Self::WrongKey(KeyRefusal::Expired(_)) => Some("expired_key"),
            Self::WrongKey(KeyRefusal::Replaced(_)) => Some("replaced_key"),
            Self::SessionEnded { .. } => Some("session_ended"),
            Self::Role(..) => Some("role"),
            Self::TooManyWrong(_) => Some("wrong_credentials"),
            Self::Other(_) => None,
        }
    }

    /// The name of the holder of a key that was once right.
    fn holder(&self) -> Option<&str> {
        match self {
            Self::WrongKey(
                KeyRefusal::Revoked(name) | KeyRefusal::Expired(name) | KeyRefusal::Replaced(name),
            ) => Some(name),
            _ => None,
        }
    }

    /// Counts the refusal, logs it, and answers the client.
    pub(crate) fn answer(self, request: &Parts, limits: &RateLimits) -> Response {
        if let Some(reason) = self.reason() {
            count(reason);
        }
        let address = limits.address(request).map(tracing::field::display);
        let (method, path) = (request.method.as_str(), request.uri.path());
        match &self {
            Self::WrongKey(_) | Self::SessionEnded { is_first: true } => {
                tracing::warn!(
                    address,
                    method,
                    path,
                    reason = self.reason(),
                    who = self.holder(),
                    "credential refused"
                );
            }
            Self::Role(needed, holder) => {
                tracing::warn!(
                    address,
                    method,
                    path,
                    who = holder.name,
                    needs = needed.as_str(),
                    "role refused"
                );
            }
            Self::NoCredential | Self::SessionEnded { .. } | Self::TooManyWrong(_) | Self::Other(_) => {}
        }
        self.into_response()
    }
}

/// Counts a refused request by its reason, one of [`REFUSAL_REASONS`].
pub(crate) fn count(reason: &'static str) {
    let status =
        REFUSAL_REASONS.iter().find(|(_, known)| *known == reason).map_or("403", |(status, _)| *status);
    metrics::counter!("quire_requests_refused_total", "status" => status, "reason" => reason).increment(1);
}

impl From<ApiError> for AuthRefusal {
    fn from(error: ApiError) -> Self {
        Self::Other(error)
    }
}

impl IntoResponse for AuthRefusal {
    fn into_response(self) -> Response {
        let error = match self {
            Self::NoCredential => unauthorized(
                "NO_CREDENTIAL",
                "a key is required: create one with `quire keys create` and send it as Authorization: Bearer KEY",
            ),
            // Both have the right secret, and need to know what to do.
            Self::WrongKey(KeyRefusal::Expired(_)) => unauthorized(
                "KEY_EXPIRED",
                "the key has expired; the operator can renew it with `quire keys rotate`",
            ),
            Self::WrongKey(KeyRefusal::Replaced(_)) => {
                unauthorized("KEY_REPLACED", "this key was replaced by a new one; use the new one")
            }
            // The client does not learn whether the key ever existed.
            Self::WrongKey(KeyRefusal::Unknown | KeyRefusal::Revoked(_)) => {
                unauthorized("WRONG_KEY", "the key is unknown or revoked; use another key")
            }
            Self::SessionEnded { .. } => unauthorized("SESSION_ENDED", "the session has ended; log in again"),
            Self::Role(needed, holder) => {
                let (name, roles, needed) = (holder.name, holder.roles, needed.as_str());
                let message = format!("this needs the role {needed}; the key {name} has {roles}");
                ApiError::new(Code::Forbidden, message).with(json!({ "role": needed }))
            }
            Self::TooManyWrong(seconds) => return too_many_wrong(seconds),
            Self::Other(error) => error,
        };
        error.into_response()
    }
}

fn unauthorized(reason: &str, message: &str) -> ApiError {
    ApiError::new(Code::Unauthorized, message).with(json!({ "reason": reason }))
}

/// The answer to an address with too many wrong credentials.
pub(crate) fn too_many_wrong(seconds: u64) -> Response {
    let message = format!("too many wrong credentials came from this address; retry in {seconds} s");
    let mut response = ApiError::new(Code::RateLimited, message).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}
