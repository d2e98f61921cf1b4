//! The interpreter that needs nothing but the document: the rules of the domain.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use quire_domain::interpretation::{Field, rules};
use quire_ports::{Clock, InterpretError, InterpretRequest, Interpreter};

/// Understands documents by the labels of their schema and by what is known without labels.
pub struct ByRules {
    /// What day it is: nothing in a record happened after it.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Interpreter for ByRules {
    async fn interpret(&self, request: InterpretRequest) -> Result<Vec<Field>, InterpretError> {
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let known = rules::Known { language: request.language.as_deref(), today: Some(today) };
        Ok(rules::find(&request.reading.pages, &request.schema, known))
    }
}
