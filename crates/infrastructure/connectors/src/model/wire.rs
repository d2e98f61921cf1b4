//! What goes over the wire: the body of a request, and the few members of an answer that count.

use quire_ports::{ChatRole, ModelRequest, ModelResponse};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Bytes of text that make a token, where nobody counts: few, so that an estimate is rather too high.
const BYTES_PER_TOKEN: usize = 3;

#[derive(Serialize)]
struct Body<'q> {
    model: &'q str,
    messages: Vec<Said<'q>>,
    // The newer `max_completion_tokens` is not known to every endpoint that one runs oneself.
    max_tokens: u64,
    temperature: u8,
    response_format: Format<'q>,
}

#[derive(Serialize)]
struct Said<'q> {
    role: &'static str,
    content: &'q str,
}

#[derive(Serialize)]
struct Format<'q> {
    r#type: &'static str,
    json_schema: Form<'q>,
}

#[derive(Serialize)]
struct Form<'q> {
    name: &'q str,
    strict: bool,
    schema: Option<&'q RawValue>,
}

/// The body of a request.
pub(super) fn body(model: &str, question: &ModelRequest) -> Vec<u8> {
    let said = question.messages.iter().map(|message| Said {
        role: match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        },
        content: &message.text,
    });
    let form = Form {
        name: &question.schema_name,
        strict: true,
        schema: serde_json::from_str(&question.response_schema).ok(),
    };
    let body = Body {
        model,
        messages: said.collect(),
        max_tokens: question.max_tokens,
        temperature: 0,
        response_format: Format { r#type: "json_schema", json_schema: form },
    };
    // Text and numbers always are JSON.
    serde_json::to_vec(&body).unwrap_or_default()
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: Option<String>,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answered,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Answered {
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

/// The answer that a body holds, to a question of so many bytes. A model that answers without words (it refused) has
/// answered with none.
pub(super) fn answer(body: &[u8], asked: &str, sent: usize) -> Option<ModelResponse> {
    let completion: Completion = serde_json::from_slice(body).ok()?;
    let choice = completion.choices.into_iter().next()?;
    let text = choice.message.content.unwrap_or_default();
    let estimated = |bytes: usize| u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX);
    let usage = completion.usage.filter(|usage| usage.prompt_tokens > 0);
    let usage =
        usage.unwrap_or(Usage { prompt_tokens: estimated(sent), completion_tokens: estimated(text.len()) });
    Some(ModelResponse {
        is_whole: choice.finish_reason.as_deref() != Some("length"),
        model: completion.model.filter(|name| !name.is_empty()).unwrap_or_else(|| asked.to_owned()),
        tokens_in: usage.prompt_tokens,
        tokens_out: usage.completion_tokens,
        text,
    })
}
