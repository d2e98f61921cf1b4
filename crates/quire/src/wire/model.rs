//! Creates the configured language model and the HTTP client that reaches it.

use quire_connectors::http::{HttpClient, HttpOptions, HttpOptionsError};
use quire_connectors::model::{BreakerSettings, ModelSettings, ModelSettingsError, RemoteModel};
use quire_domain::Backoff;

use crate::config::{Config, to_std};

/// The key of an invalid setting and its rule.
type Invalid = (&'static str, String);

/// The HTTP client of all connectors.
pub(crate) fn http_client(config: &Config) -> Result<HttpClient, Invalid> {
    let http = &config.http;
    let options = HttpOptions {
        proxy: http.proxy.non_empty().map(str::to_owned),
        ca_file: Some(http.ca_file.trim()).filter(|file| !file.is_empty()).map(Into::into),
    };
    HttpClient::new(&options).map_err(|bad| {
        let key = match bad {
            HttpOptionsError::Proxy => "http.proxy",
            HttpOptionsError::CaFile => "http.ca_file",
        };
        (key, bad.to_string())
    })
}

/// The configured model.
pub(crate) fn remote_model(config: &Config) -> Result<RemoteModel, Invalid> {
    let (model, retry) = (&config.model, config.engine.retry);
    let settings = ModelSettings {
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
        retry: Backoff {
            attempts: model.attempts,
            base_ms: retry.base_delay_ms,
            max_ms: retry.max_delay_ms,
            jitter_ratio: retry.jitter_ratio,
        },
        breaker: BreakerSettings { failures: model.breaker_failures, pause: to_std(model.breaker_pause) },
        prices: model.prices(),
    };
    RemoteModel::new(http_client(config)?, settings).map_err(|bad| {
        let key = match bad {
            ModelSettingsError::Url | ModelSettingsError::PlainHttp => "model.url",
            ModelSettingsError::ApiVersion => "model.api_version",
            ModelSettingsError::ApiKey => "model.api_key",
            ModelSettingsError::Headers => "model.headers",
        };
        (key, bad.to_string())
    })
}
