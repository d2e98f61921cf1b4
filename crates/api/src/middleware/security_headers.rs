//! Headers that every answer has, unless its handler knows better: what browsers may do with it, and who may keep it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// In all of them. Pages, and files that are shown in place, load only what comes from here; nobody shows them in a frame.
const ALWAYS: [(HeaderName, HeaderValue); 5] = [
    (header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000; includeSubDomains")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'self'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin")),
];
/// What is said about documents is between the server and whoever asked.
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-store");

pub(crate) async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.entry(name).or_insert(value);
    }
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json {
        headers.entry(header::CACHE_CONTROL).or_insert(NOT_KEPT);
    }
    response
}
