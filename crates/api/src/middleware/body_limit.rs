//! The largest request body, except for uploads, which have a limit of their own.

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::middleware::drain_body::drain;
use crate::{ApiError, Code};

/// Bytes of the largest body that is not an upload: 1 MB.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// Bytes of the largest form that needs no credential: a key and the address of a page.
const MAX_OPEN_FORM: usize = 8 << 10;
/// The forms that need no credential. Anybody can send them, so they are small and have little time.
const OPEN_FORMS: [&str; 3] = ["/app/login", "/app/logout", "/app/preferences"];

/// Refuses larger bodies.
pub(crate) fn layer() -> DefaultBodyLimit {
    DefaultBodyLimit::max(MAX_BODY)
}

/// The error for a larger body.
pub(crate) fn too_large() -> ApiError {
    too_large_for(MAX_BODY)
}

fn too_large_for(limit: usize) -> ApiError {
    let (size, unit) = if limit < 1 << 20 { (limit >> 10, "KB") } else { (limit >> 20, "MB") };
    let message = format!("the request body is larger than the limit of {size} {unit}");
    ApiError::new(Code::RequestBodyTooLarge, message).with(serde_json::json!({ "max_bytes": limit }))
}

/// Whether it is the path of a form that needs no credential.
pub(crate) fn is_open_form(path: &str) -> bool {
    OPEN_FORMS.contains(&path)
}

/// Refuses large forms before they are read.
pub(crate) async fn refuse_large_forms(mut request: Request, next: Next) -> Response {
    if !is_open_form(request.uri().path()) {
        return next.run(request).await;
    }
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > MAX_OPEN_FORM) {
        let (parts, body) = request.into_parts();
        drain(&parts.headers, body).await;
        return too_large_for(MAX_OPEN_FORM).into_response();
    }
    // Also limits a body without a Content-Length.
    DefaultBodyLimit::max(MAX_OPEN_FORM).apply(&mut request);
    let response = next.run(request).await;
    if response.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return too_large_for(MAX_OPEN_FORM).into_response();
    }
    response
}
