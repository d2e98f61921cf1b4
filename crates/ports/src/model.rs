//! Language models: requests, responses and errors.

use async_trait::async_trait;

use crate::Deadline;

/// The role of a message's author.
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
    /// The author's role.
    pub role: ChatRole,
    /// The text. Never logged.
    pub text: String,
}

/// A request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// The name of the response's JSON Schema: letters, digits, `_` and `-`.
    pub schema_name: String,
    /// The JSON Schema of the response.
    pub response_schema: String,
    /// The most tokens that the response may have.
    pub max_tokens: u64,
    /// The deadline. No pause between two attempts goes beyond it.
    pub deadline: Option<Deadline>,
}

/// A model's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelResponse {
    /// The text, which should be JSON that fits the schema. Never logged.
    pub text: String,
    /// Whether the text is complete and was not cut off by the token limit.
    pub is_whole: bool,
    /// The model's name, as the server reports it.
    pub model: String,
    /// Tokens of the request, as the model counts them, else estimated.
    pub tokens_in: u64,
    /// Tokens of the response.
    pub tokens_out: u64,
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a model cannot be used at the moment.
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

error_kinds! {
    /// It did not answer in time, cannot be reached, or failed.
    Unavailable = "MODEL_UNAVAILABLE",
    /// It limits the rate of requests.
    RateLimited = "MODEL_RATE_LIMITED",
    /// It refuses the request: a wrong key, name or address, or a text that is too long.
    Refused = "MODEL_REFUSED",
    /// Its response does not fit the schema.
    AnswerInvalid = "MODEL_ANSWER_INVALID",
    /// The token budget is spent or too small.
    BudgetSpent = "MODEL_BUDGET_SPENT",
}

impl ModelErrorKind {
    /// Whether the same request may succeed a little later.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Unavailable | Self::RateLimited)
    }
}

/// A model cannot be used at the moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The kind of error.
    pub kind: ModelErrorKind,
    /// What happened and what to do, for people. Never document text or the model's response.
    pub message: String,
}

/// A language model on a server.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Sends a request, and repeats it after an error that may pass.
    async fn ask(&self, question: &ModelRequest) -> Result<ModelResponse, ModelError>;
}
