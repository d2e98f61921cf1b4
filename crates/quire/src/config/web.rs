//! `[web]` and `[web.firecrawl]`

use jiff::SignedDuration;
use serde::Deserialize;

use super::check::{InvalidSetting, duration_within, minutes, within};
use super::{Config, Secret, duration};
use crate::wire;

/// `[web]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct WebSection {
    pub allow: String,
    pub ports: String,
    #[serde(deserialize_with = "duration")]
    pub timeout: SignedDuration,
    pub max_mb: u64,
    pub max_redirects: u32,
    pub robots: bool,
    #[serde(deserialize_with = "duration")]
    pub host_interval: SignedDuration,
    pub firecrawl: FirecrawlSection,
}

/// `[web.firecrawl]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct FirecrawlSection {
    pub api_key: Secret,
    pub url: String,
    #[serde(deserialize_with = "duration")]
    pub timeout: SignedDuration,
    pub max_response_mb: u64,
}

pub(super) fn check(config: &Config) -> Result<(), InvalidSetting> {
    let web = &config.web;
    let second = SignedDuration::from_secs(1);
    duration_within("web.timeout", web.timeout, second..=minutes(10))?;
    within("web.max_mb", &web.max_mb, 1..=2048)?;
    within("web.max_redirects", &web.max_redirects, 0..=20)?;
    duration_within("web.host_interval", web.host_interval, SignedDuration::ZERO..=minutes(1))?;
    duration_within("web.firecrawl.timeout", web.firecrawl.timeout, second..=minutes(10))?;
    within("web.firecrawl.max_response_mb", &web.firecrawl.max_response_mb, 1..=2048)?;
    wire::check_web(config).map_err(|(key, rule)| InvalidSetting { key, rule })
}
