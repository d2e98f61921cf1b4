//! Understanding: from pages to fields.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::reading::Reading;
use quire_understanding::{Field, MadeBy, Schema};

/// A document to understand.
#[derive(Clone)]
pub struct InterpretRequest {
    /// What stands on its pages.
    pub reading: Arc<Reading>,
    /// The language it is in, if that is known.
    pub language: Option<String>,
    /// Which fields are looked for.
    pub schema: Arc<Schema>,
    /// When nobody waits for it any more, if that is known.
    pub deadline: Option<Timestamp>,
}

/// A document that was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterpreterOutput {
    /// What was found.
    pub fields: Vec<Field>,
    /// Who found it.
    pub made_by: MadeBy,
}

/// That a document could not be understood, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InterpretError {
    /// The stable code.
    pub code: &'static str,
    /// What happened and what to do, for people. Never document text.
    pub message: String,
    /// Whether another attempt may fare better.
    pub may_pass: bool,
}

/// Finds the fields of a document.
#[async_trait]
pub trait Interpreter: Send + Sync {
    /// Finds them. What is not found is left out; nothing is invented.
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, InterpretError>;
}
