use std::sync::Arc;
use std::time::Duration;

use quire_domain::LaneName;
use quire_domain::link::NormalizedUrl;
use quire_ports::{CallContext, WebErrorKind, WebFailure, WebPage, WebReader as _};
use quire_testkit::firecrawl_server::FirecrawlFailure;
use quire_testkit::{DnsServer, FirecrawlServer, WebResponse, WebServer};
use serde_json::json;

use super::{AllowList, Guard, TestPermits, TestResolver, local_reader};
use crate::http::{HttpClient, HttpOptions};
use crate::web::{FirecrawlReader, FirecrawlSettings, WebSettingsError};

const KEY: &str = "fc-test";
const TEXT: &str = "The council approved a new bridge over the river on Tuesday.";

fn settings(url: &str, key: &str) -> FirecrawlSettings {
    FirecrawlSettings {
        url: url.to_owned(),
        api_key: key.to_owned(),
        timeout: Duration::from_secs(20),
        max_response_bytes: 1 << 20,
        step_attempts: 3,
    }
}

fn reader(server: &FirecrawlServer, key: &str) -> FirecrawlReader {
    reader_in_lanes(server, key, Arc::default())
}

fn reader_in_lanes(server: &FirecrawlServer, key: &str, permits: Arc<TestPermits>) -> FirecrawlReader {
    let dns =
        DnsServer::start(&[("example.com", &["93.184.216.34"]), ("private.example.com", &["10.0.0.1"])]);
    let allow = AllowList::parse("127.0.0.1").unwrap();
    let guard = Guard::new(allow, vec![80, 443], Arc::new(TestResolver(Arc::new(dns))));
    let client = HttpClient::new(&HttpOptions::default()).unwrap();
    let direct = Arc::new(local_reader(|_| {}));
    FirecrawlReader::new(settings(&server.url, key), client, Arc::new(guard), permits, direct).unwrap()
}

async fn read(reader: &FirecrawlReader, url: &str) -> Result<WebPage, WebFailure> {
    attempt(reader, url, 1).await
}

/// Reads a page in an attempt at its step. A third one is the last.
async fn attempt(reader: &FirecrawlReader, url: &str, step_attempt: u32) -> Result<WebPage, WebFailure> {
    let context = CallContext { step_attempt, ..CallContext::default() };
    reader.read(&NormalizedUrl::parse(url).unwrap(), &context).await
}

#[tokio::test]
async fn a_page_is_read_by_the_contract() {
    let server = FirecrawlServer::start(KEY, 5);
    let metadata = json!({
        "title": "A bridge", "language": "en-GB", "sourceURL": "https://example.com/a", "url": "https://example.com/b",
        "statusCode": 200, "author": ["Ana"], "publishedTime": "2026-03-01",
    });
    server.add_page("https://example.com/a?x=1", TEXT, &metadata);
    let page = read(&reader(&server, KEY), "https://example.com/a?x=1#top").await.unwrap();
    assert_eq!((page.text.as_str(), page.read_by), (TEXT, "firecrawl"));
    assert_eq!(page.title.as_deref(), Some("A bridge"));
    assert_eq!(page.byline.as_deref(), Some("Ana"));
    assert_eq!(page.language.as_deref(), Some("en"));
    assert_eq!(page.final_url, "https://example.com/b");
    let requests = server.requests();
    assert_eq!(requests[0]["formats"], json!([{ "type": "markdown" }]));
    assert_eq!((&requests[0]["mobile"], &requests[0]["parsers"]), (&json!(false), &json!([])));
    assert_eq!(server.credit(), 4);
}

#[tokio::test]
async fn the_next_attempt_at_a_step_asks_in_another_way() {
    let server = FirecrawlServer::start(KEY, 5);
    server.add_page("https://example.com/a.pdf", TEXT, &json!({ "statusCode": 200 }));
    for failure in [FirecrawlFailure::Status(500, None), FirecrawlFailure::Unsuccessful] {
        server.fail_next(failure);
    }
    let reader = reader(&server, KEY);
    for number in [1, 2] {
        let failure = attempt(&reader, "https://example.com/a.pdf", number).await.unwrap_err();
        assert!(failure.is_retryable, "{failure:?}");
    }
    assert_eq!(attempt(&reader, "https://example.com/a.pdf", 3).await.unwrap().text, TEXT);
    let tried: Vec<_> =
        server.requests().iter().map(|body| (body["mobile"].clone(), body["parsers"].clone())).collect();
    let expected = [(json!(false), json!(["pdf"])), (json!(true), json!([])), (json!(false), json!(["pdf"]))];
    assert_eq!(tried, expected);
}

#[tokio::test]
async fn a_refusal_and_a_rate_limit_are_told_apart_from_what_may_pass() {
    let server = FirecrawlServer::start(KEY, 1);
    let code = |outcome: Result<WebPage, WebFailure>| {
        let failure = outcome.unwrap_err();
        (failure.error_code, failure.retry_after.map(|wait| wait.as_secs()))
    };
    let good = reader(&server, KEY);
    server.fail_next(FirecrawlFailure::Status(429, Some(7)));
    let rate_limited = WebErrorKind::RateLimited.as_str();
    assert_eq!(code(read(&good, "https://example.com/a").await), (rate_limited, Some(7)));
    server.fail_next(FirecrawlFailure::Status(429, None));
    let unavailable = WebErrorKind::Unavailable.as_str();
    assert_eq!(code(read(&good, "https://example.com/a").await), (unavailable, None), "it names no time");
    assert_eq!(
        code(read(&good, "https://example.com/a").await),
        (WebErrorKind::Refused.as_str(), None),
        "it is 404"
    );
    assert_eq!(server.credit(), 0);
    let refused = (WebErrorKind::ServiceRefused.as_str(), None);
    assert_eq!(code(read(&good, "https://example.com/a").await), refused, "no credit");
    assert_eq!(
        code(read(&reader(&server, "fc-wrong"), "https://example.com/a").await),
        refused,
        "a wrong key"
    );
    assert_eq!(server.requests().len(), 5);
}

/// Proves R189: addresses are checked before Firecrawl gets them.
#[tokio::test]
async fn a_hostile_address_is_not_sent_to_firecrawl() {
    let server = FirecrawlServer::start(KEY, 5);
    for url in [
        "http://169.254.169.254/",
        "http://localhost/",
        "http://private.example.com/",
        "http://example.com:22/",
    ] {
        let failure = read(&reader(&server, KEY), url).await.unwrap_err();
        assert_eq!(failure.error_code, WebErrorKind::AddressNotAllowed.as_str(), "{url}");
    }
    assert!(server.requests().is_empty());
}

/// Proves R189: Firecrawl follows redirects by itself, and what it read at an address of the inside is not used.
#[tokio::test]
async fn what_firecrawl_read_at_a_hostile_address_is_not_used() {
    let server = FirecrawlServer::start(KEY, 9);
    let reader = reader(&server, KEY);
    for last in [
        "http://169.254.169.254/latest/meta-data",
        "http://localhost/",
        "http://private.example.com/",
        "http://example.com:22/",
        "file:///etc/passwd",
        "no address",
    ] {
        server.add_page("https://example.com/a", TEXT, &json!({ "statusCode": 200, "url": last }));
        let failure = attempt(&reader, "https://example.com/a", 3).await.unwrap_err();
        assert_eq!(failure.error_code, WebErrorKind::AddressNotAllowed.as_str(), "{last}");
        assert!(!failure.is_retryable, "{last}");
    }
    server.add_page(
        "https://example.com/a",
        TEXT,
        &json!({ "statusCode": 200, "url": "https://example.com/b" }),
    );
    assert_eq!(read(&reader, "https://example.com/a").await.unwrap().text, TEXT);
}

#[tokio::test]
async fn a_page_that_firecrawl_cannot_read_is_read_directly_if_it_has_enough_text() {
    let long = format!("{TEXT} ").repeat(8);
    let body = long.clone();
    let site = WebServer::start(move |request| match request.path.as_str() {
        "/long" => WebResponse::html(body.clone()),
        _ => WebResponse::html(TEXT),
    });
    let server = FirecrawlServer::start(KEY, 5);
    let reader = reader(&server, KEY);
    for _ in 0..2 {
        server.fail_next(FirecrawlFailure::NoData);
    }
    assert!(attempt(&reader, &site.url("/long"), 2).await.is_err(), "Firecrawl is asked again first");
    let page = attempt(&reader, &site.url("/long"), 3).await.unwrap();
    assert_eq!((page.text, page.read_by), (long, "direct"));
    server.fail_next(FirecrawlFailure::Closed);
    let failure = attempt(&reader, &site.url("/short"), 3).await.unwrap_err();
    assert_eq!(failure.error_code, WebErrorKind::Unavailable.as_str());
}

#[tokio::test]
async fn firecrawl_is_asked_in_its_lane_and_a_rate_limit_closes_it() {
    let server = FirecrawlServer::start(KEY, 5);
    let permits = Arc::new(TestPermits::default());
    let reader = reader_in_lanes(&server, KEY, permits.clone());
    server.fail_next(FirecrawlFailure::Status(429, Some(7)));
    let lane = LaneName::host("127.0.0.1");
    let limited = read(&reader, "https://example.com/a").await.unwrap_err();
    assert_eq!((limited.is_wait, &limited.lane), (false, &Some(lane.clone())));
    assert_eq!(*permits.closed.lock().unwrap(), [(lane.to_string(), Duration::from_secs(7))]);
    permits.busy.lock().unwrap().push(lane);
    assert!(attempt(&reader, "https://example.com/a", 3).await.unwrap_err().is_wait);
    assert_eq!(server.requests().len(), 1, "it is not asked");
}

#[test]
fn wrong_settings_are_refused() {
    let check = |url, key| settings(url, key).check().map(drop);
    assert_eq!(check("https://api.firecrawl.dev/v2/", KEY), Ok(()));
    assert_eq!(check("http://127.0.0.1:3002/v2", KEY), Ok(()));
    for url in ["http://api.firecrawl.dev/v2", "firecrawl", "ftp://127.0.0.1", "https://a.example/v2?x=1", ""]
    {
        assert_eq!(check(url, KEY), Err(WebSettingsError::FirecrawlUrl), "{url}");
    }
    for key in ["", "a b", "schlüssel"] {
        assert_eq!(check("https://a.example", key), Err(WebSettingsError::FirecrawlKey), "{key}");
    }
}
