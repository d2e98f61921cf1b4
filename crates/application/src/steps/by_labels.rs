//! The interpreter that needs nothing but the document: values stand behind their labels.

use async_trait::async_trait;
use quire_domain::interpretation::{Field, labels};
use quire_ports::{InterpretError, InterpretRequest, Interpreter};

/// Understands lines that say `Label: value`.
pub struct ByLabels;

#[async_trait]
impl Interpreter for ByLabels {
    async fn interpret(&self, request: InterpretRequest) -> Result<Vec<Field>, InterpretError> {
        Ok(labels::find(&request.reading.pages, &request.schema))
    }
}
