//! `[server]`

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use quire_api::{CorsOrigins, Language, TrustedProxies};
use quire_application::session::SessionSettings;
use serde::{Deserialize, Deserializer};

/// `[server]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Server {
    pub listen: String,
    pub max_event_streams: usize,
    pub auth_token: Secret,
    #[serde(deserialize_with = "super::duration")]
    pub session_idle: SignedDuration,
    #[serde(deserialize_with = "super::duration")]
    pub session_lifetime: SignedDuration,
    #[serde(deserialize_with = "parsed")]
    pub trusted_proxies: TrustedProxies,
    #[serde(deserialize_with = "parsed")]
    pub cors_origins: CorsOrigins,
    #[serde(deserialize_with = "parsed")]
    pub language: PageLanguage,
}

impl Server {
    /// How long somebody who logs in on the pages stays so.
    pub(crate) fn session_terms(&self) -> SessionSettings {
        SessionSettings { idle: self.session_idle, lifetime: self.session_lifetime }
    }
}

/// The language of the pages; none lets the browser choose.
#[derive(Clone, Copy, Debug)]
pub struct PageLanguage(pub(crate) Option<Language>);

impl FromStr for PageLanguage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.trim(), Language::parse(text.trim())) {
            ("", _) => Ok(Self(None)),
            (_, Some(language)) => Ok(Self(Some(language))),
            _ => Err("must be es, en, or empty for the language of each browser".to_owned()),
        }
    }
}

/// Text that its kind knows how to read.
fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

/// Text that is not shown.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// What was given, if anything but blanks was.
    pub fn given(&self) -> Option<&str> {
        Some(self.0.trim()).filter(|text| !text.is_empty())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.given().is_some() { "***" } else { "none" })
    }
}
