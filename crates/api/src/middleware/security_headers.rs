//! Security headers of every response, unless its handler sets others.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// On every response. Pages load resources of this server only, and no site can frame them.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000; includeSubDomains")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'self'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin")),
];
/// Responses about documents must not be cached.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(crate) async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(value);
    }
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json {
        headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
    }
    response
}
