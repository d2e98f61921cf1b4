//! Creates the configured interpreter.

use std::sync::Arc;

use quire_application::steps::{ModelInterpreter, ModelInterpreterSettings, RuleInterpreter};
use quire_domain::Pipeline;
use quire_ports::{Interpreter, LanguageModel, Store};

use crate::config::{Config, InterpreterChoice};
use crate::error::CommandError;

/// The interpreter that `interpreter.kind` names. It uses this model, if it needs one.
pub(super) fn create(
    config: &Config,
    store: &Store,
    model: Option<Arc<dyn LanguageModel>>,
) -> Result<Arc<dyn Interpreter>, CommandError> {
    let rules = Arc::new(RuleInterpreter { clock: store.clock.clone() });
    if config.interpreter.kind == InterpreterChoice::Rules {
        return Ok(rules);
    }
    let model =
        model.ok_or_else(|| CommandError::new("model.url must be set if interpreter.kind is \"model\""))?;
    let settings = &config.model;
    let interpreter_settings = ModelInterpreterSettings {
        fallback: settings.fallback,
        max_attempts: config.policy(Pipeline::Document).backoff.max_attempts,
        redact: settings.redact,
        answer_tokens: settings.max_answer_tokens,
        tokens_per_document: settings.max_tokens_per_document,
    };
    Ok(Arc::new(ModelInterpreter::new(model, rules, store.clock.clone(), interpreter_settings)))
}
