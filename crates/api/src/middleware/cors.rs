//! CORS: which other sites may read responses. None, unless the settings list them.

use std::str::FromStr;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use tower_http::cors::CorsLayer;

use crate::middleware::{rate_limit, request_id};

/// How long a browser may cache a preflight response.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_mins(10);

/// The allowed origins.
#[derive(Clone, Debug, Default)]
pub struct CorsOrigins(Vec<HeaderValue>);

impl CorsOrigins {
    /// Whether this origin is allowed.
    pub(crate) fn contain(&self, origin: &str) -> bool {
        self.0.iter().any(|known| known == origin)
    }

    /// The CORS layer, if any origin is allowed. Cookies are never allowed: clients send a key.
    pub(crate) fn layer(&self) -> Option<CorsLayer> {
        let methods =
            [Method::GET, Method::POST, Method::PATCH, Method::PUT, Method::DELETE, Method::OPTIONS];
        let request_headers = [
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            HeaderName::from_static("last-event-id"),
            request_id::NAMES[0].clone(),
        ];
        let response_headers =
            [header::ETAG, header::LOCATION, header::RETRY_AFTER, request_id::NAMES[0].clone()];
        let layer = CorsLayer::new()
            .allow_origin(self.0.clone())
            .allow_methods(methods)
            .allow_headers(request_headers)
            .expose_headers(response_headers.into_iter().chain(rate_limit::HEADERS).collect::<Vec<_>>())
            .max_age(PREFLIGHT_MAX_AGE);
        (!self.0.is_empty()).then_some(layer)
    }
}

impl FromStr for CorsOrigins {
    type Err = String;

    /// Origins (`https://app.example`), separated by spaces or commas.
    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        words.map(origin).collect::<Result<Vec<_>, _>>().map(Self)
    }
}

/// Scheme, host and optional port, as browsers write an origin.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let wrong = || format!("{text} is not an origin such as https://app.example or http://localhost:5173");
    let text = text.strip_suffix('/').unwrap_or(text);
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let sound = matches!(uri.scheme_str(), Some("http" | "https"))
        && uri.authority().is_some_and(|authority| text.ends_with(&format!("://{authority}")));
    if sound { HeaderValue::from_str(text).map_err(|_| wrong()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        let origins: CorsOrigins =
            "https://app.example, http://localhost:5173/ http://[::1]:80".parse().unwrap();
        assert_eq!(origins.0, ["https://app.example", "http://localhost:5173", "http://[::1]:80"]);
        assert!(origins.contain("http://localhost:5173") && !origins.contain("http://localhost"));
        for wrong in ["*", "app.example", "https://app.example/page", "ftp://app.example", "https://", "null"]
        {
            assert!(wrong.parse::<CorsOrigins>().is_err(), "{wrong}");
        }
        assert!(CorsOrigins::default().layer().is_none());
    }
}
