//! Security headers of every response, unless its handler sets others.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// On every response. Pages load resources of this server only, no site can frame them or embed what they show, and browsers
/// store nothing, unless the handler says otherwise: the assets may be stored, and page images and original files may be
/// stored but must be revalidated, because they are slow to draw and to send.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 7] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'self'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];

/// Adds the headers; `hsts` is the value of `Strict-Transport-Security`, if there is one.
pub(crate) async fn add(State(hsts): State<Option<HeaderValue>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let hsts = hsts.map(|value| (header::STRICT_TRANSPORT_SECURITY, value));
    for (name, value) in SECURITY_HEADERS.into_iter().chain(hsts) {
        headers.entry(name).or_insert(value);
    }
    response
}
