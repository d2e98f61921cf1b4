//! Questions, answered by a language model from the best passages of documents. Every sentence of an answer has the place where it
//! stands, or is left out. Without a model, or if it fails, the passages are returned alone.

mod evidence;
mod passages;
mod prompt;

use std::sync::Arc;
use std::time::Duration;

use quire_domain::proposal::ModelParameters;
use quire_ports::{
    CallContext, LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse, Store,
    within_awake_time,
};
use quire_understanding::redaction::Redaction;

pub use evidence::{AnsweredSentence, SentenceEvidence};
pub use passages::Passage;
pub use prompt::ASK_PROMPT_VERSION;

use self::evidence::ModelAnswer;
use crate::App;
use crate::search::{SearchError, Searcher};
use crate::steps::needed_tokens;

/// Characters of the longest question.
pub const MAX_QUESTION_CHARS: usize = 1_000;
/// Characters of the longest filters. Together with a question they are one query of the search.
pub const MAX_FILTER_CHARS: usize = 900;
/// The number of passages, if none is named.
pub const DEFAULT_PASSAGES: u32 = 8;
/// The largest number of passages.
pub const MAX_PASSAGES: u32 = 20;
/// The longest wait for one answer of the model. A correction is a second one.
const ANSWER_TIME: Duration = Duration::from_mins(1);

/// Answers questions about the documents of a store.
#[derive(Clone)]
pub struct Asker {
    store: Store,
    searcher: Searcher,
    model: Option<AskModel>,
}

/// The model that answers, and what it may use.
#[derive(Clone)]
pub struct AskModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// Whether personal data is redacted before it gets a text.
    pub redact: bool,
    /// The most tokens of an answer.
    pub max_tokens: u64,
    /// The most tokens of a question, over all requests; 0 without a limit.
    pub tokens_per_question: u64,
}

/// A question.
#[derive(Clone, Debug, Default)]
pub struct AskRequest {
    /// The question.
    pub question: String,
    /// Which documents it is about, as a query of the search. Empty for all.
    pub filters: String,
    /// The number of passages.
    pub limit: u32,
    /// Links the question to its request in the log.
    pub correlation_id: Option<String>,
    /// The name of the credential that asks.
    pub actor: Option<String>,
}

/// The passages that fit a question, and its answer.
#[derive(Clone, Debug)]
pub struct AskResult {
    /// The passages, best first.
    pub passages: Vec<Passage>,
    /// The answer, or why there is none.
    pub answer: Result<Answer, NoAnswer>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its sentences; at least one.
    pub sentences: Vec<AnsweredSentence>,
    /// How many sentences of the model were left out, because no quote shows that they are right.
    pub left_out: usize,
    /// The name of the model.
    pub model: String,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// No model is configured.
    NotConfigured,
    /// No passage fits the question.
    NothingFound,
    /// The model says that the passages do not answer the question, or no sentence of it has its evidence.
    NoEvidence,
    /// The model cannot be used at the moment.
    Model(ModelErrorKind),
}

impl NoAnswer {
    /// The stable code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotConfigured => "PROVIDER_NOT_CONFIGURED",
            Self::NothingFound => "NOTHING_FOUND",
            Self::NoEvidence => "NO_EVIDENCE",
            Self::Model(kind) => kind.as_str(),
        }
    }

    /// All codes.
    pub fn codes() -> Vec<&'static str> {
        let own = [
            Self::NotConfigured,
            Self::NothingFound,
            Self::NoEvidence,
            Self::Model(ModelErrorKind::LaneBusy),
        ];
        let of_models = ModelErrorKind::ALL.iter().map(|kind| kind.as_str());
        own.into_iter().map(Self::as_str).chain(of_models).collect()
    }
}

/// Why a question was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    /// It is empty or too long.
    #[error("must have from 1 to {MAX_QUESTION_CHARS} characters")]
    Question,
    /// The filters are too long.
    #[error("must have at most {MAX_FILTER_CHARS} characters")]
    Filters,
    /// The filters cannot be read, or the store does not answer.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Answers a question.
pub async fn ask(app: &App, request: &AskRequest) -> Result<AskResult, AskError> {
    app.asker.ask(request).await
}

impl Asker {
    /// Answers questions from what this searcher finds, with a model if there is one.
    pub fn new(store: Store, searcher: Searcher, model: Option<AskModel>) -> Self {
        Self { store, searcher, model }
    }

    /// Whether a model is configured.
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Answers a question.
    pub async fn ask(&self, request: &AskRequest) -> Result<AskResult, AskError> {
        let question = request.question.trim();
        if question.is_empty() || question.chars().nth(MAX_QUESTION_CHARS).is_some() {
            return Err(AskError::Question);
        }
        if request.filters.chars().nth(MAX_FILTER_CHARS).is_some() {
            return Err(AskError::Filters);
        }
        let limit = request.limit.clamp(1, MAX_PASSAGES);
        let passages = passages::best(&self.searcher, &self.store, question, &request.filters, limit).await?;
        let answer = match &self.model {
            None => Err(NoAnswer::NotConfigured),
            Some(_) if passages.is_empty() => Err(NoAnswer::NothingFound),
            Some(model) => self.answer(model, request, question, &passages).await,
        };
        Ok(AskResult { passages, answer })
    }

    async fn answer(
        &self,
        model: &AskModel,
        request: &AskRequest,
        question: &str,
        passages: &[Passage],
    ) -> Result<Answer, NoAnswer> {
        let mut redaction = model.redact.then(Redaction::default);
        let messages = prompt::messages(question, passages, redaction.as_mut());
        let context = CallContext {
            correlation_id: request.correlation_id.clone(),
            credential: request.actor.clone(),
            ..CallContext::default()
        };
        let first = ModelRequest {
            context,
            model: None,
            messages,
            schema_name: prompt::ANSWER_SCHEMA_NAME.to_owned(),
            response_schema: prompt::ANSWER_SCHEMA.to_owned(),
            max_tokens: model.max_tokens,
            temperature: 0.0,
            parameters: ModelParameters::default(),
            deadline: None,
        };
        let mut used = 0;
        let response = match self.send(model, first.clone(), &mut used).await {
            Ok(response) => response,
            Err(error) => return Err(failed(&error)),
        };
        let (parsed, response) = match ModelAnswer::parse(response.json()) {
            // Another answer would be cut off in the same way.
            None if response.is_whole => {
                let messages = prompt::repair(&first.messages, &response.text);
                match self.send(model, ModelRequest { messages, ..first }, &mut used).await {
                    Ok(response) => (ModelAnswer::parse(response.json()), response),
                    Err(error) => return Err(failed(&error)),
                }
            }
            parsed => (parsed, response),
        };
        let Some(parsed) = parsed else { return Err(NoAnswer::Model(ModelErrorKind::AnswerInvalid)) };
        let (sentences, left_out) = parsed.verify(question, passages, redaction.as_ref());
        if sentences.is_empty() {
            return Err(NoAnswer::NoEvidence);
        }
        Ok(Answer { sentences, left_out, model: response.model })
    }

    /// Sends one request, if the budget allows it. A call that takes too long is left to end by itself, so that it is recorded like
    /// any other.
    async fn send(
        &self,
        model: &AskModel,
        request: ModelRequest,
        used: &mut u64,
    ) -> Result<ModelResponse, ModelError> {
        let limit = model.tokens_per_question;
        if limit > 0 && used.saturating_add(needed_tokens(&request)) > limit {
            let spent = "the question needs more tokens than model.max_tokens_per_document allows; raise it";
            return Err(ModelError::new(ModelErrorKind::BudgetSpent, spent));
        }
        let asked = model.model.clone();
        let call = tokio::spawn(async move { asked.ask(&request).await });
        let response = match within_awake_time(ANSWER_TIME, call).await {
            Some(Ok(response)) => response,
            Some(Err(_)) => Err(ModelError::new(ModelErrorKind::Unavailable, "the model failed")),
            None => Err(ModelError::new(ModelErrorKind::Unavailable, "the model is too slow")),
        };
        if let Ok(response) = &response {
            *used += response.tokens_in + response.tokens_out;
        }
        response
    }
}

fn failed(error: &ModelError) -> NoAnswer {
    tracing::warn!(code = error.kind.as_str(), problem = %error, "ask: the model gave no answer");
    NoAnswer::Model(error.kind)
}
