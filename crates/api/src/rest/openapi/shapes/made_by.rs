//! What understood a document.

use utoipa::ToSchema;

use crate::rest::openapi::names;

/// What understood a document, and at what price. A version that a person made has none.
#[derive(ToSchema)]
pub(crate) struct MadeBy {
    interpreter: names::InterpreterKind,
    /// The model that was asked, as it calls itself.
    model: Option<String>,
    /// The version of the prompt that it was asked with.
    prompt_version: Option<String>,
    /// Tokens that were sent.
    #[schema(minimum = 0)]
    tokens_in: u64,
    /// Tokens that were answered.
    #[schema(minimum = 0)]
    tokens_out: u64,
    /// What they cost, in the currency of the prices that are configured. Null if there are none.
    cost: Option<f64>,
    /// Why the rules did what a model was meant to do.
    fallback_reason: Option<names::ModelErrorCode>,
    #[schema(minimum = 0)]
    milliseconds: u64,
}
