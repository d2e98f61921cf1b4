//! What can go wrong in a request, and how it is told: one type, one mapping, one body.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quire_ports::PortError;
use serde::Serialize;

/// After how many seconds a client should ask again when something is not available.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");

/// Why a request was not answered as wished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// There is no such thing.
    NotFound(String),
    /// The page exists, but not for this method.
    MethodNotAllowed,
    /// It contradicts what is there.
    Conflict(String),
    /// Something it needs does not answer; later it may.
    Unavailable(String),
    /// Our fault. What happened is in the log, not in the answer.
    Internal,
}

/// The body of every error.
#[derive(Serialize)]
struct Body<'a> {
    error_code: &'static str,
    message: &'a str,
    correlation_id: &'a str,
}

impl ApiError {
    pub(crate) fn no_such_page() -> Self {
        Self::NotFound("there is nothing at this address".to_owned())
    }

    fn parts(&self) -> (StatusCode, &'static str, &str) {
        match self {
            Self::NotFound(message) => (StatusCode::NOT_FOUND, "NOT_FOUND", message),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "METHOD_NOT_ALLOWED",
                "this address does not answer to that method",
            ),
            Self::Conflict(message) => (StatusCode::CONFLICT, "CONFLICT", message),
            Self::Unavailable(message) => (StatusCode::SERVICE_UNAVAILABLE, "SERVICE_UNAVAILABLE", message),
            Self::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "INTERNAL_ERROR",
                "something went wrong here; the log has it under this correlation_id",
            ),
        }
    }

    /// The answer, with the id under which the log knows it.
    pub(crate) fn answer(&self, correlation_id: &str) -> Response {
        let (status, error_code, message) = self.parts();
        let mut response = (status, Json(Body { error_code, message, correlation_id })).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        response
    }
}

impl From<PortError> for ApiError {
    fn from(error: PortError) -> Self {
        let message = error.to_string();
        match error {
            PortError::NotFound(_) => Self::NotFound(message),
            PortError::Conflict(_) => Self::Conflict(message),
            PortError::Unavailable { .. } => Self::Unavailable(message),
            PortError::Corrupt(_) => {
                tracing::error!(error = %message, "a request met something stored that is not as expected");
                Self::Internal
            }
        }
    }
}

impl IntoResponse for ApiError {
    /// Only marks the response: the body needs the request's id, which the outermost layer knows.
    fn into_response(self) -> Response {
        let mut response = self.parts().0.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
