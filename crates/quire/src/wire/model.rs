//! Creates the configured language model and the HTTP client that reaches it.

use std::path::PathBuf;
use std::sync::Arc;

use quire_application::lanes::{LaneModel, LanePermits};
use quire_application::steps::DayBudgetModel;
use quire_connectors::http::{HttpClient, HttpOptions, HttpOptionsError};
use quire_connectors::model::{
    BreakerSettings, CallLog, ModelSettings, ModelSettingsError, RecordingModel, RemoteModel, ReplayingModel,
};
use quire_domain::LaneName;
use quire_ports::{LanguageModel, Store};

use crate::config::{Config, to_std};
use crate::error::CommandError;

/// The key of an invalid setting and its rule.
pub(crate) type Invalid = (&'static str, String);

/// The HTTP client of all connectors.
pub(crate) fn http_client(config: &Config) -> Result<HttpClient, Invalid> {
    HttpClient::new(&http_options(config)).map_err(invalid_http)
}

/// How connections are made.
pub(super) fn http_options(config: &Config) -> HttpOptions {
    let http = &config.http;
    HttpOptions {
        proxy: http.proxy.non_empty().map(str::to_owned),
        ca_file: Some(http.ca_file.trim()).filter(|file| !file.is_empty()).map(Into::into),
    }
}

pub(super) fn invalid_http(bad: HttpOptionsError) -> Invalid {
    let key = match bad {
        HttpOptionsError::Proxy => "http.proxy",
        HttpOptionsError::CaFile => "http.ca_file",
    };
    (key, bad.to_string())
}

/// The configured model for every pipeline. Its calls are made in the lane of its endpoint and recorded in this store. None
/// if no model is configured.
pub(super) async fn language_model(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
) -> Result<Option<Arc<dyn LanguageModel>>, CommandError> {
    let folder = |setting: &str| Some(setting.trim()).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(folder) = folder(&config.model.replay_from) {
        return Ok(Some(Arc::new(ReplayingModel { folder })));
    }
    if config.model.url.trim().is_empty() {
        return Ok(None);
    }
    let remote = remote_model(config, store);
    let (remote, lane) = remote.map_err(|(key, rule)| CommandError::new(format!("{key} {rule}")))?;
    lanes.register(&lane).await;
    let model: Arc<dyn LanguageModel> =
        Arc::new(LaneModel { model: Arc::new(remote), lane, lanes: lanes.clone() });
    let model: Arc<dyn LanguageModel> = match config.model.max_tokens_per_day {
        0 => model,
        tokens_per_day => Arc::new(DayBudgetModel {
            model,
            calls: store.model_calls.clone(),
            clock: store.clock.clone(),
            tokens_per_day,
        }),
    };
    Ok(Some(match folder(&config.model.record_to) {
        Some(folder) => Arc::new(RecordingModel { model, folder }),
        None => model,
    }))
}

/// The model at the configured endpoint, and its lane.
fn remote_model(config: &Config, store: &Store) -> Result<(RemoteModel, LaneName), Invalid> {
    let settings = model_settings(config);
    let lane = settings.endpoint_name().map_err(invalid)?;
    let lane = LaneName::model(&lane).map_err(|error| ("model.url", error.to_string()))?;
    let log = CallLog::new(store.model_calls.clone(), store.clock.clone());
    let remote = RemoteModel::new(http_client(config)?, settings, log).map_err(invalid)?;
    Ok((remote, lane))
}

/// Checks the settings of the model.
pub(crate) fn check_model(config: &Config) -> Result<(), Invalid> {
    model_settings(config).check().map(drop).map_err(invalid)
}

/// Asks the endpoint for its list of models, which costs nothing, and returns the status of its answer.
pub(crate) async fn probe_model(config: &Config) -> Result<u16, String> {
    let client = http_client(config).map_err(|(key, rule)| format!("{key} {rule}"))?;
    model_settings(config).probe(&client).await
}

pub(super) fn model_settings(config: &Config) -> ModelSettings {
    let model = &config.model;
    ModelSettings {
        url: model.url.clone(),
        allow_http: model.allow_http,
        api_version: Some(model.api_version.trim().to_owned()).filter(|version| !version.is_empty()),
        name: model.name.trim().to_owned(),
        fallback_models: model.fallback_models(),
        api_key: model.api_key.non_empty().map(str::to_owned),
        headers: model.headers.non_empty().unwrap_or_default().to_owned(),
        timeout: to_std(model.timeout),
        idle_timeout: to_std(model.idle_timeout),
        max_response_bytes: usize::try_from(model.max_response_mb << 20).unwrap_or(usize::MAX),
        breaker: BreakerSettings { failures: model.breaker_failures, pause: to_std(model.breaker_pause) },
        prices: model.prices().unwrap_or_default(),
    }
}

fn invalid(bad: ModelSettingsError) -> Invalid {
    let key = match bad {
        ModelSettingsError::Url | ModelSettingsError::PlainHttp => "model.url",
        ModelSettingsError::ApiVersion => "model.api_version",
        ModelSettingsError::ApiKey => "model.api_key",
        ModelSettingsError::Headers => "model.headers",
    };
    (key, bad.to_string())
}
