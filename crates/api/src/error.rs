//! The contract of errors: one error type, one mapping from use cases, one response body.

mod reason;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quire_application::Error;
use quire_application::document::pages::{ImageError, ReadError, ReadErrorKind};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

pub use self::reason::ConflictReason;
use crate::error_pages::text;
use crate::rest::openapi::names;

/// Seconds after which a client should retry when a service is unavailable.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");

/// The authentication scheme for a client without a valid credential.
const BEARER: HeaderValue = HeaderValue::from_static("Bearer");

macro_rules! codes {
    ($($variant:ident = $status:ident $name:literal),+ $(,)?) => {
        /// The stable error codes, each with its HTTP status.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // The names are the documentation.
        pub enum Code { $($variant),+ }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as a client sees it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The HTTP status.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status),+ }
            }

            /// The page that explains the code. A code without a page does not compile.
            pub(crate) const fn page(self) -> &'static str {
                match self { $(Self::$variant => text!($name)),+ }
            }
        }
    };
}

codes! {
    InvalidRequest = BAD_REQUEST "INVALID_REQUEST",
    UnsupportedVersion = BAD_REQUEST "UNSUPPORTED_VERSION",
    UnknownSchema = BAD_REQUEST "UNKNOWN_SCHEMA",
    AmbiguousValue = BAD_REQUEST "AMBIGUOUS_VALUE",
    ValueNotAllowed = BAD_REQUEST "VALUE_NOT_ALLOWED",
    Unauthorized = UNAUTHORIZED "UNAUTHORIZED",
    Forbidden = FORBIDDEN "FORBIDDEN",
    NotFound = NOT_FOUND "NOT_FOUND",
    MethodNotAllowed = METHOD_NOT_ALLOWED "METHOD_NOT_ALLOWED",
    Conflict = CONFLICT "CONFLICT",
    RequestTimeout = REQUEST_TIMEOUT "REQUEST_TIMEOUT",
    ArtifactMissing = GONE "ARTIFACT_MISSING",
    FileTooLarge = PAYLOAD_TOO_LARGE "FILE_TOO_LARGE",
    RequestBodyTooLarge = PAYLOAD_TOO_LARGE "REQUEST_BODY_TOO_LARGE",
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "UNSUPPORTED_MEDIA_TYPE",
    RangeNotSatisfiable = RANGE_NOT_SATISFIABLE "RANGE_NOT_SATISFIABLE",
    ValidationError = UNPROCESSABLE_ENTITY "VALIDATION_ERROR",
    RateLimited = TOO_MANY_REQUESTS "RATE_LIMITED",
    InternalError = INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    LlmFailed = BAD_GATEWAY "LLM_FAILED",
    ProviderNotConfigured = SERVICE_UNAVAILABLE "PROVIDER_NOT_CONFIGURED",
    StorageFull = INSUFFICIENT_STORAGE "STORAGE_FULL",
    ServiceUnavailable = SERVICE_UNAVAILABLE "SERVICE_UNAVAILABLE",
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The error code.
    pub code: Code,
    /// What happened and what to do, for people. Contains no path, secret or internal detail.
    pub message: String,
    /// Details for programs, such as `reason` or `max_bytes`.
    pub details: Option<Value>,
}

/// The body of every error.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorResponse<'a> {
    #[schema(value_type = names::ErrorCode)]
    error_code: &'static str,
    /// What happened and what to do, for people.
    message: &'a str,
    /// Details for programs, such as `reason`, `parameter` or `max_bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    details: Option<&'a Value>,
    /// The id of the request in the log; also in `X-Request-ID`.
    correlation_id: &'a str,
}

impl ApiError {
    /// An error without details.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None }
    }

    /// Adds details, a JSON object.
    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// A conflict with one of the documented reasons.
    pub fn conflict(reason: ConflictReason, message: impl Into<String>) -> Self {
        Self::new(Code::Conflict, message).with(json!({ "reason": reason.as_str() }))
    }

    /// Whether this is a conflict for that reason.
    pub(crate) fn is_conflict(&self, reason: ConflictReason) -> bool {
        let given = self.details.as_ref().and_then(|details| details["reason"].as_str());
        self.code == Code::Conflict && given == Some(reason.as_str())
    }

    /// A part of the request is wrong; `parameter` names it.
    pub fn invalid(parameter: &str, message: &str) -> Self {
        Self::new(Code::InvalidRequest, format!("{parameter}: {message}"))
            .with(json!({ "parameter": parameter }))
    }

    /// An internal error. What happened goes to the log and not into the response.
    pub fn internal(error: &str) -> Self {
        tracing::error!(error, "request failed: internal error");
        let message = "internal error; the server log has details under this correlation_id";
        Self::new(Code::InternalError, message)
    }

    pub(crate) fn no_such_page() -> Self {
        Self::new(Code::NotFound, "there is no such address; /docs lists all of them")
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            Code::MethodNotAllowed,
            "this address does not support that method; the header Allow lists those it does",
        )
    }

    /// The response; `correlation_id` is the id of the request in the log.
    pub(crate) fn to_response(&self, correlation_id: &str) -> Response {
        let body = ErrorResponse {
            error_code: self.code.as_str(),
            message: &self.message,
            details: self.details.as_ref(),
            correlation_id,
        };
        let mut response = (self.code.status(), Json(body)).into_response();
        match self.code {
            Code::ServiceUnavailable => response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER),
            Code::Unauthorized => response.headers_mut().insert(header::WWW_AUTHENTICATE, BEARER),
            _ => None,
        };
        response
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::NotFound(_) => Self::new(Code::NotFound, message),
            Error::Conflict(_) => Self::conflict(ConflictReason::StateChanged, message),
            Error::Unavailable { .. } => Self::new(Code::ServiceUnavailable, message),
            Error::Corrupt(_) => Self::internal(&message),
        }
    }
}

impl From<ReadError> for ApiError {
    /// A retry helps only where the document is not the cause.
    fn from(error: ReadError) -> Self {
        // The diagnosis may quote the document, which must not reach the log.
        tracing::warn!(code = error.kind.as_str(), "page image failed");
        let cause = error.kind.as_str();
        let code = match error.kind {
            ReadErrorKind::PageNotFound | ReadErrorKind::UnsupportedMediaType => Code::NotFound,
            kind if kind.is_retryable() => Code::ServiceUnavailable,
            _ => {
                let reason = ConflictReason::DocumentUnreadable.as_str();
                return Self::new(Code::Conflict, error.message)
                    .with(json!({ "reason": reason, "cause": cause }));
            }
        };
        Self::new(code, error.message).with(json!({ "cause": cause }))
    }
}

impl From<ImageError> for ApiError {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Scale(least, most) => {
                Self::invalid("scale", &format!("must be between {least} and {most}"))
            }
            ImageError::FileMissing => Self::new(Code::ArtifactMissing, error.to_string()),
            ImageError::Other(error) => error.into(),
            ImageError::Read(error) => error.into(),
        }
    }
}

impl IntoResponse for ApiError {
    /// Only marks the response: the body needs the id of the request, which `middleware::request_id` adds.
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
