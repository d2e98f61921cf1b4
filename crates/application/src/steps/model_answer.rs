//! Questions to models and their answers, as more than one pipeline uses them.

use quire_domain::Failure;
use quire_ports::{Clock, LanguageModel, ModelErrorKind, ModelRequest, ModelResponse};
use serde_json::json;

/// The type of the artifact that keeps the answer of a model as it came.
const MODEL_ANSWER: &str = "MODEL_ANSWER";

/// Asks once. An answer that was cut off counts as invalid: another one would be cut off in the same way.
pub(super) async fn ask(
    model: &dyn LanguageModel,
    request: &ModelRequest,
    clock: &dyn Clock,
) -> Result<ModelResponse, Failure> {
    let response = model.ask(request).await.map_err(|error| error.into_failure(clock.now()))?;
    if response.is_whole {
        return Ok(response);
    }
    let code = ModelErrorKind::AnswerInvalid.as_str();
    let message = "the answer of the model was cut off; raise model.max_answer_tokens";
    Err(Failure::permanent(code, message).with_diagnosis(response.text))
}

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
