//! Creates the reader of web pages.

use std::sync::Arc;

use quire_connectors::web::{
    AllowList, DirectWebReader, FirecrawlReader, FirecrawlSettings, Guard, SystemResolver, WebSettings,
    WebSettingsError,
};
use quire_ports::{CallPermits, WebReader};
use quire_reading::LocalReader;

use super::model::{http_client, http_options, invalid_http};
use crate::config::{Config, to_std};

/// The key of an invalid setting and its rule.
type Invalid = (&'static str, String);

/// The configured reader of web pages. It parses pages and files with these parsers, and asks hosts with these permits.
pub fn web_reader(
    config: &Config,
    parsers: Arc<LocalReader>,
    permits: Arc<dyn CallPermits>,
) -> Result<Arc<dyn WebReader>, Invalid> {
    let settings = settings(config)?;
    let resolver = Arc::new(SystemResolver);
    let guard = Arc::new(Guard::new(settings.allow.clone(), settings.ports.clone(), resolver));
    let options = http_options(config);
    let direct =
        DirectWebReader::new(settings, &options, guard.clone(), permits.clone(), parsers.clone(), parsers);
    let direct: Arc<dyn WebReader> = Arc::new(direct.map_err(invalid_http)?);
    let Some(firecrawl) = firecrawl(config) else { return Ok(direct) };
    let client = http_client(config)?;
    let reader = FirecrawlReader::new(firecrawl, client, guard, permits, direct);
    Ok(Arc::new(reader.map_err(|bad| invalid(&bad))?))
}

/// Checks the settings of web pages.
pub(crate) fn check_web(config: &Config) -> Result<(), Invalid> {
    settings(config)?;
    firecrawl(config).map_or(Ok(()), |settings| settings.check().map(drop).map_err(|bad| invalid(&bad)))
}

fn settings(config: &Config) -> Result<WebSettings, Invalid> {
    let web = &config.web;
    Ok(WebSettings {
        allow: AllowList::parse(&web.allow).map_err(WebSettingsError::Allow).map_err(|bad| invalid(&bad))?,
        ports: WebSettings::parse_ports(&web.ports).map_err(|bad| invalid(&bad))?,
        timeout: to_std(web.timeout),
        max_bytes: bytes(web.max_mb),
        max_redirects: web.max_redirects,
        robots: web.robots,
        host_interval: to_std(web.host_interval),
    })
}

/// The settings of Firecrawl, if there is a key.
fn firecrawl(config: &Config) -> Option<FirecrawlSettings> {
    let firecrawl = &config.web.firecrawl;
    Some(FirecrawlSettings {
        api_key: firecrawl.api_key.non_empty()?.to_owned(),
        url: firecrawl.url.clone(),
        timeout: to_std(firecrawl.timeout),
        max_response_bytes: bytes(firecrawl.max_response_mb),
        step_attempts: config.background.retry.attempts,
    })
}

fn bytes(megabytes: u64) -> usize {
    usize::try_from(megabytes << 20).unwrap_or(usize::MAX)
}

fn invalid(bad: &WebSettingsError) -> Invalid {
    let key = match bad {
        WebSettingsError::Allow(_) => "web.allow",
        WebSettingsError::Ports => "web.ports",
        WebSettingsError::FirecrawlUrl => "web.firecrawl.url",
        WebSettingsError::FirecrawlKey => "web.firecrawl.api_key",
    };
    (key, bad.to_string())
}
