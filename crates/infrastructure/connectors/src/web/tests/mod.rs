//! Tests of the readers of web pages against servers on this machine.

mod fetching;
mod firecrawl;
mod hostile;
mod manners;

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::LaneName;
use quire_domain::link::NormalizedUrl;
use quire_domain::reading::{FileKind, Line, Page, Reading, Rect, Word};
use quire_ports::{
    CallContext, CallPermit, CallPermits, DocumentReader, FetchedPage, PageArticle, PageImageRequest,
    PageReader, ReadError, ReadErrorKind, ReadOutput, ReadRequest, WebFailure, WebPage, WebReader as _,
};
use quire_testkit::DnsServer;

use super::{AllowList, DirectWebReader, Guard, Resolver, WebSettings};
use crate::http::HttpOptions;

/// Asks the DNS server of a test.
struct TestResolver(Arc<DnsServer>);

#[async_trait]
impl Resolver for TestResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.0.resolve(name).await
    }
}

/// Takes the bytes of a page as its text, and remembers how it was asked.
#[derive(Default)]
struct BytesAsText {
    contents: Mutex<Vec<FetchedPage>>,
}

#[async_trait]
impl PageReader for BytesAsText {
    async fn read_page(&self, content: FetchedPage) -> Result<PageArticle, ReadError> {
        let text = String::from_utf8_lossy(&content.bytes).into_owned();
        self.contents.lock().unwrap().push(content);
        Ok(PageArticle { text, ..PageArticle::default() })
    }
}

/// Finds the same words in every document.
struct SameWords;

#[async_trait]
impl DocumentReader for SameWords {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        // As a reader does that has to recognise a page.
        let permit = request.recognised.as_ref().unwrap().permit().await;
        let busy = || ReadError::new(ReadErrorKind::OcrFailed, "no permit");
        let _permit = permit.ok_or_else(busy)?;
        let words = "The words of a document behind a link".split(' ');
        let words = words.map(|text| Word::new(text, Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 }));
        let lines = vec![Line { words: words.collect(), opens_paragraph: true }];
        let pages = vec![Page { width: 9.0, height: 9.0, lines, ..Page::default() }];
        Ok(ReadOutput {
            kind: FileKind::Pdf,
            reading: Reading { pages },
            covered_used: false,
            language: Some("en".to_owned()),
        })
    }

    async fn image(&self, _: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        unreachable!("no image is needed")
    }
}

fn settings() -> WebSettings {
    WebSettings {
        allow: AllowList::default(),
        ports: vec![80, 443, 8080],
        timeout: Duration::from_secs(20),
        max_bytes: 1 << 20,
        max_redirects: 5,
        robots: false,
        host_interval: Duration::ZERO,
    }
}

/// Gives permits unless a test has taken a lane, and remembers what was asked.
#[derive(Default)]
struct TestPermits {
    busy: Mutex<Vec<LaneName>>,
    given: Mutex<Vec<String>>,
    closed: Mutex<Vec<(String, Duration)>>,
}

#[async_trait]
impl CallPermits for TestPermits {
    async fn permit(&self, lane: &LaneName) -> Result<CallPermit, Duration> {
        if self.busy.lock().unwrap().contains(lane) {
            return Err(Duration::from_mins(10));
        }
        self.given.lock().unwrap().push(lane.to_string());
        Ok(Box::new(()))
    }

    async fn close(&self, lane: &LaneName, wait: Duration, _: &str) {
        self.closed.lock().unwrap().push((lane.to_string(), wait));
    }
}

fn reader_with(settings: WebSettings, dns: DnsServer) -> (DirectWebReader, Arc<BytesAsText>, Arc<DnsServer>) {
    reader_in_lanes(settings, dns, Arc::default())
}

fn reader_in_lanes(
    settings: WebSettings,
    dns: DnsServer,
    permits: Arc<TestPermits>,
) -> (DirectWebReader, Arc<BytesAsText>, Arc<DnsServer>) {
    let (pages, dns) = (Arc::new(BytesAsText::default()), Arc::new(dns));
    let resolver = Arc::new(TestResolver(dns.clone()));
    let guard = Arc::new(Guard::new(settings.allow.clone(), settings.ports.clone(), resolver));
    let (options, documents) = (HttpOptions::default(), Arc::new(SameWords));
    let reader = DirectWebReader::new(settings, &options, guard, permits, pages.clone(), documents);
    (reader.unwrap(), pages, dns)
}

/// A reader that may reach servers on loopback by their number.
fn local_reader(change: impl FnOnce(&mut WebSettings)) -> DirectWebReader {
    let mut settings = settings();
    settings.allow = AllowList::parse("127.0.0.1").unwrap();
    change(&mut settings);
    reader_with(settings, DnsServer::start(&[])).0
}

async fn read(reader: &DirectWebReader, url: &str) -> Result<WebPage, WebFailure> {
    let url = NormalizedUrl::parse(url).unwrap();
    reader.read(&url, &CallContext::default()).await
}
