//! The requests that one client behind a trusted proxy may have in progress at once. All of them arrive on connections of the
//! proxy, so a limit on connections cannot tell its clients apart.
//!
//! It also keeps the connections beyond the limit of the server for health checks.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;

use crate::middleware::auth;
use crate::middleware::trusted_proxies::{TrustedProxies, network};
use crate::{ApiError, Code, ConnectionLimits};

/// Marks a request on a connection that only answers health checks.
#[derive(Clone, Copy)]
pub(crate) struct ForHealthChecks;

/// The requests in progress of each client behind a proxy.
pub(crate) struct ClientRequests {
    proxies: TrustedProxies,
    most: usize,
    in_progress: Mutex<HashMap<IpAddr, usize>>,
}

impl ClientRequests {
    pub(crate) fn new(limits: &ConnectionLimits) -> Arc<Self> {
        let (proxies, most) = (limits.proxies.clone(), limits.per_client);
        Arc::new(Self { proxies, most, in_progress: Mutex::default() })
    }

    /// The address of the client, if a trusted proxy forwards its request.
    fn forwarded(&self, request: &Request) -> Option<IpAddr> {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>()?.0.ip().to_canonical();
        self.proxies.contain(peer).then(|| network(self.proxies.client(peer, request.headers())))
    }

    /// Counts a request, unless its client has too many.
    fn begin(self: &Arc<Self>, client: IpAddr) -> Option<RequestInProgress> {
        let mut in_progress = self.in_progress.lock().unwrap_or_else(PoisonError::into_inner);
        let count = in_progress.entry(client).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(RequestInProgress { client, requests: self.clone() })
    }
}

/// A request that counts until its response is sent.
struct RequestInProgress {
    client: IpAddr,
    requests: Arc<ClientRequests>,
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        let mut in_progress = self.requests.in_progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = in_progress.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                in_progress.remove(&self.client);
            }
        }
    }
}

/// Admits a request, unless its client has too many in progress.
pub(crate) async fn enforce(
    State(requests): State<Arc<ClientRequests>>,
    request: Request,
    next: Next,
) -> Response {
    if auth::is_for_everybody(&request) {
        return next.run(request).await;
    }
    if request.extensions().get::<ForHealthChecks>().is_some() {
        let message = "the server has too many connections; retry in a moment";
        return closing(ApiError::new(Code::ServiceUnavailable, message).into_response());
    }
    let Some(client) = requests.forwarded(&request) else { return next.run(request).await };
    let Some(in_progress) = requests.begin(client) else {
        let message = format!(
            "this client has {} requests in progress, which is the limit; wait for some of them",
            requests.most
        );
        let mut response = ApiError::new(Code::RateLimited, message).into_response();
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return closing(response);
    };
    let response = next.run(request).await;
    // The request is in progress until its response body is dropped.
    response.map(|body| {
        Body::new(body.inspect_frame(move |_| {
            let _ = &in_progress;
        }))
    })
}

/// Closes the connection after the response: the rest of the request is not read.
pub(crate) fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::Router;
    use axum::http::StatusCode;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    fn router(most: usize) -> Router {
        let limits = ConnectionLimits {
            total: 10,
            per_client: most,
            client_timeout: Duration::from_secs(30),
            proxies: "10.0.0.1".parse().unwrap(),
        };
        let pages = get(|| async { "here" });
        Router::new()
            .route("/", pages.clone())
            .route("/health", pages)
            .route_layer(from_fn_with_state(ClientRequests::new(&limits), enforce))
    }

    fn request(peer: &str, client: &str) -> Request {
        let mut request = Request::get("/").header("x-forwarded-for", client).body(Body::empty()).unwrap();
        let peer: SocketAddr = format!("{peer}:1").parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    }

    async fn send(router: &Router, request: Request) -> Response {
        router.clone().oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn a_client_behind_a_proxy_has_a_limited_number_of_requests_in_progress() {
        let router = router(2);
        let first = send(&router, request("10.0.0.1", "198.51.100.1")).await;
        let second = send(&router, request("10.0.0.1", "198.51.100.1")).await;
        assert_eq!([first.status(), second.status()], [StatusCode::OK; 2], "their bodies are not read yet");
        let third = send(&router, request("10.0.0.1", "198.51.100.1")).await;
        assert_eq!(third.status(), StatusCode::TOO_MANY_REQUESTS);
        for (peer, client) in [("10.0.0.1", "198.51.100.2"), ("10.0.0.9", "198.51.100.1")] {
            let other = send(&router, request(peer, client)).await;
            assert_eq!(other.status(), StatusCode::OK, "{client} through {peer}");
        }
        drop(first);
        assert_eq!(send(&router, request("10.0.0.1", "198.51.100.1")).await.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn a_connection_for_health_checks_answers_nothing_else() {
        let router = router(2);
        for (path, status) in [("/", StatusCode::SERVICE_UNAVAILABLE), ("/health", StatusCode::OK)] {
            let mut request = Request::get(path).body(Body::empty()).unwrap();
            request.extensions_mut().insert(ForHealthChecks);
            assert_eq!(send(&router, request).await.status(), status, "{path}");
        }
    }
}
