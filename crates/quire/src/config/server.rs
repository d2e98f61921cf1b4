//! `[server]`

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use quire_api::{CorsOrigins, Hsts, Language, TrustedProxies};
use quire_application::events::FeedLimits;
use quire_application::session::SessionSettings;
use serde::{Deserialize, Deserializer};

/// `[server]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ServerSection {
    pub listen: String,
    pub max_event_streams: usize,
    pub max_event_streams_per_key: usize,
    pub auth_token: Secret,
    #[serde(deserialize_with = "super::duration")]
    pub session_idle: SignedDuration,
    #[serde(deserialize_with = "super::duration")]
    pub session_lifetime: SignedDuration,
    #[serde(deserialize_with = "super::duration")]
    pub draft_wait: SignedDuration,
    #[serde(deserialize_with = "super::duration")]
    pub drain_delay: SignedDuration,
    #[serde(deserialize_with = "parsed")]
    pub trusted_proxies: TrustedProxies,
    #[serde(deserialize_with = "parsed")]
    pub hsts: Hsts,
    #[serde(deserialize_with = "parsed")]
    pub cors_origins: CorsOrigins,
    #[serde(deserialize_with = "parsed")]
    pub language: PageLanguage,
}

impl ServerSection {
    /// How many clients may follow the events.
    pub(crate) fn feed_limits(&self) -> FeedLimits {
        FeedLimits { total: self.max_event_streams, per_key: self.max_event_streams_per_key }
    }

    /// How long a login on the pages lasts.
    pub(crate) fn session_settings(&self) -> SessionSettings {
        SessionSettings { idle: self.session_idle, lifetime: self.session_lifetime }
    }
}

/// The language of the pages; `None` uses the browser's.
#[derive(Clone, Copy, Debug)]
pub struct PageLanguage(pub(crate) Option<Language>);

impl FromStr for PageLanguage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.trim(), Language::parse(text.trim())) {
            ("", _) => Ok(Self(None)),
            (_, Some(language)) => Ok(Self(Some(language))),
            _ => Err("must be es, en, or empty to use the browser's language".to_owned()),
        }
    }
}

/// Deserializes text with `FromStr`.
fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

/// Text that is never printed.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The trimmed text, unless it is blank.
    pub fn non_empty(&self) -> Option<&str> {
        Some(self.0.trim()).filter(|text| !text.is_empty())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.non_empty().is_some() { "***" } else { "none" })
    }
}
