//! Interpreting a document: from its pages to fields.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::Failure;
use quire_domain::reading::Reading;
use quire_understanding::{Field, MadeBy, Schema};

use crate::{CallContext, Deadline, ModelResponse};

/// Answers of models that cannot be used yet, kept so that no later attempt pays for them again.
#[async_trait]
pub trait KeptAnswers: Send + Sync {
    /// The answer to a question, which its hash names.
    async fn find(&self, question: &str) -> Option<ModelResponse>;

    /// Keeps an answer. If that fails, the next attempt must ask again.
    async fn keep(&self, question: &str, answer: &ModelResponse);
}

/// A document to interpret.
#[derive(Clone)]
pub struct InterpretRequest {
    /// The work for which it is interpreted.
    pub context: CallContext,
    /// Its pages with their text.
    pub reading: Arc<Reading>,
    /// Its language, if it is known.
    pub language: Option<String>,
    /// The schema of the fields to find.
    pub schema: Arc<Schema>,
    /// The deadline, if there is one.
    pub deadline: Option<Deadline>,
    /// Answers of earlier attempts, if they are kept.
    pub kept: Option<Arc<dyn KeptAnswers>>,
}

/// The interpretation of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterpreterOutput {
    /// The fields that were found.
    pub fields: Vec<Field>,
    /// The interpreter.
    pub made_by: MadeBy,
}

/// Finds the fields of a document.
#[async_trait]
pub trait Interpreter: Send + Sync {
    /// Finds the fields. Fields that the document does not contain are left out; the interpreter invents no values. A failure
    /// is that of the step, and its message has no document text.
    async fn interpret(&self, request: InterpretRequest) -> Result<InterpreterOutput, Failure>;
}
