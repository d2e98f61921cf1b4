//! Questions to models and their answers, as more than one pipeline uses them.

use std::time::Duration;

use jiff::Timestamp;
use quire_domain::Failure;
use quire_ports::{
    Artifact, Clock, LanguageModel, ModelErrorKind, ModelRequest, ModelResponse, RunQueue, StepContext,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::run_artifacts::store_artifact;

/// The type of the artifact that keeps the answer of a model as it came.
const MODEL_ANSWER: &str = "MODEL_ANSWER";

/// The longest time after a deadline in which a step may still run.
const TAKEN_OVER_AFTER: Duration = Duration::from_mins(1);

/// Asks once. An answer that was cut off counts as invalid: another one would be cut off in the same way.
pub(super) async fn ask(
    model: &dyn LanguageModel,
    request: &ModelRequest,
    clock: &dyn Clock,
) -> Result<ModelResponse, Failure> {
    let response = match model.ask(request).await {
        Ok(response) => response,
        Err(error) => {
            if error.kind == ModelErrorKind::Unavailable && has_no_time(request) {
                wait_for_deadline(request).await;
            }
            return Err(error.into_failure(clock.now()));
        }
    };
    if response.is_whole {
        return Ok(response);
    }
    let code = ModelErrorKind::AnswerInvalid.as_str();
    let message = "the answer of the model was cut off; raise model.max_answer_tokens";
    Err(Failure::permanent(code, message).with_diagnosis(response.text))
}

/// Whether the deadline leaves no time to ask again.
fn has_no_time(request: &ModelRequest) -> bool {
    request.time_left().is_some_and(|left| left.is_zero())
}

/// Waits for the deadline. The limit has ended the call, and it ends the step or the run with its own reason; a further
/// attempt could not ask.
async fn wait_for_deadline(request: &ModelRequest) {
    if let Some(deadline) = &request.deadline {
        deadline.passed().await;
        // The engine or the limited step takes over now.
        tokio::time::sleep(TAKEN_OVER_AFTER).await;
    }
}

/// The answer as an artifact, which is stored before anything uses it.
pub(super) fn artifact(response: &ModelResponse) -> (String, String) {
    (MODEL_ANSWER.to_owned(), payload(response, None).to_string())
}

/// Stores the answer to one of several questions of a step, so that no attempt and no other worker asks it again.
pub(super) async fn keep(
    queue: &dyn RunQueue,
    context: &StepContext,
    question: &str,
    response: &ModelResponse,
    at: Timestamp,
) -> Result<(), Failure> {
    let payload = payload(response, Some(question)).to_string();
    store_artifact(queue, context, MODEL_ANSWER, payload, at).await.map(|_| ())
}

/// The kept answers among the artifacts of a run, each with its question.
pub(super) fn kept(artifacts: &[Artifact]) -> impl Iterator<Item = (String, ModelResponse)> {
    let answers = artifacts.iter().filter(|artifact| artifact.artifact_type == MODEL_ANSWER);
    let kept = answers.filter_map(|artifact| serde_json::from_str::<KeptAnswer>(&artifact.payload).ok());
    kept.map(|KeptAnswer { question, text, model, tokens_in, tokens_out }| {
        let (cost, latency) = (None, Duration::ZERO);
        (question, ModelResponse { text, is_whole: true, model, tokens_in, tokens_out, cost, latency })
    })
}

/// The payload of an answer that has a question.
#[derive(Deserialize)]
struct KeptAnswer {
    question: String,
    text: String,
    model: String,
    tokens_in: u64,
    tokens_out: u64,
}

fn payload(response: &ModelResponse, question: Option<&str>) -> Value {
    let mut payload = json!({
        "model": response.model,
        "tokens_in": response.tokens_in,
        "tokens_out": response.tokens_out,
        "text": response.text,
    });
    if let Some(question) = question {
        payload["question"] = json!(question);
    }
    payload
}
