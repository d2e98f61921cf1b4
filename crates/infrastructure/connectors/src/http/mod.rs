//! The HTTP client that all connectors share.
//!
//! Every request has a time limit, from the first byte sent to the last byte received, a limit on silence, and a limit
//! on the response size. Neither a silent nor an endless response can block a step. Redirects are not followed, so that
//! an API key is sent only to the configured host.

mod connection;
mod guarded;
mod response;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};

use connection::Connections;
pub use connection::HttpOptionsError;
pub(crate) use connection::is_this_machine;
pub use response::{HttpBody, HttpStream};

use crate::web::{Guard, HostRefused};

/// How connections are made.
#[derive(Clone, Default)]
pub struct HttpOptions {
    /// The proxy for all hosts but this machine, such as `http://user:password@proxy.example:3128`.
    pub proxy: Option<String>,
    /// A PEM file with certificates of further authorities to trust.
    pub ca_file: Option<PathBuf>,
}

/// The limits of one request.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// The time from the first byte sent to the last byte received.
    pub time: Duration,
    /// The longest time in which nothing is received.
    pub idle: Duration,
    /// The largest response body, in bytes.
    pub bytes: usize,
}

/// An HTTP response, read completely.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// The status, including errors.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

/// Why there is no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The messages say it.
pub enum HttpError {
    #[error("the request timed out")]
    Timeout,
    #[error("the host sent nothing for too long")]
    Silent,
    #[error("the response is too large")]
    ResponseTooLarge,
    #[error("the host cannot be reached")]
    Unreachable,
    #[error("the connection was interrupted")]
    Interrupted,
    #[error("{0}")]
    Refused(HostRefused),
}

/// Sends requests over a pool of connections. Clones share the pool.
#[derive(Clone)]
pub struct HttpClient {
    connections: Connections,
}

impl HttpClient {
    /// A client that trusts the Mozilla root certificates and those of the options. It ignores proxy settings in the
    /// environment.
    pub fn new(options: &HttpOptions) -> Result<Self, HttpOptionsError> {
        Ok(Self { connections: Connections::new(options)? })
    }

    /// A client for addresses that users can influence. It connects only to what the guard allows, at the addresses that
    /// the guard has checked.
    pub fn guarded(options: &HttpOptions, guard: Arc<Guard>) -> Result<Self, HttpOptionsError> {
        Ok(Self { connections: Connections::guarded(options, guard)? })
    }

    /// Sends a request and returns when the head of the response has arrived.
    pub async fn open(
        &self,
        request: Request<Full<Bytes>>,
        limits: HttpLimits,
    ) -> Result<HttpStream, HttpError> {
        let deadline = Instant::now() + limits.time;
        let head = response::within(deadline, limits.idle, self.connections.request(request)).await?;
        let (head, body) = head
            .map_err(|error| match HostRefused::behind(&error) {
                Some(refusal) => HttpError::Refused(refusal),
                None if error.is_connect() => HttpError::Unreachable,
                None => HttpError::Interrupted,
            })?
            .into_parts();
        let body = HttpBody::new(body, deadline, limits);
        Ok(HttpStream { status: head.status, headers: head.headers, body })
    }

    /// Sends a request and reads the whole response.
    pub async fn send(
        &self,
        request: Request<Full<Bytes>>,
        limits: HttpLimits,
    ) -> Result<HttpResponse, HttpError> {
        let HttpStream { status, headers, mut body } = self.open(request, limits).await?;
        let body = body.collect().await?;
        Ok(HttpResponse { status, headers, body })
    }
}
