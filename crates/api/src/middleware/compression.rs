//! Pages and what they are made of are sent squeezed to whoever can take that: text shrinks to a quarter.

use std::io::Write as _;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Below this, squeezing costs more than it saves.
const WORTH_IT: usize = 1024;

pub(crate) async fn squeeze(request: Request, next: Next) -> Response {
    let can_take = accepts(request.headers());
    let response = next.run(request).await;
    if !can_take || !is_text(response.headers()) || response.headers().contains_key(header::CONTENT_ENCODING)
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = to_bytes(body, usize::MAX).await else {
        return Response::from_parts(parts, Body::empty());
    };
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if plain.len() < WORTH_IT {
        return Response::from_parts(parts, Body::from(plain));
    }
    let mut squeezed = GzEncoder::new(Vec::with_capacity(plain.len() / 3), Compression::fast());
    let bytes = squeezed.write_all(&plain).and_then(|()| squeezed.finish());
    let Ok(bytes) = bytes else { return Response::from_parts(parts, Body::from(plain)) };
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(bytes))
}

fn accepts(headers: &HeaderMap) -> bool {
    let accepted =
        headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    let mut ways = accepted.flat_map(|value| value.split(','));
    ways.any(|way| {
        let mut pieces = way.split(';').map(str::trim);
        pieces.next() == Some("gzip") && pieces.all(|piece| piece != "q=0")
    })
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/") || kind.starts_with("image/svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whoever_can_take_it_gets_it_squeezed() {
        for (header, expected) in [
            ("gzip, deflate, br", true),
            ("br,gzip;q=0.5", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(header));
            assert_eq!(accepts(&headers), expected, "{header}");
        }
        assert!(!accepts(&HeaderMap::new()));
    }
}
