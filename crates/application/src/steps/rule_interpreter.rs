//! The interpreter that needs nothing but the document: the rules of the domain.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use quire_ports::{Clock, InterpretError, InterpretRequest, Interpreter, InterpreterOutput};
use quire_understanding::{MadeBy, rules};

/// Understands documents by the labels of their schema and by what is known without labels.
pub struct RuleInterpreter {
    /// What day it is: nothing in a record happened after it.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Interpreter for RuleInterpreter {
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, InterpretError> {
        let started = std::time::Instant::now();
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let known = rules::DocumentHints { language: request.language.as_deref(), today: Some(today) };
        let fields = rules::extract_fields(&request.reading.pages, &request.schema, known);
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(InterpreterOutput { fields, made_by: MadeBy { milliseconds, ..MadeBy::default() } })
    }
}
