//! Answers of models, as more than one pipeline uses them.

use quire_ports::ModelResponse;
use serde_json::json;

/// The type of the artifact that keeps the answer of a model as it came.
const MODEL_ANSWER: &str = "MODEL_ANSWER";

/// The answer as an artifact, which is stored before anything uses it.
pub(super) fn artifact(response: &ModelResponse) -> (String, String) {
    let payload = json!({
        "model": response.model,
        "tokens_in": response.tokens_in,
        "tokens_out": response.tokens_out,
        "text": response.text,
    });
    (MODEL_ANSWER.to_owned(), payload.to_string())
}

/// The JSON of an answer, without the code fence that some models put around it.
pub(super) fn json_of(response: &ModelResponse) -> &str {
    let text = response.text.trim();
    let inner = text.strip_prefix("```").and_then(|inner| inner.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner))
}
