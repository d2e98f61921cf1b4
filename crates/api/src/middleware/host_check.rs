//! Which clients are served while the server needs no credential: programs on this machine, and pages of this server.
//!
//! Listening on loopback keeps other machines out, but not web pages open on this machine: a page can send forms to any
//! address, and its owner can point a host name at 127.0.0.1. So the `Host` header must name this machine, and a page that
//! changes something must be a page of this server.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::caller::Caller;
use crate::middleware::auth;
use crate::middleware::csrf::refuse_reads_of_other_sites;
use crate::middleware::drain_body::drain;
use crate::{ApiError, Code, CorsOrigins};

pub(crate) async fn require_local(
    State(origins): State<CorsOrigins>,
    request: Request,
    next: Next,
) -> Response {
    // An identified client may use any host name: no web page has its key. Health checks are public.
    let extensions = request.extensions();
    let is_identified =
        extensions.get::<Caller>().is_some() || extensions.get::<auth::NoCredentialNeeded>().is_some();
    if is_identified || auth::is_for_everybody(&request) {
        return next.run(request).await;
    }
    let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
    let host = authority.or_else(|| text(request.headers(), header::HOST));
    let is_local = host.as_deref().is_some_and(names_this_machine);
    let (parts, body) = request.into_parts();
    let is_listed = text(&parts.headers, header::ORIGIN).is_some_and(|origin| origins.contain(&origin));
    if is_local && parts.method.is_safe() {
        return match refuse_reads_of_other_sites(&parts) {
            Err(refused) if !is_listed => refused.into_response(),
            _ => next.run(Request::from_parts(parts, body)).await,
        };
    }
    if is_local && (is_listed || is_own_origin(&parts.headers, host.as_deref())) {
        return next.run(Request::from_parts(parts, body)).await;
    }
    let message = "without credentials only this machine is served; use localhost or 127.0.0.1 as host name, or create a key";
    auth::refusal::count("other_host");
    drain(&parts.headers, body).await;
    ApiError::new(Code::Forbidden, message).into_response()
}

/// Programs send no `Origin`; browsers always do.
fn is_own_origin(headers: &HeaderMap, host: Option<&str>) -> bool {
    match text(headers, header::ORIGIN) {
        None => true,
        Some(origin) => origin.split_once("://").map(|(_, authority)| authority) == host,
    }
}

fn names_this_machine(authority: &str) -> bool {
    let name = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::{Method, StatusCode};
    use axum::middleware;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    async fn status(method: Method, headers: &[(&str, &str)]) -> StatusCode {
        let origins: CorsOrigins = "http://localhost:5173".parse().unwrap();
        let router = Router::new()
            .route("/", get(|| async {}).post(|| async {}))
            .layer(middleware::from_fn_with_state(origins, require_local));
        let mut request = Request::builder().method(method).uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status()
    }

    #[tokio::test]
    async fn only_host_names_of_this_machine_are_served() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.9.9.9", "[::1]:8080"] {
            assert_eq!(status(Method::GET, &[("host", host)]).await, StatusCode::OK, "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::2]",
            "",
        ] {
            assert_eq!(status(Method::GET, &[("host", host)]).await, StatusCode::FORBIDDEN, "{host}");
        }
        assert_eq!(status(Method::GET, &[]).await, StatusCode::FORBIDDEN, "no host name");
    }

    #[tokio::test]
    async fn a_page_of_another_site_changes_nothing() {
        let host = ("host", "127.0.0.1:8080");
        assert_eq!(status(Method::POST, &[host]).await, StatusCode::OK, "a program");
        for known in ["http://127.0.0.1:8080", "http://localhost:5173"] {
            assert_eq!(status(Method::POST, &[host, ("origin", known)]).await, StatusCode::OK, "{known}");
        }
        for origin in ["https://evil.example", "http://127.0.0.1:9999", "null", "http://localhost:8080"] {
            assert_eq!(
                status(Method::POST, &[host, ("origin", origin)]).await,
                StatusCode::FORBIDDEN,
                "{origin}"
            );
        }
    }
}
