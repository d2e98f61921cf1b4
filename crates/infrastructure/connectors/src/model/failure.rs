//! Why a request failed, and what to do about it.

use std::time::Duration;

use hyper::StatusCode;
use quire_ports::{ModelError, ModelErrorKind};

use super::wire::{EndpointError, Usage};
use crate::http::HttpError;

/// What may help after a failed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Another model.
    OtherModel,
    /// Nothing that can be done in this call.
    None,
}

/// A request that failed.
#[derive(Debug)]
pub(super) struct FailedRequest {
    pub(super) error: ModelError,
    pub(super) remedy: Remedy,
    /// The tokens that it cost nevertheless.
    pub(super) usage: Option<Usage>,
    /// The text of the endpoint's refusal, in which it names what it does not support. Never shown.
    pub(super) refusal: Option<Box<str>>,
}

impl FailedRequest {
    pub(super) fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        let remedy = if kind == ModelErrorKind::Unavailable { Remedy::OtherModel } else { Remedy::None };
        Self { error: ModelError::new(kind, message), remedy, usage: None, refusal: None }
    }

    /// The request got no response, or only a part of it.
    pub(super) fn transport(error: HttpError, is_streaming: bool) -> Self {
        match error {
            HttpError::ResponseTooLarge => Self::new(
                ModelErrorKind::AnswerInvalid,
                "the response of the model is larger than model.max_response_mb; lower model.max_answer_tokens",
            ),
            HttpError::Timeout if is_streaming => Self::new(
                ModelErrorKind::Unavailable,
                "the model was still answering when model.timeout was over; raise it, or lower model.max_answer_tokens",
            ),
            error => Self::new(
                ModelErrorKind::Unavailable,
                format!(
                    "the request to the model failed: {error}; check model.url, model.timeout and model.idle_timeout, and \
                     that the model is running"
                ),
            ),
        }
    }

    /// The endpoint reported an error in place of an answer.
    pub(super) fn reported(error: &EndpointError) -> Self {
        let status = error.code.and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok());
        match status {
            Some(status) if status.is_client_error() => Self::status(status, None, String::new()),
            _ => Self::new(
                ModelErrorKind::Unavailable,
                "the model endpoint reported an error; try again later",
            ),
        }
    }

    /// The endpoint answered with an error status.
    pub(super) fn status(status: StatusCode, retry_after: Option<Duration>, body: String) -> Self {
        let number = status.as_u16();
        let failed = match (status, retry_after) {
            (StatusCode::TOO_MANY_REQUESTS, Some(_)) => Self::new(
                ModelErrorKind::RateLimited,
                "the model endpoint limits the request rate (HTTP 429); lower lanes.max_concurrent_calls, or ask the provider for a higher limit",
            ),
            (StatusCode::TOO_MANY_REQUESTS, None) => Self::new(
                ModelErrorKind::Unavailable,
                "the model endpoint limits the request rate or the credit (HTTP 429) and names no time within an hour; check your limits with the provider",
            ),
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => Self::new(
                ModelErrorKind::Refused,
                format!("the model endpoint refused the API key (HTTP {number}); check model.api_key"),
            ),
            (StatusCode::PAYMENT_REQUIRED, _) => Self::new(
                ModelErrorKind::Refused,
                "the credit at the model endpoint is used up (HTTP 402); buy more from the provider",
            ),
            (StatusCode::REQUEST_TIMEOUT, _) => Self::new(
                ModelErrorKind::Unavailable,
                "the model did not respond in time (HTTP 408); try again later",
            ),
            (StatusCode::NOT_FOUND, _) => Self {
                remedy: Remedy::OtherModel,
                ..Self::new(
                    ModelErrorKind::Refused,
                    "the model endpoint has no such address or model (HTTP 404); check model.url and model.name",
                )
            },
            (status, _) if status.is_server_error() => Self::new(
                ModelErrorKind::Unavailable,
                format!("the model endpoint failed (HTTP {number}); try again later"),
            ),
            (status, _) if status.is_redirection() => Self::new(
                ModelErrorKind::Refused,
                format!("the model endpoint has moved (HTTP {number}); set model.url to its new URL"),
            ),
            _ => Self::new(
                ModelErrorKind::Refused,
                format!(
                    "the model endpoint refused the request (HTTP {number}); check model.url and model.name, and that the model supports texts of this length"
                ),
            ),
        };
        let is_about_request = matches!(
            status,
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::NOT_IMPLEMENTED
        );
        let retry_after = retry_after.filter(|_| failed.error.kind == ModelErrorKind::RateLimited);
        Self {
            error: ModelError { retry_after, ..failed.error },
            refusal: is_about_request.then(|| body.into_boxed_str()),
            ..failed
        }
    }

    /// The response is no chat completion.
    pub(super) fn no_completion() -> Self {
        Self::new(
            ModelErrorKind::AnswerInvalid,
            "the model endpoint sent an invalid response; check that model.url is an OpenAI-compatible endpoint",
        )
    }

    /// The model declined to answer.
    pub(super) fn declined(usage: Option<Usage>) -> Self {
        let message = "the model declined to answer; change the text, or choose another model";
        Self { usage, ..Self::new(ModelErrorKind::Refused, message) }
    }

    /// The model is not asked, because it kept failing.
    pub(super) fn left_alone(wait: Duration) -> Self {
        let mut failed = Self::new(
            ModelErrorKind::Unavailable,
            "the model failed several times in a row and is not asked for a while (model.breaker_pause); check that it is running",
        );
        failed.error.retry_after = Some(wait);
        failed
    }

    /// The run has no time for a request.
    pub(super) fn no_time() -> Self {
        let message = "the deadline of the run leaves no time for the model; raise run_limit of the pipeline";
        Self { remedy: Remedy::None, ..Self::new(ModelErrorKind::Unavailable, message) }
    }
}
