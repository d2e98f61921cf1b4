//! Compresses pages, styles and scripts with gzip.

use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::compression::predicate::{And, Predicate as _, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};

/// Compressing smaller responses costs more than it saves.
const MIN_BYTES: u64 = 1024;

/// Decides by the head of a response whether to compress it.
type HeadPredicate = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// Compresses text for clients that accept gzip.
pub(crate) fn layer() -> CompressionLayer<And<SizeAbove, HeadPredicate>> {
    let is_text: HeadPredicate = |_, _, headers, _| is_text(headers);
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_BYTES).and(is_text))
}

/// Images and PDF files are compressed already, and compression would delay server-sent events.
fn is_text(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|content_type| {
        let is_events = content_type.starts_with("text/event-stream");
        (content_type.starts_with("text/") && !is_events) || content_type.starts_with("image/svg")
    })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::Request;
    use axum::response::IntoResponse as _;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    async fn is_compressed(accept: &str, content_type: &'static str, bytes: usize) -> bool {
        let page = move || async move {
            ([(header::CONTENT_TYPE, content_type)], "x".repeat(bytes)).into_response()
        };
        let router = Router::new().route("/", get(page)).layer(layer());
        let request = Request::get("/").header(header::ACCEPT_ENCODING, accept).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        response.headers().get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding == "gzip")
    }

    #[tokio::test]
    async fn only_clients_that_accept_gzip_get_it() {
        for (accept, expected) in [
            ("gzip, deflate, br", true),
            ("br,gzip;q=0.5", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(is_compressed(accept, "text/html; charset=utf-8", 5000).await, expected, "{accept}");
        }
    }

    #[tokio::test]
    async fn only_large_texts_are_compressed() {
        for (content_type, bytes, expected) in [
            ("text/css", 5000, true),
            ("text/css", 500, false),
            ("image/svg+xml", 5000, true),
            ("image/png", 5000, false),
            ("application/pdf", 5000, false),
            ("text/event-stream", 5000, false),
        ] {
            assert_eq!(is_compressed("gzip", content_type, bytes).await, expected, "{content_type} {bytes}");
        }
    }
}
