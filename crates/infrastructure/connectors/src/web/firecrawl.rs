//! Firecrawl reads web pages with a browser of its own (`POST /v2/scrape`).

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::Full;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, StatusCode, Uri};
use quire_domain::link::{NormalizedUrl, low_value};
use quire_domain::{LaneName, hex};
use quire_ports::{CallContext, CallPermits, WebErrorKind, WebFailure, WebPage, WebReader};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::fetch::refused;
use super::{FirecrawlSettings, Guard, WebSettingsError};
use crate::http::{HttpClient, HttpError, HttpLimits};
use crate::retry::retry_after;

/// A page that Firecrawl could not read counts as read if at least this many characters are found without it.
const MIN_SALVAGED_CHARS: usize = 400;
/// Firecrawl accepts times in this range, in milliseconds.
const TIMEOUT_MS: std::ops::RangeInclusive<u128> = 1000..=300_000;

/// Reads web pages through Firecrawl.
pub struct FirecrawlReader {
    client: HttpClient,
    guard: Arc<Guard>,
    settings: FirecrawlSettings,
    address: Uri,
    key: HeaderValue,
    permits: Arc<dyn CallPermits>,
    lane: LaneName,
    /// Reads a page that Firecrawl cannot read.
    direct: Arc<dyn WebReader>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ScrapeResponse {
    success: Option<bool>,
    error: Option<String>,
    data: Option<Scraped>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Scraped {
    markdown: Option<String>,
    metadata: serde_json::Map<String, Value>,
}

impl FirecrawlReader {
    /// A reader that sends addresses to Firecrawl which the guard allows. It asks Firecrawl in the lane of its host.
    pub fn new(
        settings: FirecrawlSettings,
        client: HttpClient,
        guard: Arc<Guard>,
        permits: Arc<dyn CallPermits>,
        direct: Arc<dyn WebReader>,
    ) -> Result<Self, WebSettingsError> {
        let (address, key) = settings.check()?;
        let lane = LaneName::host(address.host().unwrap_or_default());
        Ok(Self { client, guard, settings, address, key, permits, lane, direct })
    }

    /// Asks Firecrawl once. Every second attempt at a step asks as a phone, and with the other parser.
    async fn scrape(&self, url: &NormalizedUrl, context: &CallContext) -> Result<WebPage, WebFailure> {
        let hints_pdf = url.address().path().to_ascii_lowercase().ends_with(".pdf");
        let is_toggled = context.step_attempt.is_multiple_of(2) && context.step_attempt > 0;
        let body = self.request(url, is_toggled, hints_pdf != is_toggled);
        let permit = self.permits.permit(&self.lane).await;
        let permit = permit.map_err(|wait| WebFailure::wait(Some(self.lane.clone()), wait))?;
        let answer = match self.ask(&body).await {
            Err(WebFailure { retry_after: Some(wait), message, .. }) => {
                self.permits.close(&self.lane, wait, &message).await;
                let failure = WebFailure::rate_limited(message, wait);
                Err(WebFailure { lane: Some(self.lane.clone()), ..failure })
            }
            answer => answer,
        };
        // Only now, so that a run that is woken finds the lane closed.
        drop(permit);
        let page = page(url, answer?)?;
        self.check_final(url, &page).await?;
        Ok(page)
    }

    /// Firecrawl follows redirects by itself. What it read at an address that the guard refuses is not used.
    async fn check_final(&self, url: &NormalizedUrl, page: &WebPage) -> Result<(), WebFailure> {
        if page.final_url == url.address().as_str() {
            return Ok(());
        }
        let Ok(last) = Url::parse(&page.final_url) else {
            let message = "Firecrawl names no valid address for what it read; check web.firecrawl.url";
            return Err(WebFailure::new(WebErrorKind::AddressNotAllowed, message));
        };
        self.guard.check_resolved(&last).await.map_err(refused)
    }

    /// Whether the page may be read without Firecrawl after this failure: Firecrawl fails at this page, or it has failed in
    /// every attempt at the step.
    fn may_salvage(&self, failure: &WebFailure, context: &CallContext) -> bool {
        let is = |kind: WebErrorKind| failure.error_code == kind.as_str();
        let is_last = context.step_attempt >= self.settings.step_attempts;
        is(WebErrorKind::LowValue)
            || is(WebErrorKind::ServiceRefused)
            || (is(WebErrorKind::Unavailable) && is_last)
    }

    fn request(&self, url: &NormalizedUrl, is_mobile: bool, is_pdf: bool) -> Value {
        let timeout = self.settings.timeout.as_millis().clamp(*TIMEOUT_MS.start(), *TIMEOUT_MS.end());
        let parsers: &[&str] = if is_pdf { &["pdf"] } else { &[] };
        json!({
            "url": url.address().as_str(),
            "formats": [{ "type": "markdown" }],
            "onlyMainContent": true,
            "mobile": is_mobile,
            "parsers": parsers,
            "timeout": u64::try_from(timeout).unwrap_or(60_000),
            // Firecrawl's own default accepts any certificate.
            "skipTlsVerification": false,
        })
    }

    async fn ask(&self, body: &Value) -> Result<Scraped, WebFailure> {
        let request = Request::post(&self.address)
            .header(AUTHORIZATION, &self.key)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(body.to_string()))
            .map_err(|_| unavailable("Firecrawl cannot be asked; check web.firecrawl.url"))?;
        // Firecrawl answers in its own time limit; the connection gets a little more.
        let time = self.settings.timeout + Duration::from_secs(5);
        let limits = HttpLimits { time, idle: time, bytes: self.settings.max_response_bytes };
        let response = self.client.send(request, limits).await.map_err(|error| match error {
            HttpError::ResponseTooLarge => {
                let message =
                    "the response of Firecrawl is larger than web.firecrawl.max_response_mb; raise it";
                WebFailure::new(WebErrorKind::TooLarge, message)
            }
            _ => unavailable(&format!("the request to Firecrawl failed: {error}; try again later")),
        })?;
        let number = response.status.as_u16();
        match response.status {
            status if status.is_success() => {}
            StatusCode::TOO_MANY_REQUESTS => {
                let message = "Firecrawl limits the request rate (HTTP 429); Quire continues later";
                return Err(match retry_after(&response.headers) {
                    Some(wait) => WebFailure::rate_limited(message, wait),
                    None => unavailable(message),
                });
            }
            StatusCode::NOT_FOUND => {
                let message = "Firecrawl did not find the page (HTTP 404); check the address";
                return Err(WebFailure::new(WebErrorKind::Refused, message));
            }
            status if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT => {
                let message = format!(
                    "Firecrawl refused the request (HTTP {number}); check web.firecrawl.api_key and its credit"
                );
                return Err(WebFailure::new(WebErrorKind::ServiceRefused, message));
            }
            _ => return Err(unavailable(&format!("Firecrawl answered with HTTP {number}; try again later"))),
        }
        let answer: ScrapeResponse = serde_json::from_slice(&response.body)
            .map_err(|_| unavailable("the response of Firecrawl cannot be read; try again later"))?;
        let failed =
            answer.success == Some(false) || answer.error.is_some_and(|error| !error.trim().is_empty());
        answer
            .data
            .filter(|_| !failed)
            .ok_or_else(|| unavailable("Firecrawl could not read the page; try again later"))
    }
}

#[async_trait]
impl WebReader for FirecrawlReader {
    async fn read(&self, url: &NormalizedUrl, context: &CallContext) -> Result<WebPage, WebFailure> {
        // Firecrawl may stand in the same network as this server.
        self.guard.check_resolved(url.address()).await.map_err(refused)?;
        let failure = match self.scrape(url, context).await {
            Ok(page) => return Ok(page),
            Err(failure) => failure,
        };
        if !self.may_salvage(&failure, context) {
            return Err(failure);
        }
        tracing::warn!(
            correlation_id = context.correlation_id.as_deref(),
            code = failure.error_code,
            "Firecrawl could not read a page, reading it directly"
        );
        match self.direct.read(url, context).await {
            Ok(page) if page.text.chars().count() >= MIN_SALVAGED_CHARS => Ok(page),
            // The host is asked when its lane is free.
            Err(wait) if wait.is_wait => Err(wait),
            _ => Err(failure),
        }
    }
}

fn unavailable(message: &str) -> WebFailure {
    WebFailure::new(WebErrorKind::Unavailable, message)
}

/// The page of a response, if it has one.
fn page(url: &NormalizedUrl, data: Scraped) -> Result<WebPage, WebFailure> {
    let metadata = &data.metadata;
    match metadata.get("statusCode").and_then(Value::as_u64) {
        Some(status @ (500.. | 408 | 429)) => {
            return Err(unavailable(&format!("the host answered with HTTP {status}; try again later")));
        }
        Some(status @ 400..) => {
            let message = format!("the host answered with HTTP {status}; check the address");
            return Err(WebFailure::new(WebErrorKind::Refused, message));
        }
        _ => {}
    }
    let text = data.markdown.unwrap_or_default();
    if let Some(reason) = low_value(&text) {
        let message = format!("{} ({})", reason.message(), reason.as_str());
        return Err(WebFailure::new(WebErrorKind::LowValue, message));
    }
    // A member may be a list if the page has several.
    let member = |names: &[&str]| {
        let value = names.iter().find_map(|name| metadata.get(*name))?;
        let text = value.as_str().or_else(|| value.as_array()?.first()?.as_str())?.trim();
        Some(text.to_owned()).filter(|text| !text.is_empty())
    };
    let language =
        member(&["language"]).map(|tag| tag.split(['-', '_']).next().unwrap_or_default().to_lowercase());
    let final_url = member(&["url", "sourceURL"]).unwrap_or_else(|| url.address().as_str().to_owned());
    let canonical = member(&["canonical", "ogUrl"]);
    let canonical_url = canonical.and_then(|address| Url::parse(&final_url).ok()?.join(&address).ok());
    let canonical_url = canonical_url.filter(|address| matches!(address.scheme(), "http" | "https"));
    Ok(WebPage {
        final_url,
        title: member(&["title", "ogTitle"]),
        byline: member(&["author", "article:author"]),
        site_name: member(&["ogSiteName", "og:site_name"]),
        published: member(&["publishedTime", "article:published_time", "date"]),
        language: language.filter(|language| language.len() == 2),
        canonical_url: canonical_url.map(String::from),
        media_type: member(&["contentType"]).unwrap_or_else(|| "text/html".to_owned()),
        content_sha256: hex(&Sha256::digest(text.as_bytes())),
        content_bytes: text.len() as u64,
        text,
        read_by: "firecrawl",
    })
}
