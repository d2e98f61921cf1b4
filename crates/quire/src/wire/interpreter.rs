//! Creates the configured interpreter.

use std::sync::Arc;

use quire_application::steps::{ModelInterpreter, ModelInterpreterSettings, RuleInterpreter, TokenBudget};
use quire_connectors::http::HttpClient;
use quire_connectors::model::{ModelSettings, ModelSettingsError, RemoteModel};
use quire_ports::{Interpreter, Store};

use crate::config::{Config, InterpreterChoice, to_std};
use crate::error::CommandError;

/// The interpreter that `interpreter.kind` names.
pub(super) fn create(config: &Config, store: &Store) -> Result<Arc<dyn Interpreter>, CommandError> {
    let rules = Arc::new(RuleInterpreter { clock: store.clock.clone() });
    if config.interpreter.kind == InterpreterChoice::Rules {
        return Ok(rules);
    }
    let model = remote_model(config).map_err(|(key, rule)| CommandError::new(format!("{key} {rule}")))?;
    let settings = &config.model;
    let interpreter_settings = ModelInterpreterSettings {
        fallback: settings.fallback,
        redact: settings.redact,
        answer_tokens: settings.max_answer_tokens,
        budget: TokenBudget {
            per_document: settings.max_tokens_per_document,
            per_day: settings.max_tokens_per_day,
        },
        prices: settings.prices(),
    };
    let (reviews, clock) = (store.reviews.clone(), store.clock.clone());
    Ok(Arc::new(ModelInterpreter::new(Arc::new(model), rules, reviews, clock, interpreter_settings)))
}

/// The configured model, or the key of an invalid setting and its rule.
pub(crate) fn remote_model(config: &Config) -> Result<RemoteModel, (&'static str, String)> {
    let model = &config.model;
    let settings = ModelSettings {
        url: model.url.clone(),
        allow_http: model.allow_http,
        name: model.name.trim().to_owned(),
        api_key: model.api_key.non_empty().map(str::to_owned),
        timeout: to_std(model.timeout),
        attempts: model.attempts,
    };
    RemoteModel::new(HttpClient::new(), settings).map_err(|bad| {
        let key = match bad {
            ModelSettingsError::Url | ModelSettingsError::PlainHttp => "model.url",
            ModelSettingsError::ApiKey => "model.api_key",
        };
        (key, bad.to_string())
    })
}
