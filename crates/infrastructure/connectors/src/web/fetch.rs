//! Fetches what is behind an address: redirects, lanes of hosts, limits, compression.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap,
    LOCATION, USER_AGENT,
};
use hyper::{Request, StatusCode};
use quire_domain::LaneName;
use quire_ports::{CallPermits, WebErrorKind, WebFailure};
use url::Url;

use super::decompress::{ACCEPTED, DecompressError, decompress};
use super::host_spacing::{HostSpacing, RequestTime};
use super::robots::Robots;
use super::{Guard, HostRefused, WebSettings};
use crate::http::{HttpClient, HttpError, HttpLimits, HttpStream};
use crate::retry::retry_after;

/// How Quire introduces itself. Many sites refuse clients that do not begin like a browser.
const AGENT: &str = concat!("Mozilla/5.0 (compatible; Quire/", env!("CARGO_PKG_VERSION"), ")");
/// What pages may be.
const ACCEPTED_TYPES: &str = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,image/png;q=0.8,image/jpeg;q=0.8,*/*;q=0.5";
/// The longest silence of a host.
const MAX_SILENCE: Duration = Duration::from_secs(15);
/// A longer address is none. It grows by encoding.
const MAX_REDIRECT_BYTES: usize = 8192;
/// Sites may be long, their rules may not.
const MAX_ROBOTS_BYTES: usize = 500 << 10;
const ROBOTS_TIME: Duration = Duration::from_secs(10);

/// What was fetched.
#[derive(Clone, Debug)]
pub(super) struct Fetched {
    /// The address after all redirects.
    pub(super) url: Url,
    /// The media type that the server named, in lower case and without parameters. Empty if it named none.
    pub(super) media_type: String,
    pub(super) charset: Option<String>,
    /// The content, decompressed.
    pub(super) body: Vec<u8>,
}

/// What a host answers.
enum FetchAnswer {
    Content(Fetched),
    Redirect(Url),
}

/// Fetches addresses.
pub(super) struct Fetcher {
    client: HttpClient,
    guard: Arc<Guard>,
    permits: Arc<dyn CallPermits>,
    spacing: HostSpacing,
    settings: WebSettings,
}

type BoxedFetch<'a> = Pin<Box<dyn Future<Output = Result<Fetched, WebFailure>> + Send + 'a>>;

/// How a request is spaced from others to its host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spacing {
    /// Its time must have come.
    Spaced,
    /// It follows a redirect: it is sent at once and counts for the requests after it.
    Counted,
    /// It asks for the rules of the site, once for all its pages.
    None,
}

#[derive(Clone, Copy)]
struct Limits {
    deadline: Instant,
    bytes: usize,
    /// How the request is spaced from others to its host.
    spacing: Spacing,
}

impl Fetcher {
    /// The client must connect through the same guard.
    pub(super) fn new(
        client: HttpClient,
        guard: Arc<Guard>,
        permits: Arc<dyn CallPermits>,
        settings: WebSettings,
    ) -> Self {
        Self { client, guard, permits, spacing: HostSpacing::default(), settings }
    }

    /// The permits with which hosts are asked.
    pub(super) fn permits(&self) -> Arc<dyn CallPermits> {
        self.permits.clone()
    }

    /// Fetches a page.
    pub(super) async fn fetch(&self, url: &Url) -> Result<Fetched, WebFailure> {
        let deadline = Instant::now() + self.settings.timeout;
        self.follow(url, Limits { deadline, bytes: self.settings.max_bytes, spacing: Spacing::Spaced }).await
    }

    /// Follows redirects. Each address on the way is checked like the first one.
    async fn follow(&self, start: &Url, mut limits: Limits) -> Result<Fetched, WebFailure> {
        let mut url = start.clone();
        for _ in 0..=self.settings.max_redirects {
            self.guard.check(&url).map_err(refused)?;
            match self.ask_in_lane(&url, limits).await? {
                FetchAnswer::Redirect(next) => url = next,
                FetchAnswer::Content(fetched) => return Ok(fetched),
            }
            if limits.spacing == Spacing::Spaced {
                limits.spacing = Spacing::Counted;
            }
        }
        let message =
            format!("the address redirects more than {} times; check it", self.settings.max_redirects);
        Err(WebFailure::new(WebErrorKind::Refused, message))
    }

    /// The same in a box: a page asks for the rules of its site, which may redirect, too.
    fn follow_boxed<'a>(&'a self, start: &'a Url, limits: Limits) -> BoxedFetch<'a> {
        Box::pin(self.follow(start, limits))
    }

    /// Asks a host once, in its lane. If the host asks to wait, its lane is closed.
    async fn ask_in_lane(&self, url: &Url, limits: Limits) -> Result<FetchAnswer, WebFailure> {
        let interval = match limits.spacing {
            Spacing::None => Duration::ZERO,
            Spacing::Spaced | Spacing::Counted => self.allowed_interval(url).await?,
        };
        let host = url.host_str().unwrap_or_default();
        let lane = LaneName::host(host);
        let permit = self.permits.permit(&lane).await;
        let permit = permit.map_err(|wait| WebFailure::wait(Some(lane.clone()), wait))?;
        self.take_request_time(host, interval, limits.spacing)?;
        let answer = match self.ask(url, limits).await {
            Err(WebFailure { retry_after: Some(wait), message, .. }) => {
                self.permits.close(&lane, wait, &message).await;
                Err(WebFailure { lane: Some(lane), ..WebFailure::rate_limited(message, wait) })
            }
            answer => answer,
        };
        // Only now, so that a run that is woken finds the lane closed.
        drop(permit);
        answer
    }

    async fn ask(&self, url: &Url, limits: Limits) -> Result<FetchAnswer, WebFailure> {
        let response = self.open(url, limits).await?;
        match redirect(url, &response)? {
            Some(next) => Ok(FetchAnswer::Redirect(next)),
            None => receive(url.clone(), response, limits).await.map(FetchAnswer::Content),
        }
    }

    async fn open(&self, url: &Url, limits: Limits) -> Result<HttpStream, WebFailure> {
        let request = Request::get(url.as_str())
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, ACCEPTED_TYPES)
            .header(ACCEPT_ENCODING, ACCEPTED)
            .header(ACCEPT_LANGUAGE, "*")
            .body(Full::<Bytes>::default())
            .map_err(|_| {
                WebFailure::new(WebErrorKind::Refused, "the address cannot be requested; check it")
            })?;
        let time = limits.deadline.saturating_duration_since(Instant::now());
        let limits = HttpLimits { time, idle: MAX_SILENCE, bytes: limits.bytes };
        self.client.open(request, limits).await.map_err(|error| transport(error, limits.bytes))
    }

    /// Asks whether the site lets programs read the page, and how far apart requests to it should be.
    async fn allowed_interval(&self, url: &Url) -> Result<Duration, WebFailure> {
        let interval = self.settings.host_interval;
        if !self.settings.robots {
            return Ok(interval);
        }
        let site = url.origin().ascii_serialization();
        let cell = self.spacing.robots(&site, tokio::time::Instant::now());
        let robots = cell.get_or_try_init(|| self.fetch_robots(url)).await?;
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        if !robots.allows(path) {
            let message = "the site asks programs not to read this page (robots.txt)";
            return Err(WebFailure::new(WebErrorKind::RobotsDisallow, message));
        }
        // A site's own pause counts only where pauses are wanted at all.
        Ok(robots.delay.filter(|_| !interval.is_zero()).map_or(interval, |delay| delay.max(interval)))
    }

    /// Takes the time of a request. If it has not come, the run waits in the queue and holds nothing.
    fn take_request_time(&self, host: &str, interval: Duration, spacing: Spacing) -> Result<(), WebFailure> {
        let now = tokio::time::Instant::now();
        match spacing {
            Spacing::None => Ok(()),
            Spacing::Counted => {
                self.spacing.count(host, interval, now);
                Ok(())
            }
            Spacing::Spaced => match self.spacing.request_time(host, interval, now) {
                RequestTime::Now => Ok(()),
                RequestTime::Later(wait) => Err(WebFailure::wait(None, wait)),
            },
        }
    }

    /// The rules of the site of a page. A site without rules allows everything; one that fails is asked again later.
    async fn fetch_robots(&self, page: &Url) -> Result<Robots, WebFailure> {
        let Ok(url) = page.join("/robots.txt") else { return Ok(Robots::default()) };
        let deadline = Instant::now() + ROBOTS_TIME.min(self.settings.timeout);
        let limits = Limits { deadline, bytes: MAX_ROBOTS_BYTES, spacing: Spacing::None };
        match self.follow_boxed(&url, limits).await {
            Ok(fetched) => Ok(Robots::parse(&String::from_utf8_lossy(&fetched.body))),
            Err(failure) if failure.is_retryable => Err(failure),
            // Its addresses were refused, and so will be those of the page.
            Err(failure) if failure.error_code == WebErrorKind::AddressNotAllowed.as_str() => Err(failure),
            Err(failure) if failure.error_code == WebErrorKind::TooLarge.as_str() => {
                Ok(Robots::nothing_allowed())
            }
            Err(_) => Ok(Robots::default()),
        }
    }
}

/// The failure of an address that is not reached.
pub(super) fn refused(refusal: HostRefused) -> WebFailure {
    match refusal {
        HostRefused::Unresolved => WebFailure::new(WebErrorKind::Unavailable, refusal.to_string()),
        _ => WebFailure::new(WebErrorKind::AddressNotAllowed, refusal.to_string()),
    }
}

fn transport(error: HttpError, max_bytes: usize) -> WebFailure {
    match error {
        HttpError::Refused(refusal) => refused(refusal),
        HttpError::ResponseTooLarge => too_large(max_bytes),
        HttpError::Timeout | HttpError::Silent => WebFailure::new(
            WebErrorKind::Unavailable,
            format!("{error}; try again later, or raise web.timeout"),
        ),
        HttpError::Unreachable | HttpError::Interrupted => {
            WebFailure::new(WebErrorKind::Unavailable, format!("{error}; try again later"))
        }
    }
}

fn too_large(max_bytes: usize) -> WebFailure {
    let message =
        format!("the page is larger than the limit of {} MB; raise web.max_mb to read it", max_bytes >> 20);
    WebFailure::new(WebErrorKind::TooLarge, message)
}

/// The address that a response redirects to, if it does.
fn redirect(url: &Url, response: &HttpStream) -> Result<Option<Url>, WebFailure> {
    if !matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location =
        response.headers.get(LOCATION).map(|location| String::from_utf8_lossy(location.as_bytes()));
    let next = location.and_then(|location| url.join(location.trim()).ok());
    // A redirect with a password sends somebody else's secret.
    let next = next.filter(|next| next.username().is_empty() && next.password().is_none());
    let next = next.filter(|next| next.as_str().len() <= MAX_REDIRECT_BYTES);
    let Some(mut next) = next else {
        let message = "the address redirects to no valid address; check it";
        return Err(WebFailure::new(WebErrorKind::Refused, message));
    };
    next.set_fragment(None);
    Ok(Some(next))
}

async fn receive(url: Url, mut response: HttpStream, limits: Limits) -> Result<Fetched, WebFailure> {
    check_status(response.status, &response.headers)?;
    let text =
        |name| response.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().trim();
    if text(CONTENT_LENGTH).parse::<usize>().is_ok_and(|length| length > limits.bytes) {
        return Err(too_large(limits.bytes));
    }
    let (media_type, charset) = content_type(text(CONTENT_TYPE));
    let encoding = text(CONTENT_ENCODING).to_owned();
    let body = response.body.collect().await.map_err(|error| transport(error, limits.bytes))?;
    // A large body takes a while, and the requests of others must not wait for it.
    let decompressed =
        tokio::task::spawn_blocking(move || decompress(body.into(), &encoding, limits.bytes)).await;
    let body = decompressed.unwrap_or(Err(DecompressError::Damaged)).map_err(|error| match error {
        DecompressError::TooLarge => too_large(limits.bytes),
        DecompressError::Damaged => WebFailure::new(
            WebErrorKind::Unavailable,
            "the response is damaged or incomplete; try again later",
        ),
        DecompressError::Unsupported => {
            let message =
                "the host compresses its pages in a way that was not asked for; its pages cannot be read";
            WebFailure::new(WebErrorKind::Refused, message)
        }
    })?;
    Ok(Fetched { url, media_type, charset, body })
}

fn check_status(status: StatusCode, headers: &HeaderMap) -> Result<(), WebFailure> {
    let number = status.as_u16();
    match (status, retry_after(headers)) {
        (status, _) if status.is_success() => Ok(()),
        // Only a 429 counts no attempt. A host that answers 503 is not working; if it did not count, a link to a host that
        // stays so would wait for ever.
        (StatusCode::TOO_MANY_REQUESTS, Some(wait)) => {
            let message = format!("the host limits the request rate (HTTP {number}); Quire continues later");
            Err(WebFailure::rate_limited(message, wait))
        }
        (StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY, _) => {
            Err(WebFailure::new(WebErrorKind::Unavailable, answered(number, "try again later")))
        }
        (status, _) if status.is_server_error() => {
            Err(WebFailure::new(WebErrorKind::Unavailable, answered(number, "try again later")))
        }
        (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PAYMENT_REQUIRED, _) => {
            Err(WebFailure::new(WebErrorKind::Refused, answered(number, "the page is not public")))
        }
        _ => Err(WebFailure::new(WebErrorKind::Refused, answered(number, "check the address"))),
    }
}

fn answered(number: u16, advice: &str) -> String {
    format!("the host answered with HTTP {number}; {advice}")
}

/// The media type in lower case, and the character encoding.
fn content_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    (media_type, charset.filter(|charset| !charset.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_has_a_media_type_and_perhaps_an_encoding() {
        let parsed = |header| content_type(header);
        assert_eq!(parsed("Text/HTML"), ("text/html".to_owned(), None));
        let russian = ("text/html".to_owned(), Some("windows-1251".to_owned()));
        assert_eq!(parsed("text/html; Charset=\"windows-1251\"; x=y"), russian);
        assert_eq!(parsed("text/html; charset="), ("text/html".to_owned(), None));
        assert_eq!(parsed(""), (String::new(), None));
    }
}
