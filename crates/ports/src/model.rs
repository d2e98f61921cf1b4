//! Language models: what is asked of them, what they answer, and how they fail.

use async_trait::async_trait;
use jiff::Timestamp;

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are those of the conversation.
pub enum ChatRole {
    System,
    User,
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who says it.
    pub role: ChatRole,
    /// What is said. Never logged.
    pub text: String,
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// The name of the form that the answer must have: letters, digits, `_` and `-`.
    pub schema_name: String,
    /// The form itself, as JSON Schema.
    pub response_schema: String,
    /// Tokens of the longest answer.
    pub max_tokens: u64,
    /// When nobody waits for the answer any more. No pause between two attempts goes beyond it.
    pub deadline: Option<Timestamp>,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelResponse {
    /// The text, which should be JSON of the form that was asked for. Never logged.
    pub text: String,
    /// Whether it ends where it should, and not where the tokens did.
    pub is_whole: bool,
    /// The model, as it calls itself.
    pub model: String,
    /// Tokens of the question, as the model counts, else as they are estimated.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
}

macro_rules! troubles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a model is of no use at the moment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ModelErrorKind { $($(#[$doc])* $variant),+ }

        impl ModelErrorKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

troubles! {
    /// It did not answer in time, cannot be reached, or is broken itself.
    Unavailable = "MODEL_UNAVAILABLE",
    /// It wants to be asked less often.
    RateLimited = "MODEL_RATE_LIMITED",
    /// It does not take the question: a wrong key, name or address, or too long a text.
    Refused = "MODEL_REFUSED",
    /// Its answer is not what was asked for.
    AnswerInvalid = "MODEL_ANSWER_INVALID",
    /// The tokens that were set aside for it are spent, or would not do.
    BudgetSpent = "MODEL_BUDGET_SPENT",
}

impl ModelErrorKind {
    /// Whether the same question may fare better a little later.
    pub fn may_pass(self) -> bool {
        matches!(self, Self::Unavailable | Self::RateLimited)
    }
}

/// That a model is of no use at the moment, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The kind of trouble.
    pub kind: ModelErrorKind,
    /// What happened and what to do, for people. Never document text, nor what the model said.
    pub message: String,
}

/// A language model somewhere else.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks it, again if that may help.
    async fn ask(&self, question: &ModelRequest) -> Result<ModelResponse, ModelError>;
}
