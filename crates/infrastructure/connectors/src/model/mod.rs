//! Language models behind an endpoint that speaks as `OpenAI`'s chat completions do: hosted ones, and those on one's own
//! machine.

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

use crate::http::{HttpClient, HttpError, Limits};

/// Bytes of the longest answer that is read.
const LONGEST_ANSWER: usize = 4 << 20;

/// Where a model is and how it is asked.
#[derive(Clone)]
pub struct ModelSettings {
    /// The address before `/chat/completions`, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The name of the model.
    pub name: String,
    /// What the endpoint knows us by, if it wants to.
    pub api_key: Option<String>,
    /// How long one request may take.
    pub timeout: Duration,
    /// Requests for one question, the first included.
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

/// Why no model can be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadModel {
    /// It is no address.
    Url,
    /// It cannot be sent.
    ApiKey,
}

impl fmt::Display for BadModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Url => "must be an address such as http://localhost:11434/v1",
            Self::ApiKey => "must be printable ASCII, as keys are",
        })
    }
}

/// How one request failed.
struct Missed {
    error: ModelError,
    /// When the endpoint wants to be asked again.
    wait: Option<Duration>,
}

impl RemoteModel {
    /// The model of these settings. Nothing is sent yet.
    pub fn new(http: HttpClient, settings: ModelSettings) -> Result<Self, BadModel> {
        let address = address(&settings.url).ok_or(BadModel::Url)?;
        let authorization = settings.api_key.map(|key| {
            // More could be sent, but no key has more, and whoever pasted more has pasted something else.
            let is_key = key.bytes().all(|byte| byte.is_ascii_graphic());
            let value = HeaderValue::try_from(format!("Bearer {key}")).ok().filter(|_| is_key);
            let mut value = value.ok_or(BadModel::ApiKey)?;
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

    async fn ask_once(&self, body: Bytes, time: Duration) -> Result<ModelResponse, Missed> {
        let mut request = Request::post(self.address.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let sent = body.len();
        let request = request
            .body(Full::new(body))
            .map_err(|_| missed(ModelErrorKind::Refused, "model.url is no address"))?;
        let limits = Limits { time, bytes: LONGEST_ANSWER };
        let answer = self.http.exchange(request, limits).await.map_err(not_answered)?;
        match answer.status {
            StatusCode::OK => wire::answer(&answer.body, &self.name, sent).ok_or_else(|| {
                missed(
                    ModelErrorKind::AnswerInvalid,
                    "the model's endpoint answered something else than a completion",
                )
            }),
            status => Err(Missed {
                wait: retry::after(answer.headers.get(RETRY_AFTER), Timestamp::now()),
                ..refused(status)
            }),
        }
    }
}

#[async_trait]
impl LanguageModel for RemoteModel {
    async fn ask(&self, question: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let body = Bytes::from(wire::body(&self.name, question));
        let mut attempt = 1;
        loop {
            let left = retry::left(question.deadline, Timestamp::now());
            let asked = match left.map_or(self.timeout, |left| left.min(self.timeout)) {
                Duration::ZERO => {
                    Err(missed(ModelErrorKind::Unavailable, "there is no time left to ask the model"))
                }
                time => self.ask_once(body.clone(), time).await,
            };
            let outcome = asked.as_ref().map_or_else(|missed| missed.error.kind.as_str(), |_| "OK");
            metrics::counter!("quire_model_calls_total", "outcome" => outcome).increment(1);
            let missed = match asked {
                Ok(answer) => {
                    metrics::counter!("quire_model_tokens_total", "direction" => "in")
                        .increment(answer.tokens_in);
                    metrics::counter!("quire_model_tokens_total", "direction" => "out")
                        .increment(answer.tokens_out);
                    return Ok(answer);
                }
                Err(missed) => missed,
            };
            let wait = missed.wait.unwrap_or_else(|| retry::pause(attempt));
            let left = retry::left(question.deadline, Timestamp::now());
            let fits = left.is_none_or(|left| wait < left);
            if !missed.error.kind.may_pass() || attempt >= self.attempts || !fits {
                return Err(missed.error);
            }
            tracing::info!(
                code = missed.error.kind.as_str(),
                attempt,
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "the model is asked again"
            );
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

/// Where completions are asked for.
fn address(url: &str) -> Option<Uri> {
    let uri: Uri = format!("{}/chat/completions", url.trim().trim_end_matches('/')).parse().ok()?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    (is_web && uri.host().is_some_and(|host| !host.is_empty()) && uri.query().is_none()).then_some(uri)
}

fn missed(trouble: ModelErrorKind, message: &str) -> Missed {
    Missed { error: ModelError { kind: trouble, message: message.to_owned() }, wait: None }
}

fn not_answered(error: HttpError) -> Missed {
    match error {
        HttpError::TooLong => {
            missed(ModelErrorKind::AnswerInvalid, "the model's answer is longer than 4 MB and was not read")
        }
        error => missed(
            ModelErrorKind::Unavailable,
            &format!(
                "the model's endpoint: {error}; look at model.url and model.timeout, and whether it runs"
            ),
        ),
    }
}

fn refused(status: StatusCode) -> Missed {
    let number = status.as_u16();
    let (trouble, message) = match status {
        StatusCode::TOO_MANY_REQUESTS => (
            ModelErrorKind::RateLimited,
            "the model wants to be asked less often; lower engine.slots or ask for more".to_owned(),
        ),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (
            ModelErrorKind::Refused,
            format!("the model's endpoint refused the key (HTTP {number}); look at model.api_key"),
        ),
        StatusCode::REQUEST_TIMEOUT => {
            (ModelErrorKind::Unavailable, "the model did not answer in time".to_owned())
        }
        status if status.is_server_error() => {
            (ModelErrorKind::Unavailable, format!("the model's endpoint is out of order (HTTP {number})"))
        }
        status if status.is_redirection() => (
            ModelErrorKind::Refused,
            format!("the model's endpoint has moved (HTTP {number}); set model.url to where it is now"),
        ),
        _ => (
            ModelErrorKind::Refused,
            format!(
                "the model's endpoint does not take the question (HTTP {number}); look at model.url and model.name, and whether the model takes a JSON schema and a text of this length"
            ),
        ),
    };
    missed(trouble, &message)
}
