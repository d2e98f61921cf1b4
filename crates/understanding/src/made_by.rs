//! Which interpreter made a version, and at what cost.

use serde::{Deserialize, Serialize};

use crate::SchemaFit;

/// What interprets documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InterpreterKind {
    /// The rules of this program.
    #[default]
    Rules,
    /// A language model.
    Model,
}

impl InterpreterKind {
    /// All interpreters.
    pub const ALL: [Self; 2] = [Self::Rules, Self::Model];

    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model => "model",
        }
    }
}

/// How a version was made that no person made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MadeBy {
    /// The interpreter of the fields.
    pub interpreter: InterpreterKind,
    /// The name of the model, as the model reports it.
    #[serde(default)]
    pub model: Option<String>,
    /// The version of the prompt.
    #[serde(default)]
    pub prompt_version: Option<String>,
    /// The tokens sent to the model, over all requests.
    #[serde(default)]
    pub tokens_in: u64,
    /// The tokens received from the model, over all requests.
    #[serde(default)]
    pub tokens_out: u64,
    /// The cost, in the currency of the configured prices. None if no prices are configured.
    #[serde(default)]
    pub cost: Option<f64>,
    /// Why the rules replaced the model: the error code of its failure.
    #[serde(default)]
    pub fallback_reason: Option<String>,
    /// How long it took.
    #[serde(default)]
    pub milliseconds: u64,
    /// The schemas that fit best, if the schema was chosen automatically, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schema_fits: Vec<SchemaFit>,
}

impl MadeBy {
    /// The sum of both token counts.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}
