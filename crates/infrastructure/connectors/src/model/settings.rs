//! The settings of a model endpoint.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Uri};

use super::breaker::BreakerSettings;
use crate::http::{HttpClient, HttpLimits, is_this_machine};

/// The part of the URL that stands for the name of the model.
const MODEL_PLACE: &str = "{model}";
/// The longest part of a host that names an endpoint.
const MAX_HOST: usize = 100;
/// How long an endpoint may take to say that it works.
const PROBE_TIME: Duration = Duration::from_secs(10);
/// The header for keys of Azure.
const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// The prices of a million tokens by the name of the model: of the prompt and of the response.
pub type ModelPrices = HashMap<String, (f64, f64)>;

/// The settings of a model endpoint.
#[derive(Clone)]
pub struct ModelSettings {
    /// The address before `/chat/completions`, such as `http://localhost:11434/v1`. `{model}` in it stands for the name
    /// of the model.
    pub url: String,
    /// Whether the text of documents may be sent over plain HTTP to another machine.
    pub allow_http: bool,
    /// The `api-version` of Azure. With one, the key is sent as Azure wants it.
    pub api_version: Option<String>,
    /// The name of the model.
    pub name: String,
    /// Models of the same endpoint that are asked if this one fails, in order.
    pub fallback_models: Vec<String>,
    /// The API key, if the endpoint needs one.
    pub api_key: Option<String>,
    /// Additional headers: `Name: value`, separated by semicolons.
    pub headers: String,
    /// The time limit of one request.
    pub timeout: Duration,
    /// The longest silence of a streamed answer that has begun.
    pub idle_timeout: Duration,
    /// The largest response, in bytes.
    pub max_response_bytes: usize,
    /// When a model is left alone.
    pub breaker: BreakerSettings,
    /// The prices of a million tokens of each model, of the prompt and of the response.
    pub prices: ModelPrices,
}

/// Which setting of a model endpoint is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSettingsError {
    /// The URL.
    Url,
    /// The URL is plain HTTP to another machine.
    PlainHttp,
    /// The version of Azure's API.
    ApiVersion,
    /// The API key.
    ApiKey,
    /// The additional headers.
    Headers,
}

impl fmt::Display for ModelSettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Url => "must be a URL such as http://localhost:11434/v1",
            Self::PlainHttp => {
                "must start with https://, because over http:// others on the way can read the documents; to send them \
                 over http:// nevertheless, set model.allow_http = true"
            }
            Self::ApiVersion => "must be a version such as 2024-10-21",
            Self::ApiKey => "must be printable ASCII without spaces",
            Self::Headers => {
                "must be headers such as \"HTTP-Referer: https://example.org; X-Title: Quire\", and none that Quire sets"
            }
        })
    }
}

impl ModelSettings {
    /// Checks the settings and returns the headers of every request.
    pub fn check(&self) -> Result<HeaderMap, ModelSettingsError> {
        self.address(&self.name)?;
        self.header_map()
    }

    /// Asks the endpoint for its list of models and returns the status of the answer. An endpoint without such a list
    /// answers too.
    pub async fn probe(&self, client: &HttpClient) -> Result<u16, String> {
        let address = self.address(&self.name).map_err(|error| error.to_string())?;
        let address = address.to_string().replace("/chat/completions", "/models");
        let mut request = Request::get(address)
            .body(Full::new(Bytes::new()))
            .map_err(|_| ModelSettingsError::Url.to_string())?;
        request.headers_mut().extend(self.header_map().map_err(|error| error.to_string())?);
        let limits = HttpLimits { time: PROBE_TIME, idle: PROBE_TIME, bytes: self.max_response_bytes };
        let response = client.open(request, limits).await.map_err(|error| error.to_string())?;
        Ok(response.status.as_u16())
    }

    /// A short name for the endpoint: its host, and its port if the URL has one, such as `localhost-11434`.
    pub fn endpoint_name(&self) -> Result<String, ModelSettingsError> {
        let address = self.address(&self.name)?;
        let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
        let port = address.port_u16().map(|port| format!("-{port}"));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let host: String = host.chars().take(MAX_HOST).map(|c| if is_plain(c) { c } else { '-' }).collect();
        Ok(host + &port.unwrap_or_default())
    }

    /// The URL of the chat completions of a model.
    pub(super) fn address(&self, model: &str) -> Result<Uri, ModelSettingsError> {
        let base = self.url.trim().replace(MODEL_PLACE, model);
        let is_version = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let query = match &self.api_version {
            Some(version) if version.chars().all(is_version) => format!("?api-version={version}"),
            Some(_) => return Err(ModelSettingsError::ApiVersion),
            None => String::new(),
        };
        if base.contains('?') {
            return Err(ModelSettingsError::Url);
        }
        let address = format!("{}/chat/completions{query}", base.trim_end_matches('/'));
        let address: Uri = address.parse().map_err(|_| ModelSettingsError::Url)?;
        let is_http = matches!(address.scheme_str(), Some("http" | "https"));
        if !is_http || address.host().is_none_or(str::is_empty) {
            return Err(ModelSettingsError::Url);
        }
        let is_private = address.scheme_str() == Some("https") || is_this_machine(&address);
        if is_private || self.allow_http { Ok(address) } else { Err(ModelSettingsError::PlainHttp) }
    }

    /// The headers of every request. No debug output shows their values.
    fn header_map(&self) -> Result<HeaderMap, ModelSettingsError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for line in self.headers.split(';').map(str::trim).filter(|line| !line.is_empty()) {
            let header = header(line).filter(|(name, _)| {
                ![AUTHORIZATION, API_KEY, CONTENT_TYPE, CONTENT_LENGTH, HOST].contains(name)
            });
            let (name, value) = header.ok_or(ModelSettingsError::Headers)?;
            headers.append(name, value);
        }
        if let Some(key) = &self.api_key {
            // A header could contain other characters, but no API key does: something else was pasted.
            let is_key = key.bytes().all(|byte| byte.is_ascii_graphic());
            let (name, value) = match &self.api_version {
                Some(_) => (API_KEY, key.clone()),
                None => (AUTHORIZATION, format!("Bearer {key}")),
            };
            let value = secret(&value).filter(|_| is_key).ok_or(ModelSettingsError::ApiKey)?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// The cost of this many tokens of a model by the configured prices. None if it has none.
    #[allow(clippy::cast_precision_loss)] // Token counts are far below 2^52.
    pub(super) fn cost(&self, model: &str, tokens_in: u64, tokens_out: u64) -> Option<f64> {
        const TOKENS_PER_PRICE: f64 = 1_000_000.0;
        let (price_in, price_out) = self.prices.get(model)?;
        Some((tokens_in as f64 * price_in + tokens_out as f64 * price_out) / TOKENS_PER_PRICE)
    }
}

fn header(line: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = line.split_once(':')?;
    Some((name.trim().parse().ok()?, secret(value.trim())?))
}

fn secret(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}
