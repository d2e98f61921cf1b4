//! The interpreter that asks a language model, where somebody has chosen that.
//!
//! The model says what it believes to have read; the domain believes of that what it finds in the text. Whatever goes wrong
//! with the model, the rules can do the work instead, and the version says so.

mod answer;
mod budget;
mod form;
mod prompt;
mod spent;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use quire_ports::{
    ChatMessage, Clock, InterpretError, InterpretRequest, Interpreter, InterpreterOutput, LanguageModel,
    ModelError, ModelErrorKind, ModelRequest, ModelResponse, PortError, Reviews,
};
use quire_understanding::redaction::Redaction;
use quire_understanding::rules::DocumentHints;
use quire_understanding::{Field, InterpreterKind, MadeBy, Value, claims};

use self::budget::Lost;
pub use self::budget::TokenBudget;
use self::spent::{Spent, Untold};
use super::StepErrorCode;
pub use prompt::PROMPT_VERSION;

/// Bytes of text that make a token, for what is estimated before anybody counts.
const BYTES_PER_TOKEN: u64 = 3;
/// Tokens that prices are for.
const PRICED: f64 = 1_000_000.0;

/// How a model is used.
#[derive(Clone, Copy, Debug)]
pub struct ModelInterpreterSettings {
    /// Whether the rules do it when the model does not.
    pub fallback: bool,
    /// Whether what tells of people is hidden from the model.
    pub redact: bool,
    /// Tokens of the longest answer.
    pub answer_tokens: u64,
    /// What may be spent.
    pub budget: TokenBudget,
    /// Prices of a million tokens, sent and answered, if there are any.
    pub prices: Option<(f64, f64)>,
}

/// Understands documents by asking a model, and believes only what it finds in the text.
pub struct ModelInterpreter {
    model: Arc<dyn LanguageModel>,
    /// What else understands them.
    rules: Arc<dyn Interpreter>,
    reviews: Arc<dyn Reviews>,
    clock: Arc<dyn Clock>,
    settings: ModelInterpreterSettings,
    lost: Lost,
}

/// Why the model did not do it.
enum Missed {
    Model(ModelError),
    Store(PortError),
}

impl ModelInterpreter {
    /// An interpreter that asks this model. `rules` does what the model does not.
    pub fn new(
        model: Arc<dyn LanguageModel>,
        rules: Arc<dyn Interpreter>,
        reviews: Arc<dyn Reviews>,
        clock: Arc<dyn Clock>,
        settings: ModelInterpreterSettings,
    ) -> Self {
        Self { model, rules, reviews, clock, settings, lost: Lost::default() }
    }
}

#[async_trait]
impl Interpreter for ModelInterpreter {
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, InterpretError> {
        let started = Instant::now();
        let mut untold = Untold::new(self);
        let missed = match self.understand(&request, &mut untold.spent).await {
            Ok(fields) => {
                let made_by = self.made_by(InterpreterKind::Model, &untold.spent, None, started);
                untold.tell();
                return Ok(InterpreterOutput { fields, made_by });
            }
            Err(missed) => missed,
        };
        let error = match missed {
            Missed::Model(error) => error,
            Missed::Store(error) => return Err(unavailable(&error)),
        };
        let code = error.kind.as_str();
        if !self.settings.fallback {
            return Err(InterpretError { code, message: error.message, may_pass: error.kind.may_pass() });
        }
        tracing::warn!(code, "the model was of no use for a document; the rules understand it");
        let by_rules = self.rules.interpret(request).await?;
        let made_by = self.made_by(InterpreterKind::Rules, &untold.spent, Some(code), started);
        untold.tell();
        Ok(InterpreterOutput { made_by, ..by_rules })
    }
}

impl ModelInterpreter {
    async fn understand(&self, request: &InterpretRequest, spent: &mut Spent) -> Result<Vec<Field>, Missed> {
        let mut redaction = self.settings.redact.then(Redaction::default);
        let question = ModelRequest {
            messages: prompt::messages(&request.reading, redaction.as_mut()),
            schema_name: form::name(&request.schema),
            response_schema: form::form(&request.schema).to_string(),
            max_tokens: self.settings.answer_tokens,
            deadline: request.deadline,
        };
        let answer = self.ask(&question, spent).await?;
        let read = |answer: &ModelResponse| answer::claims(&answer.text, &request.schema, redaction.as_ref());
        let claims = match read(&answer) {
            Some(claims) => claims,
            // More of the same would be cut at the same place.
            None if !answer.is_whole => {
                return Err(invalid("the model's answer was cut off; raise model.max_answer_tokens"));
            }
            None => {
                let messages = prompt::repair(&question.messages, &answer.text);
                let repaired = self.ask(&ModelRequest { messages, ..question }, spent).await?;
                read(&repaired).ok_or_else(|| {
                    invalid("the model twice answered something else than the form; choose a model that keeps to a JSON schema")
                })?
            }
        };
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let known = DocumentHints { language: request.language.as_deref(), today: Some(today) };
        let mut fields = claims::verify_claims(claims, &request.reading, &request.schema, known);
        if let Some(redaction) = redaction {
            self.fill_hidden(&mut fields, request, &redaction).await;
        }
        Ok(fields)
    }

    /// Asks once, if the budget allows that.
    async fn ask(&self, question: &ModelRequest, spent: &mut Spent) -> Result<ModelResponse, Missed> {
        let needed =
            estimated(&question.messages, &question.response_schema).saturating_add(question.max_tokens);
        let budget = self.settings.budget;
        if !budget.fits_document(spent.tokens(), needed) {
            return Err(over("the document is too long for model.max_tokens_per_document"));
        }
        let so_far = spent.tokens().saturating_add(needed);
        let fits = budget.fits_day(&*self.reviews, &self.lost, so_far, self.clock.now()).await;
        if !fits.map_err(Missed::Store)? {
            return Err(over("model.max_tokens_per_day is spent until midnight UTC"));
        }
        spent.is_asked = true;
        let answer = self.model.ask(question).await.map_err(Missed::Model)?;
        spent.tokens_in = spent.tokens_in.saturating_add(answer.tokens_in);
        spent.tokens_out = spent.tokens_out.saturating_add(answer.tokens_out);
        spent.model = Some(answer.model.clone());
        Ok(answer)
    }

    /// What was hidden from the model is the rules' to find, as far as the model did not point to it.
    async fn fill_hidden(&self, fields: &mut Vec<Field>, request: &InterpretRequest, redaction: &Redaction) {
        let Ok(by_rules) = self.rules.interpret(request.clone()).await else { return };
        let is_hidden =
            |field: &Field| matches!(&field.value, Value::Text(text) if redaction.contains_redacted(text));
        claims::fill_from_rules(fields, by_rules.fields, &request.schema, is_hidden);
    }

    fn made_by(
        &self,
        interpreter: InterpreterKind,
        spent: &Spent,
        fallback: Option<&str>,
        started: Instant,
    ) -> MadeBy {
        MadeBy {
            interpreter,
            model: spent.model.clone(),
            prompt_version: spent.is_asked.then(|| PROMPT_VERSION.to_owned()),
            tokens_in: spent.tokens_in,
            tokens_out: spent.tokens_out,
            cost: self.settings.prices.map(|prices| cost(spent, prices)),
            fallback_reason: fallback.map(str::to_owned),
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

#[allow(clippy::cast_precision_loss)] // Nobody pays for so many tokens that one more or less would count.
fn cost(spent: &Spent, (price_in, price_out): (f64, f64)) -> f64 {
    (spent.tokens_in as f64 * price_in + spent.tokens_out as f64 * price_out) / PRICED
}

/// Tokens of a question, rather too many than too few.
fn estimated(messages: &[ChatMessage], form: &str) -> u64 {
    let bytes = messages.iter().map(|message| message.text.len()).sum::<usize>() + form.len();
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN
}

fn invalid(message: &str) -> Missed {
    Missed::Model(ModelError { kind: ModelErrorKind::AnswerInvalid, message: message.to_owned() })
}

fn over(message: &str) -> Missed {
    Missed::Model(ModelError { kind: ModelErrorKind::BudgetSpent, message: message.to_owned() })
}

fn unavailable(error: &PortError) -> InterpretError {
    let message = format!("what was spent on models today could not be looked up: {error}");
    InterpretError { code: StepErrorCode::StoreUnavailable.as_str(), message, may_pass: true }
}
