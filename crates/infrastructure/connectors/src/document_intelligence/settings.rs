//! The settings of Document Intelligence.

use std::fmt;
use std::time::Duration;

use hyper::Uri;
use hyper::header::HeaderValue;

use crate::http::is_this_machine;

/// The settings of the service.
#[derive(Clone)]
pub struct DocumentIntelligenceSettings {
    /// The endpoint of the resource, such as `https://NAME.cognitiveservices.azure.com`.
    pub url: String,
    /// Whether documents may be sent over plain HTTP to another machine.
    pub allow_http: bool,
    /// The key of the resource.
    pub api_key: String,
    /// The model.
    pub model: String,
    /// Whether to ask for keys with their values, which costs more.
    pub key_value_pairs: bool,
    /// The time limit of one request.
    pub timeout: Duration,
    /// When to poll again if the service names no time.
    pub poll_interval: Duration,
    /// The largest response, in bytes.
    pub max_response_bytes: usize,
}

/// Which setting is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentIntelligenceSettingsError {
    /// The URL.
    Url,
    /// The URL is plain HTTP to another machine.
    PlainHttp,
    /// The key.
    ApiKey,
    /// The name of the model.
    Model,
}

impl fmt::Display for DocumentIntelligenceSettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Url => "must be the endpoint of the resource, such as https://NAME.cognitiveservices.azure.com",
            Self::PlainHttp => {
                "must start with https://, because over http:// others on the way can read the documents; to send them \
                 over http:// nevertheless, set document_intelligence.allow_http = true"
            }
            Self::ApiKey => "must be a key of the resource: printable ASCII without spaces",
            Self::Model => "must be the name of a model, such as prebuilt-layout",
        })
    }
}

impl DocumentIntelligenceSettings {
    /// Checks the settings. Returns the base of every address and the key as a header.
    pub fn check(&self) -> Result<(Uri, HeaderValue), DocumentIntelligenceSettingsError> {
        use DocumentIntelligenceSettingsError as Error;
        let base = self.url.trim().trim_end_matches('/');
        let address: Uri = base.parse().map_err(|_| Error::Url)?;
        let is_http = matches!(address.scheme_str(), Some("http" | "https"));
        if !is_http || address.host().is_none_or(str::is_empty) || base.contains(['?', '#']) {
            return Err(Error::Url);
        }
        let is_private = address.scheme_str() == Some("https") || is_this_machine(&address);
        if !is_private && !self.allow_http {
            return Err(Error::PlainHttp);
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
        if !(2..=64).contains(&self.model.len()) || !self.model.bytes().all(is_plain) {
            return Err(Error::Model);
        }
        let is_key = !self.api_key.is_empty() && self.api_key.bytes().all(|byte| byte.is_ascii_graphic());
        let key = HeaderValue::from_str(&self.api_key).ok().filter(|_| is_key);
        let mut key = key.ok_or(Error::ApiKey)?;
        key.set_sensitive(true);
        Ok((address, key))
    }
}
