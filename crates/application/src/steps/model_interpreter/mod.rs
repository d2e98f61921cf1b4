//! The interpreter that uses a language model, if the configuration chooses one.
//!
//! A model makes claims. A claim becomes a field only if its value is found in the text. If the model fails, the rules can
//! interpret the document instead, and the version records that.

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
use quire_domain::proposal::ModelParameters;
use quire_domain::{Failure, hex};
use quire_ports::{
    Clock, InterpretRequest, Interpreter, InterpreterOutput, LanguageModel, ModelError, ModelErrorKind,
    ModelRequest, ModelResponse,
};
use quire_understanding::redaction::Redaction;
use quire_understanding::rules::DocumentHints;
use quire_understanding::{Field, InterpreterKind, MadeBy, Value, claims};
use sha2::{Digest as _, Sha256};

use self::token_usage::TokenUsage;
use super::day_budget::needed_tokens;
pub use prompt::PROMPT_VERSION;

/// The settings of a [`ModelInterpreter`].
#[derive(Clone, Copy, Debug)]
pub struct ModelInterpreterSettings {
    /// Whether the rules interpret the document if the model fails.
    pub fallback: bool,
    /// How many attempts the step has.
    pub max_attempts: u32,
    /// Whether personal data is hidden from the model.
    pub redact: bool,
    /// The most tokens of a response.
    pub answer_tokens: u64,
    /// The most tokens for one document, over all requests. 0 means no limit.
    pub tokens_per_document: u64,
}

/// Interprets documents with a model and keeps only the values that it finds in the text.
pub struct ModelInterpreter {
    model: Arc<dyn LanguageModel>,
    /// Interprets a document if the model fails, and finds the redacted values.
    rules: Arc<dyn Interpreter>,
    clock: Arc<dyn Clock>,
    settings: ModelInterpreterSettings,
}

impl ModelInterpreter {
    /// An interpreter that uses this model, and `rules` where the model fails.
    pub fn new(
        model: Arc<dyn LanguageModel>,
        rules: Arc<dyn Interpreter>,
        clock: Arc<dyn Clock>,
        settings: ModelInterpreterSettings,
    ) -> Self {
        Self { model, rules, clock, settings }
    }
}

#[async_trait]
impl Interpreter for ModelInterpreter {
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, Failure> {
        let started = Instant::now();
        let mut usage = TokenUsage::default();
        let error = match self.interpret_with_model(&request, &mut usage).await {
            Ok(fields) => {
                let made_by = made_by(InterpreterKind::Model, &usage, None, started);
                return Ok(InterpreterOutput { fields, made_by });
            }
            Err(error) => error,
        };
        let code = error.kind.as_str();
        if !self.settings.fallback || self.is_asked_again(&error, request.context.step_attempt) {
            return Err(error.into_failure(self.clock.now()));
        }
        tracing::warn!(
            run_id = request.context.run_id.map(tracing::field::display),
            correlation_id = request.context.correlation_id.as_deref(),
            code,
            "model failed, interpreting the document by rules"
        );
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
        error.kind.is_wait() || (may_pass && attempt < self.settings.max_attempts)
    }

    async fn interpret_with_model(
        &self,
        request: &InterpretRequest,
        usage: &mut TokenUsage,
    ) -> Result<Vec<Field>, ModelError> {
        let mut redaction = self.settings.redact.then(Redaction::default);
        let model_request = ModelRequest {
            context: request.context.clone(),
            model: None,
            messages: prompt::messages(&request.reading, redaction.as_mut()),
            schema_name: response_schema::name(&request.schema),
            response_schema: response_schema::response_schema(&request.schema).to_string(),
            max_tokens: self.settings.answer_tokens,
            temperature: 0.0,
            parameters: ModelParameters::default(),
            deadline: request.deadline.clone(),
        };
        let parse =
            |response: &ModelResponse| response::parse(response.json(), &request.schema, redaction.as_ref());
        let (question, kept) = (question(&model_request), request.kept.as_deref());
        let invalid_before = match kept {
            Some(kept) => kept.find(&question).await,
            None => None,
        };
        let response = match invalid_before {
            Some(paid) => {
                usage.was_sent = true;
                usage.add(&paid);
                paid
            }
            None => self.send(&model_request, usage).await?,
        };
        let claims = match parse(&response) {
            Some(claims) => claims,
            // Another response would be cut off in the same way.
            None if !response.is_whole => {
                return Err(invalid("the response of the model was cut off; raise model.max_answer_tokens"));
            }
            None => {
                if let Some(kept) = kept {
                    // The repair may have to wait for its lane. Then the next attempt goes on with this answer.
                    kept.keep(&question, &response).await;
                }
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

    /// Sends one request, if the budget of the document allows it.
    async fn send(
        &self,
        request: &ModelRequest,
        usage: &mut TokenUsage,
    ) -> Result<ModelResponse, ModelError> {
        let limit = self.settings.tokens_per_document;
        if limit > 0 && usage.tokens().saturating_add(needed_tokens(request)) > limit {
            let message = "the document needs more tokens than model.max_tokens_per_document; raise it, or set model.fallback = true";
            return Err(ModelError::new(ModelErrorKind::BudgetSpent, message));
        }
        let answer = self.model.ask(request).await;
        // Beyond the budget of the day nothing is sent.
        usage.was_sent |= !matches!(&answer, Err(error) if error.kind == ModelErrorKind::BudgetSpent);
        let response = answer?;
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
        schema_fits: Vec::new(),
    }
}

/// Names a question by its content.
fn question(request: &ModelRequest) -> String {
    let mut hash = Sha256::new();
    for message in &request.messages {
        hash.update(message.text.len().to_le_bytes());
        hash.update(&message.text);
    }
    hash.update(&request.response_schema);
    hex(&hash.finalize())
}

fn invalid(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::AnswerInvalid, message)
}
