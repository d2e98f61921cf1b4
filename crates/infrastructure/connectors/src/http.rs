//! The HTTP client that all connectors share.
//!
//! Every request has a time limit, from the first byte sent to the last byte received, and a limit on the response size.
//! Neither a silent nor an endless response can block a step. Redirects are not followed, so that an API key is sent only
//! to the configured host.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The time limit for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The limits of one request.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// The time from the first byte sent to the last byte received.
    pub time: Duration,
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
    #[error("the response is too large")]
    ResponseTooLarge,
    #[error("the host cannot be reached")]
    Unreachable,
    #[error("the connection was interrupted")]
    Interrupted,
}

/// Sends requests over a pool of connections. Clones share the pool.
#[derive(Clone)]
pub struct HttpClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

impl HttpClient {
    /// A client that trusts the Mozilla root certificates. It ignores proxy settings in the environment.
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        connector.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(connector);
        Self { client }
    }

    /// Sends a request and reads the whole response.
    pub async fn send(
        &self,
        request: Request<Full<Bytes>>,
        limits: HttpLimits,
    ) -> Result<HttpResponse, HttpError> {
        let response = async {
            let response = self.client.request(request).await;
            let response = response.map_err(|error| {
                if error.is_connect() { HttpError::Unreachable } else { HttpError::Interrupted }
            })?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, limits.bytes).collect().await.map_err(|error| {
                if error.is::<LengthLimitError>() {
                    HttpError::ResponseTooLarge
                } else {
                    HttpError::Interrupted
                }
            })?;
            Ok(HttpResponse { status: head.status, headers: head.headers, body: body.to_bytes() })
        };
        tokio::time::timeout(limits.time, response).await.unwrap_or(Err(HttpError::Timeout))
    }
}
