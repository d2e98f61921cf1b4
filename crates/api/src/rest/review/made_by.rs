//! The interpreter of an interpretation, as JSON.

use quire_understanding::{MadeBy, SchemaFit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::rest::openapi::names;

/// What interpreted a document, and what that cost. Absent from versions that a person made.
#[derive(Serialize, ToSchema)]
#[schema(as = MadeBy)]
pub(crate) struct MadeByResponse {
    #[schema(value_type = names::InterpreterKind)]
    interpreter: &'static str,
    /// The name of the model.
    model: Option<String>,
    /// The version of the prompt.
    prompt_version: Option<String>,
    /// Tokens sent to the model.
    #[schema(minimum = 0)]
    tokens_in: u64,
    /// Tokens received from the model.
    #[schema(minimum = 0)]
    tokens_out: u64,
    /// The price of the tokens, in the currency of the configured prices. Null without prices.
    cost: Option<f64>,
    /// Why the rules interpreted the document instead of the model.
    #[schema(value_type = Option<names::ModelErrorCode>)]
    fallback_reason: Option<String>,
    #[schema(minimum = 0)]
    milliseconds: u64,
    /// How well the best schemas fit, if the schema was chosen automatically. The first one was chosen, unless none fits.
    schema_fits: Vec<SchemaFitResponse>,
}

/// How well a schema fits a document.
#[derive(Serialize, ToSchema)]
#[schema(as = SchemaFit)]
struct SchemaFitResponse {
    schema: String,
    /// From 0 to 1.
    fit: f64,
}

impl From<MadeBy> for MadeByResponse {
    fn from(made_by: MadeBy) -> Self {
        Self {
            interpreter: made_by.interpreter.as_str(),
            model: made_by.model,
            prompt_version: made_by.prompt_version,
            tokens_in: made_by.tokens_in,
            tokens_out: made_by.tokens_out,
            cost: made_by.cost,
            fallback_reason: made_by.fallback_reason,
            milliseconds: made_by.milliseconds,
            schema_fits: made_by
                .schema_fits
                .into_iter()
                .map(|SchemaFit { schema, fit }| SchemaFitResponse { schema, fit })
                .collect(),
        }
    }
}
