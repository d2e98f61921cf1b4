//! The settings of the readers of web pages.

use std::fmt;
use std::time::Duration;

use hyper::Uri;
use hyper::header::HeaderValue;

use super::{AllowList, InvalidEntry};
use crate::http::is_this_machine;

/// How pages are fetched.
#[derive(Clone, Debug)]
pub struct WebSettings {
    /// Hosts of private networks that links may lead to.
    pub allow: AllowList,
    /// Ports of public hosts that links may name.
    pub ports: Vec<u16>,
    /// The time for one page with its redirects.
    pub timeout: Duration,
    /// The largest page, sent and decompressed, in bytes.
    pub max_bytes: usize,
    /// The most redirects.
    pub max_redirects: u32,
    /// Whether to respect robots.txt.
    pub robots: bool,
    /// The pause between two requests to one host.
    pub host_interval: Duration,
}

/// How Firecrawl is used.
#[derive(Clone)]
pub struct FirecrawlSettings {
    /// The address before `/scrape`.
    pub url: String,
    /// The key.
    pub api_key: String,
    /// The time for one page.
    pub timeout: Duration,
    /// The largest response, in bytes.
    pub max_response_bytes: usize,
    /// The attempts of the step that reads a page. In the last one, a page that Firecrawl cannot read is read directly.
    pub step_attempts: u32,
}

/// Which setting is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebSettingsError {
    /// The list of hosts.
    Allow(InvalidEntry),
    /// The list of ports.
    Ports,
    /// The address of Firecrawl.
    FirecrawlUrl,
    /// The key of Firecrawl.
    FirecrawlKey,
}

impl fmt::Display for WebSettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allow(entry) => entry.fmt(f),
            Self::Ports => f.write_str("must be port numbers such as \"80 443\""),
            Self::FirecrawlUrl => {
                f.write_str("must be an https address such as https://api.firecrawl.dev/v2; http is allowed only for this machine")
            }
            Self::FirecrawlKey => f.write_str("must be printable ASCII without spaces"),
        }
    }
}

impl WebSettings {
    /// Port numbers separated by white space or commas.
    pub fn parse_ports(text: &str) -> Result<Vec<u16>, WebSettingsError> {
        let words = text.split([' ', ',', '\t']).filter(|word| !word.is_empty());
        let ports: Result<Vec<u16>, _> = words.map(str::parse).collect();
        ports.ok().filter(|ports| !ports.is_empty() && !ports.contains(&0)).ok_or(WebSettingsError::Ports)
    }
}

impl FirecrawlSettings {
    /// Checks the settings, and returns the address and the authorization of every request.
    pub fn check(&self) -> Result<(Uri, HeaderValue), WebSettingsError> {
        let address = format!("{}/scrape", self.url.trim().trim_end_matches('/'));
        let address: Uri = address.parse().map_err(|_| WebSettingsError::FirecrawlUrl)?;
        let is_private = address.scheme_str() == Some("https")
            || (address.scheme_str() == Some("http") && is_this_machine(&address));
        if !is_private || address.host().is_none_or(str::is_empty) || address.query().is_some() {
            return Err(WebSettingsError::FirecrawlUrl);
        }
        let is_key = !self.api_key.is_empty() && self.api_key.bytes().all(|byte| byte.is_ascii_graphic());
        let key = HeaderValue::try_from(format!("Bearer {}", self.api_key)).ok().filter(|_| is_key);
        let mut key = key.ok_or(WebSettingsError::FirecrawlKey)?;
        key.set_sensitive(true);
        Ok((address, key))
    }
}
