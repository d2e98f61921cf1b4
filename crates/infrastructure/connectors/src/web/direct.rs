//! Reads web pages on this machine: fetches them and hands them to the parsers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::link::{NormalizedUrl, low_value};
use quire_domain::reading::{FileKind, Line};
use quire_domain::{LaneName, hex};
use quire_ports::{
    CallContext, CallPermit, CallPermits, DocumentReader, FetchedPage, PageArticle, PageReader, ReadError,
    ReadErrorKind, ReadRequest, RecognisedPages, WebErrorKind, WebFailure, WebPage, WebReader,
};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::fetch::{Fetched, Fetcher};
use super::{Guard, WebSettings};
use crate::http::{HttpClient, HttpOptions, HttpOptionsError};

/// How many bytes are searched for the beginning of markup.
const MARKUP_WITHIN: usize = 1024;

/// Reads web pages on this machine.
pub struct DirectWebReader {
    fetcher: Fetcher,
    pages: Arc<dyn PageReader>,
    documents: Arc<dyn DocumentReader>,
}

impl DirectWebReader {
    /// A reader that connects through this guard and asks each host in its lane. `pages` reads HTML and text, `documents`
    /// all other files.
    pub fn new(
        settings: WebSettings,
        http: &HttpOptions,
        guard: Arc<Guard>,
        permits: Arc<dyn CallPermits>,
        pages: Arc<dyn PageReader>,
        documents: Arc<dyn DocumentReader>,
    ) -> Result<Self, HttpOptionsError> {
        let client = HttpClient::guarded(http, guard.clone())?;
        let fetcher = Fetcher::new(client, guard, permits, settings);
        Ok(Self { fetcher, pages, documents })
    }

    async fn fetch(&self, url: &Url) -> Result<Fetched, WebFailure> {
        let outcome = self.fetcher.fetch(url).await;
        let label = match &outcome {
            Ok(_) => "OK",
            Err(failure) if failure.is_wait => return outcome,
            Err(failure) => failure.error_code,
        };
        metrics::counter!("quire_web_fetches_total", "outcome" => label).increment(1);
        outcome
    }

    async fn read_content(&self, fetched: Fetched) -> Result<WebPage, WebFailure> {
        let Fetched { url, media_type, charset, body } = fetched;
        let content_sha256 = hex(&Sha256::digest(&body));
        let content_bytes = body.len() as u64;
        let kind = kind(&media_type, &body).ok_or_else(|| unsupported(&media_type))?;
        let (text, media_type) = match kind {
            ContentKind::File(kind) => (self.read_file(body.into()).await?, kind.media_type().to_owned()),
            ContentKind::Html | ContentKind::Text => {
                let is_html = kind == ContentKind::Html;
                let content =
                    FetchedPage { bytes: body.into(), is_html, charset, url: url.as_str().to_owned() };
                let read = self.pages.read_page(content).await?;
                (read, if is_html { "text/html" } else { "text/plain" }.to_owned())
            }
        };
        if let Some(reason) = low_value(&text.text) {
            let message = format!("{} ({})", reason.message(), reason.as_str());
            return Err(WebFailure::new(WebErrorKind::LowValue, message));
        }
        Ok(WebPage {
            final_url: url.into(),
            title: text.title,
            byline: text.byline,
            site_name: text.site_name,
            published: text.published,
            language: text.language,
            canonical_url: text.canonical_url,
            text: text.text,
            media_type,
            content_sha256,
            content_bytes,
            read_by: "direct",
        })
    }

    /// A PDF, a picture or another file, by the reader of documents. Recognising its pages needs a permit of the lane `ocr`.
    async fn read_file(&self, file: Arc<[u8]>) -> Result<PageArticle, WebFailure> {
        let ocr = Arc::new(OcrPermits { permits: self.fetcher.permits(), busy: Mutex::default() });
        let request = ReadRequest { file, language: None, recognised: Some(ocr.clone()) };
        let read = self.documents.read(request).await.map_err(|error| match ocr.take_busy() {
            Some(wait) => WebFailure::wait(Some(LaneName::ocr()), wait),
            None => error.into(),
        })?;
        let text = read.reading.plain_text().text;
        Ok(PageArticle { text, language: read.language, ..PageArticle::default() })
    }
}

/// Permits to recognise the pages of one file. Nothing is stored: what is behind a link may change.
struct OcrPermits {
    permits: Arc<dyn CallPermits>,
    /// How long the run waits, if there was no permit.
    busy: Mutex<Option<Duration>>,
}

impl OcrPermits {
    fn take_busy(&self) -> Option<Duration> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait]
impl RecognisedPages for OcrPermits {
    async fn permit(&self) -> Option<CallPermit> {
        match self.permits.permit(&LaneName::ocr()).await {
            Ok(permit) => Some(permit),
            Err(wait) => {
                *self.busy.lock().unwrap_or_else(PoisonError::into_inner) = Some(wait);
                None
            }
        }
    }

    async fn find(&self, _: usize, _: Option<&str>) -> Option<Vec<Line>> {
        None
    }

    async fn store(&self, _: usize, _: Option<&str>, _: &[Line]) {}
}

#[async_trait]
impl WebReader for DirectWebReader {
    async fn read(&self, url: &NormalizedUrl, _: &CallContext) -> Result<WebPage, WebFailure> {
        let fetched = self.fetch(url.address()).await?;
        self.read_content(fetched).await
    }
}

/// What to read a body as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContentKind {
    Html,
    Text,
    File(FileKind),
}

/// By its content where that is clear, else by the type that the server named.
fn kind(media_type: &str, body: &[u8]) -> Option<ContentKind> {
    let is_named_html = matches!(media_type, "text/html" | "application/xhtml+xml");
    let is_markup = begins_with_markup(body);
    // A page may quote the signature of a file.
    if is_markup
        && (is_named_html || matches!(media_type, "" | "text/xml" | "application/xml" | "text/plain"))
    {
        return Some(ContentKind::Html);
    }
    match FileKind::sniff(body) {
        Some(FileKind::Text) | None => {}
        Some(kind) => return Some(ContentKind::File(kind)),
    }
    if is_named_html {
        return Some(ContentKind::Html);
    }
    let is_text = media_type.starts_with("text/") || matches!(media_type, "" | "application/json");
    let has_zeros = body.iter().take(MARKUP_WITHIN).any(|byte| *byte == 0);
    (is_text && !has_zeros).then_some(ContentKind::Text)
}

/// Whether HTML begins here, behind white space and comments.
fn begins_with_markup(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&body[..body.len().min(MARKUP_WITHIN)]).to_ascii_lowercase();
    let mut rest = start.trim_start_matches('\u{feff}').trim_start();
    while let Some((_, behind)) = rest.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        rest = behind.trim_start();
    }
    [
        "<!doctype html",
        "<html",
        "<head",
        "<body",
        "<?xml",
        "<!--",
        "<title",
        "<meta",
        "<div",
        "<p>",
        "<article",
    ]
    .iter()
    .any(|mark| rest.starts_with(mark))
}

fn unsupported(media_type: &str) -> ReadError {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/.+-".contains(char);
    let media_type: String = media_type.chars().filter(|char| is_plain(*char)).take(60).collect();
    let message = format!(
        "the address leads to a file of the type {media_type:?}; send one of a page, a text, a PDF or a picture"
    );
    ReadError::new(ReadErrorKind::UnsupportedMediaType, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_read_as_what_it_is() {
        let pdf = ContentKind::File(FileKind::Pdf);
        for (media_type, body, expected) in [
            ("text/html", "<!DOCTYPE html><p>x", Some(ContentKind::Html)),
            ("text/html", "<html><!-- %PDF-1.4 -->", Some(ContentKind::Html)),
            ("text/html", "plain words", Some(ContentKind::Html)),
            ("", " <!-- a --> <html>", Some(ContentKind::Html)),
            ("text/plain", "<html><p>x", Some(ContentKind::Html)),
            ("text/plain", "words", Some(ContentKind::Text)),
            ("text/markdown", "# words", Some(ContentKind::Text)),
            ("", "words", Some(ContentKind::Text)),
            ("text/html", "%PDF-1.7 x", Some(pdf)),
            ("application/octet-stream", "%PDF-1.7 x", Some(pdf)),
            ("application/octet-stream", "words", None),
            ("text/plain", "\0\0\u{1}", None),
            ("image/gif", "GIF89a", None),
            ("video/mp4", "\0\0\0\u{18}ftyp", None),
        ] {
            assert_eq!(kind(media_type, body.as_bytes()), expected, "{media_type} {body}");
        }
        assert_eq!(kind("image/png", b"\x89PNG\r\n\x1a\n"), Some(ContentKind::File(FileKind::Png)));
    }
}
