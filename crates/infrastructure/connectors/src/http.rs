//! The way to services over HTTP, which all who talk to one share.
//!
//! Every exchange has a limit in time, from its first byte to its last, and one in bytes, so that neither silence nor a
//! flood can hold a step. Redirects are not followed: a key goes to the place that it was configured for and nowhere else.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// Time in which a connection is made or not at all.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a connection is kept for the next exchange.
const IDLE: Duration = Duration::from_secs(30);

/// What one exchange may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the first byte that is sent to the last that comes.
    pub time: Duration,
    /// Bytes of the longest body that is read.
    pub bytes: usize,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct HttpAnswer {
    /// The status, whatever it is.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, all of it.
    pub body: Bytes,
}

/// Why nothing came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The messages say it.
pub enum HttpError {
    #[error("it did not answer in time")]
    TooSlow,
    #[error("its answer is too long")]
    TooLong,
    #[error("it cannot be reached")]
    Unreachable,
    #[error("the connection broke off")]
    BrokeOff,
}

/// Keeps connections and makes exchanges over them.
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
    /// A client that trusts the certificates that browsers trust. No proxy is looked for in the environment.
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT));
        connector.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(connector);
        Self { client }
    }

    /// Makes one exchange.
    pub async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        limits: Limits,
    ) -> Result<HttpAnswer, HttpError> {
        let exchange = async {
            let answer = self.client.request(request).await;
            let answer = answer.map_err(|error| {
                if error.is_connect() { HttpError::Unreachable } else { HttpError::BrokeOff }
            })?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, limits.bytes).collect().await.map_err(|error| {
                if error.is::<LengthLimitError>() { HttpError::TooLong } else { HttpError::BrokeOff }
            })?;
            Ok(HttpAnswer { status: head.status, headers: head.headers, body: body.to_bytes() })
        };
        tokio::time::timeout(limits.time, exchange).await.unwrap_or(Err(HttpError::TooSlow))
    }
}
