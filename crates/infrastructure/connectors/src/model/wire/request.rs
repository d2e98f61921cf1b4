//! The body of a request.

use std::borrow::Cow;
use std::fmt::Write as _;

use quire_ports::{ChatMessage, ChatRole, ModelRequest};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::model::features::{AnswerFormat, EndpointFeatures, Streaming};

#[derive(Serialize)]
struct ChatRequest<'q> {
    model: &'q str,
    messages: Vec<RequestMessage<'q>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'q>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct RequestMessage<'q> {
    role: &'static str,
    content: Cow<'q, str>,
}

#[derive(Serialize)]
struct ResponseFormat<'q> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_schema: Option<JsonSchema<'q>>,
}

#[derive(Serialize)]
struct JsonSchema<'q> {
    name: &'q str,
    strict: bool,
    schema: Option<&'q RawValue>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// The body of a request to this model with these features.
pub(in crate::model) fn request_body(
    model: &str,
    request: &ModelRequest,
    features: EndpointFeatures,
) -> Vec<u8> {
    let (limit, parameters) = (Some(request.max_tokens), &request.parameters);
    let body = ChatRequest {
        model,
        messages: messages(request, features.format),
        max_tokens: limit.filter(|_| !features.completion_tokens),
        max_completion_tokens: limit.filter(|_| features.completion_tokens),
        temperature: features.temperature.then_some(request.temperature),
        top_p: parameters.top_p,
        frequency_penalty: parameters.frequency_penalty,
        presence_penalty: parameters.presence_penalty,
        seed: parameters.seed,
        response_format: response_format(request, features.format),
        stream: features.streaming != Streaming::Off,
        stream_options: (features.streaming == Streaming::WithUsage)
            .then_some(StreamOptions { include_usage: true }),
    };
    // Strings and numbers always serialize.
    serde_json::to_vec(&body).unwrap_or_default()
}

/// The conversation. Where the endpoint does not enforce the schema, the first message ends with it.
fn messages(request: &ModelRequest, format: AnswerFormat) -> Vec<RequestMessage<'_>> {
    let mut messages: Vec<_> = request.messages.iter().map(message).collect();
    if let (Some(first), true) = (messages.first_mut(), format != AnswerFormat::JsonSchema) {
        let schema = &request.response_schema;
        // Writing to a String cannot fail.
        let _ = write!(
            first.content.to_mut(),
            "\n\nAnswer with one JSON object that fits this JSON Schema, without a code fence and without other words:\n{schema}"
        );
    }
    messages
}

fn message(message: &ChatMessage) -> RequestMessage<'_> {
    let role = match message.role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
    };
    RequestMessage { role, content: Cow::Borrowed(&message.text) }
}

fn response_format(request: &ModelRequest, format: AnswerFormat) -> Option<ResponseFormat<'_>> {
    match format {
        AnswerFormat::JsonSchema => {
            let schema = serde_json::from_str(&request.response_schema).ok();
            let json_schema = Some(JsonSchema { name: &request.schema_name, strict: true, schema });
            Some(ResponseFormat { r#type: "json_schema", json_schema })
        }
        AnswerFormat::JsonObject => Some(ResponseFormat { r#type: "json_object", json_schema: None }),
        AnswerFormat::Plain => None,
    }
}
