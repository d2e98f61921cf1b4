//! Rate limits: uploaded files, downloads, bytes, drawings of pages, and wrong credentials.

mod credentials;
mod rate;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;

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

/// Limits per client and minute; 0 is unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub struct RatesPerMinute {
    /// Uploaded files.
    pub uploads: u32,
    /// Downloads of originals.
    pub downloads: u32,
    /// Megabytes of uploads, downloads and exports together.
    pub megabytes: u32,
    /// Page images that are drawn or sent.
    pub drawings: u32,
}

/// The rate limits of each client, per minute.
pub struct RateLimits {
    uploads: Option<Rate>,
    downloads: Option<Rate>,
    bytes: Option<Rate>,
    drawings: Option<Rate>,
    credentials: CredentialLimit,
    proxies: TrustedProxies,
    started: Instant,
}

impl RateLimits {
    /// These limits. Clients behind these proxies are told apart by the headers of the proxies.
    pub fn new(rates: RatesPerMinute, proxies: TrustedProxies) -> Self {
        let rate = |limit: u32, unit: u64| (limit > 0).then(|| Rate::per_minute(u64::from(limit) * unit));
        Self {
            uploads: rate(rates.uploads, 1),
            downloads: rate(rates.downloads, 1),
            bytes: rate(rates.megabytes, 1 << 20),
            drawings: rate(rates.drawings, 1),
            credentials: CredentialLimit::default(),
            proxies,
            started: Instant::now(),
        }
    }

    /// What a request uses.
    fn usage(&self, request: &Request) -> Usage<'_> {
        let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let (bytes, unlimited) = (self.bytes.as_ref(), Usage::default());
        match *request.method() {
            Method::POST if path == "/documents" || path == "/documents/upload" => {
                Usage { counted: self.uploads.as_ref(), bytes, is_upload: true, ..unlimited }
            }
            Method::GET | Method::HEAD if path == "/documents/{id}/download" => {
                Usage { counted: self.downloads.as_ref(), bytes, ..unlimited }
            }
            Method::GET if path == "/documents/export" => Usage { bytes, ..unlimited },
            Method::GET if path == "/documents/{id}/pages/{number}/image" => {
                Usage { drawings: self.drawings.as_ref(), ..unlimited }
            }
            _ => unlimited,
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

/// The limits that a request counts against.
#[derive(Clone, Copy, Default)]
struct Usage<'a> {
    /// Counts the request, or the files of an upload.
    counted: Option<&'a Rate>,
    /// Counts its bytes as they pass.
    bytes: Option<&'a Rate>,
    /// Counts its drawing.
    drawings: Option<&'a Rate>,
    is_upload: bool,
}

/// Admits a request, or says when to retry.
pub(crate) async fn enforce(State(limits): State<Arc<RateLimits>>, request: Request, next: Next) -> Response {
    let usage = limits.usage(&request);
    if usage.counted.is_none() && usage.bytes.is_none() && usage.drawings.is_none() {
        return next.run(request).await;
    }
    let client = Client { name: limits.client(&request).into(), limits: limits.clone() };
    let owes = |rate: Option<&Rate>| rate.and_then(|rate| rate.wait(&client.name, limits.started.elapsed()));
    if let Some(wait) = owes(usage.bytes).max(owes(usage.drawings)) {
        return refused(request, wait).await;
    }
    let decision = usage.counted.map(|rate| rate.take(&client.name, limits.started.elapsed()));
    let mut response = match decision.and_then(|decision| decision.wait) {
        None => admitted(request, next, usage, &client).await,
        Some(wait) => refused(request, wait).await,
    };
    if let Some(decision) = decision {
        add_headers(response.headers_mut(), decision);
    }
    response
}

/// Runs a request and counts what it uses.
async fn admitted(mut request: Request, next: Next, usage: Usage<'_>, client: &Client) -> Response {
    if usage.is_upload {
        request.extensions_mut().insert(client.clone());
        if usage.bytes.is_some() {
            request = request.map(|body| metered(body, client.clone()));
        }
        return next.run(request).await;
    }
    let response = next.run(request).await;
    if let Some(rate) = usage.drawings.filter(|_| response.status().is_success()) {
        rate.charge(&client.name, client.limits.started.elapsed(), 1);
    }
    if usage.bytes.is_some() { response.map(|body| metered(body, client.clone())) } else { response }
}

async fn refused(request: Request, wait: Duration) -> Response {
    let (parts, body) = request.into_parts();
    drain(&parts.headers, body).await;
    too_many_requests(wait)
}

/// A client and its limits.
#[derive(Clone)]
pub(crate) struct Client {
    name: Arc<str>,
    limits: Arc<RateLimits>,
}

impl Client {
    /// Counts another file of an upload. The first one counts with the request.
    pub(crate) fn take_file(&self) -> Result<(), ApiError> {
        let rate = self.limits.uploads.as_ref();
        let wait = rate.and_then(|rate| rate.take(&self.name, self.limits.started.elapsed()).wait);
        wait.map_or(Ok(()), |wait| Err(too_many(wait)))
    }

    /// Counts bytes that have passed.
    fn take_bytes(&self, count: usize) {
        if let Some(rate) = &self.limits.bytes {
            rate.charge(&self.name, self.limits.started.elapsed(), count as u64);
        }
    }
}

/// The body with its bytes counted as they pass.
fn metered(body: Body, client: Client) -> Body {
    Body::new(body.inspect_frame(move |frame| {
        if let Some(data) = frame.data_ref() {
            client.take_bytes(data.len());
        }
    }))
}

fn too_many(wait: Duration) -> ApiError {
    ApiError::new(Code::RateLimited, format!("too many requests; retry in {} s", whole_seconds(wait)))
}

fn too_many_requests(wait: Duration) -> Response {
    let seconds = whole_seconds(wait);
    let mut response = too_many(wait).into_response();
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
