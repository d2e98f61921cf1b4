//! Web pages: an address, and the readable text behind it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::link::NormalizedUrl;
use quire_domain::{Failure, FailureKind, LaneName};

use crate::{CallContext, ReadError};

/// The readable content of a web page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebPage {
    /// The address after all redirects.
    pub final_url: String,
    /// The title.
    pub title: Option<String>,
    /// The author, as the page names them.
    pub byline: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// When it was published, as the page says it.
    pub published: Option<String>,
    /// Its language as ISO 639-1: detected in the text, else as the page says it.
    pub language: Option<String>,
    /// The address that the page calls its own.
    pub canonical_url: Option<String>,
    /// The main text as Markdown.
    pub text: String,
    /// The media type of what was fetched, such as `text/html` or `application/pdf`.
    pub media_type: String,
    /// The SHA-256 of the fetched bytes, after decompression, as hexadecimal digits.
    pub content_sha256: String,
    /// The number of fetched bytes, after decompression.
    pub content_bytes: u64,
    /// Who read it: `direct` or `firecrawl`.
    pub read_by: &'static str,
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a web page could not be read. A file behind an address can also fail with a
        /// [`ReadErrorKind`](crate::ReadErrorKind).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum WebErrorKind { $($(#[$doc])* $variant),+ }

        impl WebErrorKind {
            /// All that can be recorded.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

error_kinds! {
    /// The address, or one that it redirects to, leads into a network or to a port that links must not reach.
    AddressNotAllowed = "URL_NOT_ALLOWED",
    /// The host did not answer in time, cannot be reached, or failed.
    Unavailable = "WEB_PAGE_UNAVAILABLE",
    /// The host asks for fewer requests, and said for how long.
    RateLimited = "WEB_PAGE_RATE_LIMITED",
    /// The host refuses the page: it does not exist, needs a login, or redirects without end.
    Refused = "WEB_PAGE_REFUSED",
    /// The page is larger than the limit, compressed or not.
    TooLarge = "WEB_PAGE_TOO_LARGE",
    /// The host asks programs not to read the page (robots.txt).
    RobotsDisallow = "ROBOTS_DISALLOWED",
    /// The page is a cookie or login wall, or has no text.
    LowValue = "LOW_VALUE_CONTENT",
    /// The service that reads pages refuses the request: a wrong key, or no credit.
    ServiceRefused = "FIRECRAWL_REFUSED",
}

impl WebErrorKind {
    /// Whether the same address may succeed a little later.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Unavailable | Self::RateLimited)
    }
}

/// A web page could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WebFailure {
    /// The stable code: of a [`WebErrorKind`] or of a [`ReadErrorKind`](crate::ReadErrorKind).
    pub error_code: &'static str,
    /// What happened and what to do, for people. Never text of the page, and no query of an address.
    pub message: String,
    /// Whether another attempt can help.
    pub is_retryable: bool,
    /// How long to wait before the next attempt, if that is known. A run that waits this long spends no attempt.
    pub retry_after: Option<Duration>,
    /// Whether the host was not asked: its lane is busy, or its turn has not come. No error is recorded.
    pub is_wait: bool,
    /// The lane in which the run waits.
    pub lane: Option<LaneName>,
    /// Details for engineers.
    pub diagnosis: Option<String>,
}

impl WebFailure {
    /// A failure of that kind.
    pub fn new(kind: WebErrorKind, message: impl Into<String>) -> Self {
        Self {
            error_code: kind.as_str(),
            message: message.into(),
            is_retryable: kind.is_retryable(),
            retry_after: None,
            is_wait: false,
            lane: None,
            diagnosis: None,
        }
    }

    /// No failure: the host is asked later. The run waits in that lane, or for its time alone.
    pub fn wait(lane: Option<LaneName>, wait: Duration) -> Self {
        Self {
            error_code: if lane.is_some() { Failure::LANE_BUSY } else { Failure::WAITING },
            message: "the host is asked later; the run waits".to_owned(),
            is_retryable: true,
            retry_after: Some(wait),
            is_wait: true,
            lane,
            diagnosis: None,
        }
    }

    /// A failure that passes after this time.
    pub fn rate_limited(message: impl Into<String>, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(WebErrorKind::RateLimited, message) }
    }

    /// Whether another attempt can help, and from when.
    pub fn failure_kind(&self, now: Timestamp) -> FailureKind {
        let until = self.retry_after.map(|wait| now.checked_add(wait).unwrap_or(now));
        match until {
            Some(until) if self.is_wait => FailureKind::Waiting { until },
            Some(until) => FailureKind::RateLimited { until },
            None if self.is_retryable => FailureKind::Transient,
            None => FailureKind::Permanent,
        }
    }

    /// The failure of a step that needed the page.
    pub fn into_failure(self, now: Timestamp) -> Failure {
        let failure = Failure::new(self.failure_kind(now), self.error_code, self.message);
        let failure = Failure { lane: self.lane, ..failure };
        match self.diagnosis {
            Some(diagnosis) => failure.with_diagnosis(diagnosis),
            None => failure,
        }
    }
}

impl From<ReadError> for WebFailure {
    fn from(error: ReadError) -> Self {
        Self {
            error_code: error.kind.as_str(),
            message: error.message,
            is_retryable: error.kind.is_retryable(),
            retry_after: None,
            is_wait: false,
            lane: None,
            diagnosis: error.diagnosis,
        }
    }
}

/// What was fetched from the web, to be read as a page.
#[derive(Clone, Debug)]
pub struct FetchedPage {
    /// The bytes, decompressed.
    pub bytes: Arc<[u8]>,
    /// Whether they are HTML. Otherwise they are plain text.
    pub is_html: bool,
    /// The character encoding that the server named.
    pub charset: Option<String>,
    /// The address of the page, for its relative links.
    pub url: String,
}

/// The main content of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // As in [`WebPage`].
pub struct PageArticle {
    pub title: Option<String>,
    pub byline: Option<String>,
    pub site_name: Option<String>,
    pub published: Option<String>,
    pub language: Option<String>,
    pub canonical_url: Option<String>,
    /// The main text as Markdown.
    pub text: String,
}

/// Finds the main text of pages. Pages are untrusted: it returns within its limits for any bytes.
#[async_trait]
pub trait PageReader: Send + Sync {
    /// Reads a page.
    async fn read_page(&self, content: FetchedPage) -> Result<PageArticle, ReadError>;
}

/// Reads web pages. It reaches no network that links must not reach, returns within its limits for any page, and
/// releases its resources as soon as the caller stops waiting.
#[async_trait]
pub trait WebReader: Send + Sync {
    /// Fetches an address and reads the main text of what is there: a page, a text, a PDF or a picture. Each host is asked
    /// in its lane, and once: another attempt is up to the step, whose run waits for it in the queue and holds nothing
    /// meanwhile.
    async fn read(&self, url: &NormalizedUrl, context: &CallContext) -> Result<WebPage, WebFailure>;
}
