//! Language models behind an endpoint that is compatible with `OpenAI`'s chat completions API, hosted or local.

mod retry;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Request, StatusCode, Uri};
use jiff::Timestamp;
use quire_ports::{LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse};

use crate::http::{HttpClient, HttpError, HttpLimits};

/// The largest response, in bytes.
const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The settings of a model endpoint.
#[derive(Clone)]
pub struct ModelSettings {
    /// The address before `/chat/completions`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// Whether the text of documents may be sent over plain HTTP to another machine.
    pub allow_http: bool,
    /// The name of the model.
    pub name: String,
    /// The API key, if the endpoint needs one.
    pub api_key: Option<String>,
    /// The time limit of one request.
    pub timeout: Duration,
    /// How many requests to send at most, including the first.
    pub attempts: u32,
}

/// A model behind an endpoint.
pub struct RemoteModel {
    http: HttpClient,
    address: Uri,
    name: String,
    authorization: Option<HeaderValue>,
    timeout: Duration,
    attempts: u32,
}

/// Which setting of a model endpoint is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSettingsError {
    /// The URL.
    Url,
    /// The URL is plain HTTP to another machine.
    PlainHttp,
    /// The API key.
    ApiKey,
}

impl fmt::Display for ModelSettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Url => "must be a URL such as http://localhost:11434/v1",
            Self::PlainHttp => {
                "must start with https://, because over http:// others on the way can read the documents; to send them \
                 over http:// nevertheless, set model.allow_http = true"
            }
            Self::ApiKey => "must be printable ASCII without spaces",
        })
    }
}

/// A request that failed.
struct FailedRequest {
    error: ModelError,
    /// The wait that the endpoint asks for.
    retry_after: Option<Duration>,
}

impl RemoteModel {
    /// Checks the settings. Sends nothing yet.
    pub fn new(http: HttpClient, settings: ModelSettings) -> Result<Self, ModelSettingsError> {
        let address = address(&settings.url).ok_or(ModelSettingsError::Url)?;
        if !settings.allow_http && !is_private(&address) {
            return Err(ModelSettingsError::PlainHttp);
        }
        let authorization = settings.api_key.map(|key| {
            // A header could contain other characters, but no API key does: something else was pasted.
            let is_key = key.bytes().all(|byte| byte.is_ascii_graphic());
            let value = HeaderValue::try_from(format!("Bearer {key}")).ok().filter(|_| is_key);
            let mut value = value.ok_or(ModelSettingsError::ApiKey)?;
            value.set_sensitive(true);
            Ok(value)
        });
        Ok(Self {
            http,
            address,
            name: settings.name,
            authorization: authorization.transpose()?,
            timeout: settings.timeout,
            attempts: settings.attempts,
        })
    }

    async fn send_request(&self, body: Bytes, time: Duration) -> Result<ModelResponse, FailedRequest> {
        let mut request = Request::post(self.address.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let request_bytes = body.len();
        let request = request.body(Full::new(body)).map_err(|_| {
            failed(ModelErrorKind::Refused, "model.url is not a valid URL. Correct it and start again.")
        })?;
        let limits = HttpLimits { time, bytes: MAX_RESPONSE_BYTES };
        let response = self.http.send(request, limits).await.map_err(transport_error)?;
        match response.status {
            StatusCode::OK => wire::parse_response(&response.body, &self.name, request_bytes).ok_or_else(|| {
                failed(
                    ModelErrorKind::AnswerInvalid,
                    "the model endpoint sent an invalid response; check that model.url is an OpenAI-compatible endpoint",
                )
            }),
            status => Err(FailedRequest {
                retry_after: retry::retry_after(response.headers.get(RETRY_AFTER), Timestamp::now()),
                ..status_error(status)
            }),
        }
    }
}

#[async_trait]
impl LanguageModel for RemoteModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let body = Bytes::from(wire::request_body(&self.name, request));
        let mut attempt = 1;
        loop {
            let left = retry::time_left(request.deadline.as_ref());
            let outcome = match left.map_or(self.timeout, |left| left.min(self.timeout)) {
                Duration::ZERO => Err(failed(
                    ModelErrorKind::Unavailable,
                    "the deadline of the run leaves no time for the model; raise run_limit of the pipeline",
                )),
                time => self.send_request(body.clone(), time).await,
            };
            let code = outcome.as_ref().map_or_else(|failed| failed.error.kind.as_str(), |_| "OK");
            metrics::counter!("quire_model_calls_total", "outcome" => code).increment(1);
            let failed = match outcome {
                Ok(response) => {
                    metrics::counter!("quire_model_tokens_total", "direction" => "in")
                        .increment(response.tokens_in);
                    metrics::counter!("quire_model_tokens_total", "direction" => "out")
                        .increment(response.tokens_out);
                    return Ok(response);
                }
                Err(failed) => failed,
            };
            let wait = failed.retry_after.unwrap_or_else(|| retry::backoff(attempt));
            let left = retry::time_left(request.deadline.as_ref());
            let fits = left.is_none_or(|left| wait < left);
            if !failed.error.kind.is_retryable() || attempt >= self.attempts || !fits {
                return Err(failed.error);
            }
            tracing::info!(
                code = failed.error.kind.as_str(),
                attempt,
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "model request failed, will retry"
            );
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

/// The URL of the chat completions.
fn address(url: &str) -> Option<Uri> {
    let uri: Uri = format!("{}/chat/completions", url.trim().trim_end_matches('/')).parse().ok()?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    (is_http && uri.host().is_some_and(|host| !host.is_empty()) && uri.query().is_none()).then_some(uri)
}

/// Whether nobody else can read what is sent to this address: it is encrypted or stays on this machine.
fn is_private(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    address.scheme_str() == Some("https") || is_loopback || host.eq_ignore_ascii_case("localhost")
}

fn failed(kind: ModelErrorKind, message: &str) -> FailedRequest {
    FailedRequest { error: ModelError { kind, message: message.to_owned() }, retry_after: None }
}

fn transport_error(error: HttpError) -> FailedRequest {
    match error {
        HttpError::ResponseTooLarge => failed(
            ModelErrorKind::AnswerInvalid,
            "the response of the model is larger than the limit of 4 MB; lower model.max_answer_tokens",
        ),
        error => failed(
            ModelErrorKind::Unavailable,
            &format!(
                "the request to the model failed: {error}; check model.url and model.timeout, and that the model is running"
            ),
        ),
    }
}

fn status_error(status: StatusCode) -> FailedRequest {
    let number = status.as_u16();
    let (kind, message) = match status {
        StatusCode::TOO_MANY_REQUESTS => (
            ModelErrorKind::RateLimited,
            "the model endpoint limits the request rate (HTTP 429); lower engine.slots, or ask the provider for a higher limit".to_owned(),
        ),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (
            ModelErrorKind::Refused,
            format!("the model endpoint refused the API key (HTTP {number}); check model.api_key"),
        ),
        StatusCode::REQUEST_TIMEOUT => {
            (ModelErrorKind::Unavailable, "the model did not respond in time (HTTP 408); try again later".to_owned())
        }
        status if status.is_server_error() => {
            (ModelErrorKind::Unavailable, format!("the model endpoint failed (HTTP {number}); try again later"))
        }
        status if status.is_redirection() => (
            ModelErrorKind::Refused,
            format!("the model endpoint has moved (HTTP {number}); set model.url to its new URL"),
        ),
        _ => (
            ModelErrorKind::Refused,
            format!(
                "the model endpoint refused the request (HTTP {number}); check model.url and model.name, and that the model supports JSON schemas and texts of this length"
            ),
        ),
    };
    failed(kind, &message)
}
