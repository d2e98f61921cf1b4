//! One request to an endpoint and its response, whole or streamed.

use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::{Request, StatusCode};
use quire_ports::{ModelErrorKind, ModelRequest, ModelResponse, estimated_tokens};

use super::failure::FailedRequest;
use super::features::EndpointFeatures;
use super::settings::ModelSettings;
use super::wire::{self, Completion, EventParser, StreamedCompletion, Usage};
use crate::http::{HttpBody, HttpClient, HttpLimits, HttpStream};
use crate::retry::retry_after;

/// The largest error response that is read, in bytes.
const MAX_ERROR_BYTES: usize = 1 << 20;

/// An endpoint with its settings.
pub(super) struct Endpoint {
    pub(super) http: HttpClient,
    pub(super) headers: HeaderMap,
    pub(super) settings: ModelSettings,
}

impl Endpoint {
    /// Sends one request to a model, with these features and within this time.
    pub(super) async fn send(
        &self,
        model: &str,
        request: &ModelRequest,
        features: EndpointFeatures,
        time: Duration,
    ) -> Result<ModelResponse, FailedRequest> {
        let started = Instant::now();
        let body = wire::request_body(model, request, features);
        let request_bytes = body.len();
        // Until the first piece arrives, a model that reads a long prompt is as silent as one that is gone.
        let limits = HttpLimits { time, idle: time, bytes: self.settings.max_response_bytes };
        let request = self.http_request(model, body)?;
        let response = self.http.open(request, limits).await;
        let response = response.map_err(|error| FailedRequest::transport(error, false))?;
        let completion = read_completion(response, self.settings.idle_timeout).await?;
        Ok(self.model_response(model, completion, request_bytes, started.elapsed()))
    }

    fn http_request(&self, model: &str, body: Vec<u8>) -> Result<Request<Full<Bytes>>, FailedRequest> {
        let invalid = || {
            FailedRequest::new(ModelErrorKind::Refused, "the name of the model does not fit into model.url")
        };
        let address = self.settings.address(model).map_err(|_| invalid())?;
        let mut request = Request::post(address).body(Full::new(Bytes::from(body))).map_err(|_| invalid())?;
        request.headers_mut().extend(self.headers.clone());
        Ok(request)
    }

    fn model_response(
        &self,
        asked: &str,
        completion: Completion,
        request_bytes: usize,
        latency: Duration,
    ) -> ModelResponse {
        let usage = completion.usage.filter(|usage| usage.prompt_tokens > 0);
        let Usage { prompt_tokens, completion_tokens, cost } = usage.unwrap_or(Usage {
            prompt_tokens: estimated_tokens(request_bytes),
            completion_tokens: estimated_tokens(completion.text.len()),
            cost: None,
        });
        ModelResponse {
            text: completion.text,
            is_whole: completion.is_whole,
            model: completion.model.unwrap_or_else(|| asked.to_owned()),
            tokens_in: prompt_tokens,
            tokens_out: completion_tokens,
            cost: cost.or_else(|| self.settings.cost(asked, prompt_tokens, completion_tokens)),
            latency,
        }
    }
}

async fn read_completion(response: HttpStream, idle: Duration) -> Result<Completion, FailedRequest> {
    let HttpStream { status, headers, mut body } = response;
    if status != StatusCode::OK {
        let text = error_text(&mut body).await;
        return Err(FailedRequest::status(status, retry_after(&headers), text));
    }
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let completion = if content_type.trim_start().starts_with("text/event-stream") {
        read_stream(&mut body, idle).await?
    } else {
        let body = body.collect().await.map_err(|error| FailedRequest::transport(error, false))?;
        let completion = wire::parse_completion(&body).ok_or_else(FailedRequest::no_completion)?;
        completion.map_err(|error| FailedRequest::reported(&error))?
    };
    if completion.is_refusal { Err(FailedRequest::declined(completion.usage)) } else { Ok(completion) }
}

/// The text of an error response. Empty if it cannot be read.
async fn error_text(body: &mut HttpBody) -> String {
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = body.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    wire::error_message(&text)
}

/// Reads a stream of events. Once it has begun, it may not be silent for longer than `idle`.
async fn read_stream(body: &mut HttpBody, idle: Duration) -> Result<Completion, FailedRequest> {
    let (mut parser, mut streamed) = (EventParser::default(), StreamedCompletion::default());
    let mut has_begun = false;
    loop {
        let chunk = match body.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                return Err(FailedRequest {
                    usage: streamed.usage(),
                    ..FailedRequest::transport(error, has_begun)
                });
            }
        };
        if !has_begun {
            has_begun = true;
            body.limit_silence(idle);
        }
        for data in parser.push(&chunk) {
            if data.trim() == "[DONE]" {
                return finish(streamed);
            }
            streamed
                .push(&data)
                .ok_or_else(FailedRequest::no_completion)?
                .map_err(|error| FailedRequest::reported(&error))?;
        }
    }
    finish(streamed)
}

fn finish(streamed: StreamedCompletion) -> Result<Completion, FailedRequest> {
    let usage = streamed.usage();
    streamed.finish().ok_or_else(|| FailedRequest {
        usage,
        ..FailedRequest::transport(crate::http::HttpError::Interrupted, true)
    })
}
