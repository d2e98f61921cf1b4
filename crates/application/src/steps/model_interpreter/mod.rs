//! The interpreter that uses a language model, if the configuration chooses one.
//!
//! A model makes claims. A claim becomes a field only if its value is found in the text. If the model fails, the rules can
//! interpret the document instead, and the version records that.

mod budget;
mod prompt;
mod response;
mod response_schema;
#[cfg(test)]
mod tests;
mod token_usage;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use quire_domain::Failure;
use quire_ports::{
    ChatMessage, Clock, InterpretRequest, Interpreter, InterpreterOutput, LanguageModel, ModelCalls,
    ModelError, ModelErrorKind, ModelRequest, ModelResponse, PortError,
};
use quire_understanding::redaction::Redaction;
use quire_understanding::rules::DocumentHints;
use quire_understanding::{Field, InterpreterKind, MadeBy, Value, claims};

pub use self::budget::TokenBudget;
use self::token_usage::TokenUsage;
use super::StepErrorCode;
pub use prompt::PROMPT_VERSION;

/// Bytes of text per token, for estimates before a request.
const BYTES_PER_TOKEN: u64 = 3;

/// The settings of a [`ModelInterpreter`].
#[derive(Clone, Copy, Debug)]
pub struct ModelInterpreterSettings {
    /// Whether the rules interpret the document if the model fails.
    pub fallback: bool,
    /// How many attempts the step has.
    pub attempts: u32,
    /// Whether personal data is hidden from the model.
    pub redact: bool,
    /// The most tokens of a response.
    pub answer_tokens: u64,
    /// The token budget.
    pub budget: TokenBudget,
}

/// Interprets documents with a model and keeps only the values that it finds in the text.
pub struct ModelInterpreter {
    model: Arc<dyn LanguageModel>,
    /// Interprets a document if the model fails, and finds the redacted values.
    rules: Arc<dyn Interpreter>,
    /// The calls of the day, which its budget limits.
    calls: Arc<dyn ModelCalls>,
    clock: Arc<dyn Clock>,
    settings: ModelInterpreterSettings,
}

/// Why the model gave no interpretation.
enum Failed {
    Model(ModelError),
    Store(PortError),
}

impl ModelInterpreter {
    /// An interpreter that uses this model, and `rules` where the model fails.
    pub fn new(
        model: Arc<dyn LanguageModel>,
        rules: Arc<dyn Interpreter>,
        calls: Arc<dyn ModelCalls>,
        clock: Arc<dyn Clock>,
        settings: ModelInterpreterSettings,
    ) -> Self {
        Self { model, rules, calls, clock, settings }
    }
}

#[async_trait]
impl Interpreter for ModelInterpreter {
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, Failure> {
        let started = Instant::now();
        let mut usage = TokenUsage::default();
        let failed = match self.interpret_with_model(&request, &mut usage).await {
            Ok(fields) => {
                let made_by = made_by(InterpreterKind::Model, &usage, None, started);
                return Ok(InterpreterOutput { fields, made_by });
            }
            Err(failed) => failed,
        };
        let error = match failed {
            Failed::Model(error) => error,
            Failed::Store(error) => return Err(unavailable(&error)),
        };
        let code = error.kind.as_str();
        if !self.settings.fallback || self.is_asked_again(&error, request.context.step_attempt) {
            return Err(error.into_failure(self.clock.now()));
        }
        tracing::warn!(code, "model failed, interpreting the document by rules");
        let by_rules = self.rules.interpret(request).await?;
        let made_by = made_by(InterpreterKind::Rules, &usage, Some(code), started);
        Ok(InterpreterOutput { made_by, ..by_rules })
    }
}

impl ModelInterpreter {
    /// Whether the model is asked once more before the rules are used. A model that has to be waited for is no failing one,
    /// and one that is left alone because it kept failing is not worth a wait.
    fn is_asked_again(&self, error: &ModelError, attempt: u32) -> bool {
        let may_pass = error.kind.is_retryable() && error.retry_after.is_none();
        error.kind.is_wait() || (may_pass && attempt < self.settings.attempts)
    }

    async fn interpret_with_model(
        &self,
        request: &InterpretRequest,
        usage: &mut TokenUsage,
    ) -> Result<Vec<Field>, Failed> {
        let mut redaction = self.settings.redact.then(Redaction::default);
        let model_request = ModelRequest {
            context: request.context.clone(),
            model: None,
            messages: prompt::messages(&request.reading, redaction.as_mut()),
            schema_name: response_schema::name(&request.schema),
            response_schema: response_schema::response_schema(&request.schema).to_string(),
            max_tokens: self.settings.answer_tokens,
            temperature: 0.0,
            deadline: request.deadline.clone(),
        };
        let response = self.send(&model_request, usage).await?;
        let parse =
            |response: &ModelResponse| response::parse(&response.text, &request.schema, redaction.as_ref());
        let claims = match parse(&response) {
            Some(claims) => claims,
            // Another response would be cut off in the same way.
            None if !response.is_whole => {
                return Err(invalid("the response of the model was cut off; raise model.max_answer_tokens"));
            }
            None => {
                let messages = prompt::repair(&model_request.messages, &response.text);
                let repaired = self.send(&ModelRequest { messages, ..model_request }, usage).await?;
                parse(&repaired).ok_or_else(|| {
                    invalid(
                        "the model sent an invalid response twice; choose a model that follows a JSON schema",
                    )
                })?
            }
        };
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let hints = DocumentHints { language: request.language.as_deref(), today: Some(today) };
        let mut fields = claims::verify_claims(claims, &request.reading, &request.schema, hints);
        if let Some(redaction) = redaction {
            self.fill_redacted(&mut fields, request, &redaction).await;
        }
        Ok(fields)
    }

    /// Sends one request, if the budget allows it.
    async fn send(&self, request: &ModelRequest, usage: &mut TokenUsage) -> Result<ModelResponse, Failed> {
        let needed =
            estimate_tokens(&request.messages, &request.response_schema).saturating_add(request.max_tokens);
        let budget = self.settings.budget;
        if !budget.fits_document(usage.tokens(), needed) {
            return Err(over_budget(
                "the document needs more tokens than model.max_tokens_per_document; raise it, or set model.fallback = true",
            ));
        }
        let fits = budget.fits_day(&*self.calls, needed, self.clock.now()).await;
        if !fits.map_err(Failed::Store)? {
            return Err(over_budget(
                "model.max_tokens_per_day is used up until midnight UTC; raise it, or set model.fallback = true",
            ));
        }
        usage.was_sent = true;
        let response = self.model.ask(request).await.map_err(Failed::Model)?;
        usage.add(&response);
        Ok(response)
    }

    /// Adds the redacted values that the rules find and the model did not claim.
    async fn fill_redacted(
        &self,
        fields: &mut Vec<Field>,
        request: &InterpretRequest,
        redaction: &Redaction,
    ) {
        let Ok(by_rules) = self.rules.interpret(request.clone()).await else { return };
        let is_redacted =
            |field: &Field| matches!(&field.value, Value::Text(text) if redaction.contains_redacted(text));
        claims::fill_from_rules(fields, by_rules.fields, &request.schema, is_redacted);
    }
}

fn made_by(
    interpreter: InterpreterKind,
    usage: &TokenUsage,
    fallback: Option<&str>,
    started: Instant,
) -> MadeBy {
    MadeBy {
        interpreter,
        model: usage.model.clone(),
        prompt_version: usage.was_sent.then(|| PROMPT_VERSION.to_owned()),
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        cost: usage.cost,
        fallback_reason: fallback.map(str::to_owned),
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// Estimates the tokens of a request, rather too many than too few.
fn estimate_tokens(messages: &[ChatMessage], response_schema: &str) -> u64 {
    let bytes = messages.iter().map(|message| message.text.len()).sum::<usize>() + response_schema.len();
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN
}

fn invalid(message: &str) -> Failed {
    Failed::Model(ModelError::new(ModelErrorKind::AnswerInvalid, message))
}

fn over_budget(message: &str) -> Failed {
    Failed::Model(ModelError::new(ModelErrorKind::BudgetSpent, message))
}

fn unavailable(error: &PortError) -> Failure {
    let message = format!("the tokens used today could not be read: {error}");
    Failure::transient(StepErrorCode::StoreUnavailable.as_str(), message)
}
