//! Sends the requests of the object store library with the HTTP client of this crate: the same proxy, certificates and time
//! limits as for every other service.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, Response, Uri};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient as ObjectHttpClient, HttpConnector, HttpError as ObjectHttpError, HttpErrorKind, HttpRequest,
    HttpResponse, HttpResponseBody, HttpService,
};

use super::checksum::{self, SignedHash};
use crate::http::{HttpClient, HttpError, HttpLimits, HttpOptions, HttpOptionsError};

/// The time for one request, from its first byte to the last one of its response.
const TIME: Duration = Duration::from_hours(1);
/// The longest silence of the service …
const IDLE: Duration = Duration::from_secs(20);
/// … after the time in which a slow line takes the request, at this many bytes per second.
const SLOW_LINE: u64 = 256 << 10;

/// Sends requests. Clones share connections.
#[derive(Clone)]
pub(super) struct Transport {
    client: HttpClient,
    /// For the addresses where a machine in a cloud asks for its credentials. A proxy does not reach them.
    direct: HttpClient,
    /// Whether a service has taken content without a checksum of it.
    took_unchecked: Arc<AtomicBool>,
    signed_hash: SignedHash,
}

impl Transport {
    pub(super) fn new(options: &HttpOptions, signed_hash: SignedHash) -> Result<Self, HttpOptionsError> {
        let direct = HttpOptions { proxy: None, ..options.clone() };
        Ok(Self {
            client: HttpClient::new(options)?,
            direct: HttpClient::new(&direct)?,
            took_unchecked: Arc::default(),
            signed_hash,
        })
    }

    /// Whether the service has taken content without a checksum of it, ever since.
    pub(super) fn took_unchecked(&self) -> Arc<AtomicBool> {
        self.took_unchecked.clone()
    }
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transport")
    }
}

impl HttpConnector for Transport {
    /// The options of the library are not used: those of this crate apply.
    fn connect(&self, _: &ClientOptions) -> object_store::Result<ObjectHttpClient> {
        Ok(ObjectHttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, ObjectHttpError> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let client = if is_link_local(&head.uri) { &self.direct } else { &self.client };
        let is_content = head.method == Method::PUT && !body.is_empty();
        let limits = limits(body.len() as u64);
        let request = head.headers.clone();
        let opened = client.open(Request::from_parts(head, Full::new(body.clone())), limits).await;
        let received = opened.map_err(failed)?;
        if is_content && received.status.is_success() {
            match checksum::was_received(&body, self.signed_hash, &request, &received.headers) {
                Some(true) => {}
                // The library sends the request again.
                Some(false) => return Err(failed(HttpError::Interrupted)),
                None => self.took_unchecked.store(true, Ordering::SeqCst),
            }
        }
        let mut response = Response::new(HttpResponseBody::new(received.body.map_err(failed)));
        *response.status_mut() = received.status;
        *response.headers_mut() = received.headers;
        Ok(response)
    }
}

fn limits(sent: u64) -> HttpLimits {
    HttpLimits { time: TIME, idle: IDLE + Duration::from_secs(sent / SLOW_LINE), bytes: usize::MAX }
}

fn failed(error: HttpError) -> ObjectHttpError {
    let kind = match error {
        HttpError::Timeout | HttpError::Silent => HttpErrorKind::Timeout,
        HttpError::Unreachable => HttpErrorKind::Connect,
        HttpError::Interrupted => HttpErrorKind::Interrupted,
        HttpError::ResponseTooLarge | HttpError::Refused(_) => HttpErrorKind::Unknown,
    };
    ObjectHttpError::new(kind, error)
}

fn is_link_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_link_local())
}
