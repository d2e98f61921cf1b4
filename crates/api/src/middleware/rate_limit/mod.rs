//! Rate limits for uploads, downloads and wrong credentials.

mod credentials;
mod rate;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use self::credentials::CredentialLimit;
use self::rate::{Rate, RateDecision};
use crate::caller::Caller;
use crate::middleware::drain_body::drain;
use crate::middleware::trusted_proxies::{TrustedProxies, network};
use crate::{ApiError, Code};

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
/// The headers of a limit.
pub(crate) const HEADERS: [HeaderName; 3] = [LIMIT, REMAINING, RESET];

/// The rate limits of each client, per minute.
pub struct RateLimits {
    uploads: Option<Rate>,
    downloads: Option<Rate>,
    credentials: CredentialLimit,
    proxies: TrustedProxies,
    started: Instant,
}

impl RateLimits {
    /// Limits per minute; 0 is unlimited. Clients behind these proxies are told apart by the headers of the proxies.
    pub fn per_minute(uploads: u32, downloads: u32, proxies: TrustedProxies) -> Self {
        let rate = |limit| (limit > 0).then(|| Rate::per_minute(limit));
        Self {
            uploads: rate(uploads),
            downloads: rate(downloads),
            credentials: CredentialLimit::default(),
            proxies,
            started: Instant::now(),
        }
    }

    fn of(&self, request: &Request) -> Option<&Rate> {
        let path = request.extensions().get::<MatchedPath>()?.as_str();
        match *request.method() {
            Method::POST if path == "/documents" || path == "/documents/upload" => self.uploads.as_ref(),
            Method::GET | Method::HEAD if path == "/documents/{id}/download" => self.downloads.as_ref(),
            _ => None,
        }
    }

    /// The client: its credential, or else its address.
    fn client(&self, request: &Request) -> String {
        if let Some(caller) = request.extensions().get::<Caller>() {
            return format!("key {}", caller.0);
        }
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        peer.map_or_else(String::new, |peer| {
            format!("address {}", network(self.proxies.client(peer, request.headers())))
        })
    }
}

/// Admits a request, or says when to retry.
pub(crate) async fn enforce(State(limits): State<Arc<RateLimits>>, request: Request, next: Next) -> Response {
    let Some(rate) = limits.of(&request) else { return next.run(request).await };
    let decision = rate.take(&limits.client(&request), limits.started.elapsed());
    let mut response = match decision.wait {
        None => next.run(request).await,
        Some(wait) => {
            let (parts, body) = request.into_parts();
            drain(&parts.headers, body).await;
            too_many_requests(wait)
        }
    };
    add_headers(response.headers_mut(), decision);
    response
}

fn too_many_requests(wait: Duration) -> Response {
    let seconds = whole_seconds(wait);
    let message = format!("too many requests; retry in {seconds} s");
    let mut response = ApiError::new(Code::RateLimited, message).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

fn add_headers(headers: &mut HeaderMap, decision: RateDecision) {
    headers.insert(LIMIT, decision.limit.into());
    headers.insert(REMAINING, decision.remaining.into());
    headers.insert(RESET, whole_seconds(decision.reset).into());
}

/// Seconds, rounded up.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
