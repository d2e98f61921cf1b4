//! The interpreter that uses rules and needs nothing but the document.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use quire_domain::Failure;
use quire_ports::{Clock, InterpretRequest, Interpreter, InterpreterOutput};
use quire_understanding::{MadeBy, rules};

/// Finds fields by the labels of the schema and by patterns that need no label.
pub struct RuleInterpreter {
    /// Gives the current day. Dates after it are not dates of a record.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Interpreter for RuleInterpreter {
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, Failure> {
        let started = std::time::Instant::now();
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let hints = rules::DocumentHints { language: request.language.as_deref(), today: Some(today) };
        let fields = rules::find_fields(&request.reading.pages, &request.schema, hints);
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(InterpreterOutput { fields, made_by: MadeBy { milliseconds, ..MadeBy::default() } })
    }
}
