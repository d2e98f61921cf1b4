//! Responses, whole or streamed.

use serde::Deserialize;
use serde_json::Value;

/// What an endpoint answered.
#[derive(Debug, Default, PartialEq)]
pub(in crate::model) struct Completion {
    /// The text of the answer.
    pub(in crate::model) text: String,
    /// Whether the model or a filter of its provider declined to answer.
    pub(in crate::model) is_refusal: bool,
    /// Whether the answer is complete and was not cut off by the token limit.
    pub(in crate::model) is_whole: bool,
    /// The name of the model.
    pub(in crate::model) model: Option<String>,
    /// The tokens, if the endpoint counts them.
    pub(in crate::model) usage: Option<Usage>,
}

/// The tokens of a request, and its cost where the endpoint reports it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(in crate::model) struct Usage {
    #[serde(default)]
    pub(in crate::model) prompt_tokens: u64,
    #[serde(default)]
    pub(in crate::model) completion_tokens: u64,
    #[serde(default)]
    pub(in crate::model) cost: Option<f64>,
}

/// An error in place of an answer. Its text may quote the request and is never shown.
#[derive(Debug, PartialEq)]
pub(in crate::model) struct EndpointError {
    /// The status code that the error names.
    pub(in crate::model) code: Option<u64>,
}

#[derive(Deserialize)]
struct ChatResponse {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    // A streamed choice has a `delta`.
    #[serde(alias = "delta", default)]
    message: Option<ResponseMessage>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ResponseMessage {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

/// A streamed answer, as far as it has arrived.
#[derive(Default)]
pub(in crate::model) struct StreamedCompletion {
    completion: Completion,
    finish_reason: Option<String>,
}

impl StreamedCompletion {
    /// Adds the data of an event. None if it is neither part of a completion nor an error.
    pub(in crate::model) fn push(&mut self, data: &str) -> Option<Result<(), EndpointError>> {
        let part: ChatResponse = serde_json::from_str(data).ok()?;
        if let Some(error) = part.error.filter(|error| !error.is_null()) {
            return Some(Err(endpoint_error(&error)));
        }
        let completion = &mut self.completion;
        completion.model = part.model.filter(|name| !name.is_empty()).or(completion.model.take());
        completion.usage = part.usage.or(completion.usage);
        let Some(choice) = part.choices.into_iter().next() else { return Some(Ok(())) };
        if let Some(message) = choice.message {
            completion.text.push_str(message.content.as_deref().unwrap_or_default());
            completion.is_refusal |= message.refusal.is_some_and(|text| !text.is_empty());
        }
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        Some(Ok(()))
    }

    /// The tokens that were counted so far.
    pub(in crate::model) fn usage(&self) -> Option<Usage> {
        self.completion.usage
    }

    /// The whole answer. None if the stream ended too early.
    pub(in crate::model) fn finish(self) -> Option<Completion> {
        let reason = self.finish_reason?;
        Some(finished(self.completion, &reason))
    }
}

/// Parses a body that is not streamed. None if it is neither a completion nor an error.
pub(in crate::model) fn parse_completion(body: &[u8]) -> Option<Result<Completion, EndpointError>> {
    let response: ChatResponse = serde_json::from_slice(body).ok()?;
    if let Some(error) = response.error.filter(|error| !error.is_null()) {
        return Some(Err(endpoint_error(&error)));
    }
    let choice = response.choices.into_iter().next()?;
    let message = choice.message?;
    let completion = Completion {
        text: message.content.unwrap_or_default(),
        is_refusal: message.refusal.is_some_and(|text| !text.is_empty()),
        is_whole: true,
        model: response.model.filter(|name| !name.is_empty()),
        usage: response.usage,
    };
    Some(Ok(finished(completion, choice.finish_reason.as_deref().unwrap_or("stop"))))
}

fn finished(completion: Completion, reason: &str) -> Completion {
    Completion {
        is_whole: reason != "length",
        is_refusal: completion.is_refusal || reason == "content_filter",
        ..completion
    }
}

fn endpoint_error(error: &Value) -> EndpointError {
    EndpointError { code: error.get("code").and_then(Value::as_u64) }
}

/// The text of an error response, in which an endpoint names what it does not support. Never shown.
pub(in crate::model) fn error_message(body: &[u8]) -> String {
    const MAX_BYTES: usize = 16 << 10;
    String::from_utf8_lossy(&body[..body.len().min(MAX_BYTES)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streamed(events: &[&str]) -> StreamedCompletion {
        let mut streamed = StreamedCompletion::default();
        for event in events {
            assert_eq!(streamed.push(event), Some(Ok(())), "{event}");
        }
        streamed
    }

    #[test]
    fn a_streamed_answer_is_put_together_from_its_parts() {
        let answer = streamed(&[
            r#"{"model":"m","choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"model":"m","choices":[{"delta":{"content":"{\"a\""}}],"usage":null}"#,
            r#"{"model":"m","choices":[{"delta":{"content":":1}"}}]}"#,
            r#"{"model":"m","choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"cost":0.5}}"#,
        ]);
        let usage = Some(Usage { prompt_tokens: 7, completion_tokens: 3, cost: Some(0.5) });
        let expected = Completion {
            text: "{\"a\":1}".to_owned(),
            is_refusal: false,
            is_whole: true,
            model: Some("m".to_owned()),
            usage,
        };
        assert_eq!(answer.finish(), Some(expected));
        assert_eq!(
            streamed(&[r#"{"choices":[{"delta":{"content":"x"}}]}"#]).finish(),
            None,
            "it ended too early"
        );
    }

    #[test]
    fn refusals_cut_answers_and_errors_are_told_apart() {
        let end = |reason: &str| format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        let refusal = r#"{"choices":[{"delta":{"refusal":"I cannot"}}]}"#;
        assert!(streamed(&[refusal, &end("stop")]).finish().unwrap().is_refusal);
        assert!(streamed(&[&end("content_filter")]).finish().unwrap().is_refusal);
        assert!(!streamed(&[&end("length")]).finish().unwrap().is_whole);
        let error = r#"{"error":{"code":502,"message":"upstream"}}"#;
        let expected = || Some(Err(EndpointError { code: Some(502) }));
        assert_eq!(StreamedCompletion::default().push(error), expected());
        assert_eq!(parse_completion(error.as_bytes()), Some(Err(EndpointError { code: Some(502) })));
        for garbage in ["<html>", "{\"choices\":[]}", "[]", "{\"choices\":[{}]}"] {
            assert_eq!(parse_completion(garbage.as_bytes()), None, "{garbage}");
        }
    }
}
