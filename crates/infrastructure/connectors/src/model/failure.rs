//! Why a request failed, and what to do about it.

use std::time::Duration;

use hyper::StatusCode;
use quire_ports::{ModelError, ModelErrorKind};

use super::wire::{EndpointError, Usage};
use crate::http::HttpError;

/// What may help after a failed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The same request again, then another model.
    Retry,
    /// Another model.
    OtherModel,
    /// Nothing.
    None,
}

/// A request that failed.
#[derive(Debug)]
pub(super) struct FailedRequest {
    pub(super) error: ModelError,
    pub(super) remedy: Remedy,
    /// The tokens that it cost nevertheless.
    pub(super) usage: Option<Usage>,
    /// The time that it took.
    pub(super) latency: Duration,
    /// The text of the endpoint's refusal, in which it names what it does not support. Never shown.
    pub(super) refusal: Option<String>,
}

impl FailedRequest {
    pub(super) fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        let remedy = if kind == ModelErrorKind::Unavailable { Remedy::Retry } else { Remedy::None };
        Self {
            error: ModelError::new(kind, message),
            remedy,
            usage: None,
            latency: Duration::ZERO,
            refusal: None,
        }
    }

    /// The request got no response, or only a part of it.
    pub(super) fn transport(error: HttpError, is_streaming: bool) -> Self {
        match error {
            HttpError::ResponseTooLarge => Self::new(
                ModelErrorKind::AnswerInvalid,
                "The response of the model is larger than model.max_response_mb. Lower model.max_answer_tokens.",
            ),
            // It would take as long again.
            HttpError::Timeout if is_streaming => Self {
                remedy: Remedy::OtherModel,
                ..Self::new(
                    ModelErrorKind::Unavailable,
                    "The model was still answering when model.timeout was over. Raise it, or lower model.max_answer_tokens.",
                )
            },
            error => Self::new(
                ModelErrorKind::Unavailable,
                format!(
                    "The request to the model failed: {error}. Check model.url, model.timeout and model.idle_timeout, and \
                     that the model is running."
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
                "The model endpoint reported an error. Try again later.",
            ),
        }
    }

    /// The endpoint answered with an error status.
    pub(super) fn status(status: StatusCode, retry_after: Option<Duration>, body: String) -> Self {
        let number = status.as_u16();
        let failed = match (status, retry_after) {
            (StatusCode::TOO_MANY_REQUESTS, Some(_)) => Self::new(
                ModelErrorKind::RateLimited,
                "The model endpoint limits the request rate (HTTP 429). Lower engine.slots, or ask the provider for a higher limit.",
            ),
            (StatusCode::TOO_MANY_REQUESTS, None) => Self::new(
                ModelErrorKind::Unavailable,
                "The model endpoint limits the request rate or the credit (HTTP 429) and does not say for how long. Check your limits with the provider.",
            ),
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => Self::new(
                ModelErrorKind::Refused,
                format!("The model endpoint refused the API key (HTTP {number}). Check model.api_key."),
            ),
            (StatusCode::PAYMENT_REQUIRED, _) => Self::new(
                ModelErrorKind::Refused,
                "The credit at the model endpoint is used up (HTTP 402). Buy more from the provider.",
            ),
            (StatusCode::REQUEST_TIMEOUT, _) => Self::new(
                ModelErrorKind::Unavailable,
                "The model did not respond in time (HTTP 408). Try again later.",
            ),
            (StatusCode::NOT_FOUND, _) => Self {
                remedy: Remedy::OtherModel,
                ..Self::new(
                    ModelErrorKind::Refused,
                    "The model endpoint has no such address or model (HTTP 404). Check model.url and model.name.",
                )
            },
            (status, _) if status.is_server_error() => Self::new(
                ModelErrorKind::Unavailable,
                format!("The model endpoint failed (HTTP {number}). Try again later."),
            ),
            (status, _) if status.is_redirection() => Self::new(
                ModelErrorKind::Refused,
                format!("The model endpoint has moved (HTTP {number}). Set model.url to its new URL."),
            ),
            _ => Self::new(
                ModelErrorKind::Refused,
                format!(
                    "The model endpoint refused the request (HTTP {number}). Check model.url and model.name, and that the model supports texts of this length."
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
            refusal: is_about_request.then_some(body),
            ..failed
        }
    }

    /// The response is no chat completion.
    pub(super) fn no_completion() -> Self {
        Self::new(
            ModelErrorKind::AnswerInvalid,
            "The model endpoint sent an invalid response. Check that model.url is an OpenAI-compatible endpoint.",
        )
    }

    /// The model declined to answer.
    pub(super) fn declined(usage: Option<Usage>) -> Self {
        let message = "The model declined to answer. Change the text, or choose another model.";
        Self { usage, ..Self::new(ModelErrorKind::Refused, message) }
    }

    /// The model is not asked, because it kept failing.
    pub(super) fn left_alone(wait: Duration) -> Self {
        let mut failed = Self::new(
            ModelErrorKind::Unavailable,
            "The model failed several times in a row and is not asked for a while (model.breaker_pause). Check that it is running.",
        );
        failed.error.retry_after = Some(wait);
        Self { remedy: Remedy::OtherModel, ..failed }
    }

    /// The run has no time for a request.
    pub(super) fn no_time() -> Self {
        let message =
            "The deadline of the run leaves no time for the model. Raise run_limit of the pipeline.";
        Self { remedy: Remedy::None, ..Self::new(ModelErrorKind::Unavailable, message) }
    }
}
