//! How often one client may ask for what costs most.

mod logins;
mod rate;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use self::rate::{Rate, Verdict};
use crate::caller::Caller;
use crate::middleware::drain_body::drain;
use crate::middleware::trusted_proxies::TrustedProxies;
use crate::{ApiError, Code};

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
/// What the headers of a limit are called.
pub(crate) const HEADERS: [HeaderName; 3] = [LIMIT, REMAINING, RESET];

/// How many uploads, downloads and refused logins a client has a minute.
pub struct RateLimits {
    uploads: Option<Rate>,
    downloads: Option<Rate>,
    logins: Rate,
    proxies: TrustedProxies,
    started: Instant,
}

impl RateLimits {
    /// So many of each a minute; 0 is any number. Clients behind these proxies are told apart by what those say.
    pub fn per_minute(uploads: u32, downloads: u32, proxies: TrustedProxies) -> Self {
        let rate = |limit| (limit > 0).then(|| Rate::per_minute(limit));
        Self {
            uploads: rate(uploads),
            downloads: rate(downloads),
            logins: Rate::per_minute(logins::LOGINS),
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

    /// Whose bucket it is: that of the credential, else of the address.
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

/// Whoever has one address of IPv6 has the 2⁶⁴ around it as well.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        IpAddr::V4(_) => address,
    }
}

/// Lets a request through, or says when to come again.
pub(crate) async fn enforce(State(limits): State<Arc<RateLimits>>, request: Request, next: Next) -> Response {
    let Some(rate) = limits.of(&request) else { return next.run(request).await };
    let verdict = rate.take(&limits.client(&request), limits.started.elapsed());
    let mut response = match verdict.wait {
        None => next.run(request).await,
        Some(wait) => {
            let (parts, body) = request.into_parts();
            drain(&parts.headers, body).await;
            refused(wait)
        }
    };
    tell(response.headers_mut(), verdict);
    response
}

fn refused(wait: Duration) -> Response {
    let seconds = whole(wait);
    let message = format!("that was too often; ask again in {seconds} s");
    let mut response = ApiError::new(Code::RateLimited, message).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

fn tell(headers: &mut HeaderMap, verdict: Verdict) {
    headers.insert(LIMIT, verdict.limit.into());
    headers.insert(REMAINING, verdict.remaining.into());
    headers.insert(RESET, whole(verdict.reset).into());
}

/// Seconds, rounded up: whoever waits that long has waited enough.
fn whole(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
