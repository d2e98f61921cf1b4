//! Who understood a document, and at what price.

use serde::{Deserialize, Serialize};

/// Who understands documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InterpreterKind {
    /// The rules that come with the program.
    #[default]
    Rules,
    /// A language model.
    Model,
}

impl InterpreterKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Rules, Self::Model];

    /// The stored and shown form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model => "model",
        }
    }
}

/// How a version came to be that no person made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MadeBy {
    /// Whose fields they are.
    pub interpreter: InterpreterKind,
    /// The model that was asked, as it calls itself.
    #[serde(default)]
    pub model: Option<String>,
    /// The version of the prompt that it was asked with.
    #[serde(default)]
    pub prompt_version: Option<String>,
    /// Tokens that were sent, over all requests.
    #[serde(default)]
    pub tokens_in: u64,
    /// Tokens that were answered, over all requests.
    #[serde(default)]
    pub tokens_out: u64,
    /// What they cost, in the currency of the prices that are configured. Nothing if there are none.
    #[serde(default)]
    pub cost: Option<f64>,
    /// Why the rules did what a model was meant to do: the code of its failure.
    #[serde(default)]
    pub fallback_reason: Option<String>,
    /// How long it took.
    #[serde(default)]
    pub milliseconds: u64,
}

impl MadeBy {
    /// All tokens together.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}
