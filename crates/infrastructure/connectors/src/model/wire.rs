//! The JSON of the chat completions API: the request body, and the members of a response that are used.

use quire_ports::{ChatRole, ModelRequest, ModelResponse};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Bytes per token for an estimate, if the endpoint reports no usage. A low number, so that the estimate is rather too high.
const BYTES_PER_TOKEN: usize = 3;

#[derive(Serialize)]
struct ChatRequest<'q> {
    model: &'q str,
    messages: Vec<RequestMessage<'q>>,
    // Many self-hosted endpoints do not support the newer `max_completion_tokens`.
    max_tokens: u64,
    temperature: u8,
    response_format: ResponseFormat<'q>,
}

#[derive(Serialize)]
struct RequestMessage<'q> {
    role: &'static str,
    content: &'q str,
}

#[derive(Serialize)]
struct ResponseFormat<'q> {
    r#type: &'static str,
    json_schema: JsonSchema<'q>,
}

#[derive(Serialize)]
struct JsonSchema<'q> {
    name: &'q str,
    strict: bool,
    schema: Option<&'q RawValue>,
}

/// The body of a request.
pub(super) fn request_body(model: &str, request: &ModelRequest) -> Vec<u8> {
    let messages = request.messages.iter().map(|message| RequestMessage {
        role: match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        },
        content: &message.text,
    });
    let json_schema = JsonSchema {
        name: &request.schema_name,
        strict: true,
        schema: serde_json::from_str(&request.response_schema).ok(),
    };
    let body = ChatRequest {
        model,
        messages: messages.collect(),
        max_tokens: request.max_tokens,
        temperature: 0,
        response_format: ResponseFormat { r#type: "json_schema", json_schema },
    };
    // Strings and numbers always serialize.
    serde_json::to_vec(&body).unwrap_or_default()
}

#[derive(Deserialize)]
struct ChatResponse {
    #[serde(default)]
    model: Option<String>,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: ResponseMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ResponseMessage {
    #[serde(default)]
    content: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// Parses a response body. `requested_model` and `request_bytes` are the fallback for the model name and the token count. A
/// response without content (the model refused) becomes an empty text.
pub(super) fn parse_response(
    body: &[u8],
    requested_model: &str,
    request_bytes: usize,
) -> Option<ModelResponse> {
    let completion: ChatResponse = serde_json::from_slice(body).ok()?;
    let choice = completion.choices.into_iter().next()?;
    let text = choice.message.content.unwrap_or_default();
    let estimated = |bytes: usize| u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX);
    let usage = completion.usage.filter(|usage| usage.prompt_tokens > 0);
    let usage = usage.unwrap_or(Usage {
        prompt_tokens: estimated(request_bytes),
        completion_tokens: estimated(text.len()),
    });
    Some(ModelResponse {
        is_whole: choice.finish_reason.as_deref() != Some("length"),
        model: completion.model.filter(|name| !name.is_empty()).unwrap_or_else(|| requested_model.to_owned()),
        tokens_in: usage.prompt_tokens,
        tokens_out: usage.completion_tokens,
        text,
    })
}
