use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use quire_ports::WebErrorKind;
use quire_testkit::{DnsServer, WebResponse, WebServer};

use super::{AllowList, local_reader, read, reader_with, settings};

const TEXT: &str = "The council approved a new bridge over the river on Tuesday.";

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_page_is_fetched_over_redirects_and_decompressed() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/start?x=1" => WebResponse::redirect(301, "/next#part"),
        "/next" => WebResponse::redirect(308, "page"),
        _ => WebResponse::new(200, "text/html; charset=koi8-r", gzip(TEXT.as_bytes()))
            .with("Content-Encoding", "gzip"),
    });
    let mut settings = settings();
    settings.allow = AllowList::parse("127.0.0.1").unwrap();
    let (reader, pages, _) = reader_with(settings, DnsServer::start(&[]));
    let page = read(&reader, &server.url("/start?x=1#top")).await.unwrap();
    assert_eq!(page.text, TEXT);
    assert_eq!(page.final_url, server.url("/page"));
    assert_eq!((page.media_type.as_str(), page.read_by), ("text/html", "direct"));
    assert_eq!(page.content_bytes, TEXT.len() as u64);
    assert_eq!(page.content_sha256.len(), 64);
    assert_eq!(server.paths(), ["/start?x=1", "/next", "/page"]);
    let contents = pages.contents.lock().unwrap();
    assert_eq!(contents[0].charset.as_deref(), Some("koi8-r"));
    assert_eq!(contents[0].url, server.url("/page"));
    let request = &server.requests()[0];
    assert!(request.header("user-agent").unwrap().contains("Quire/"), "{}", request.head);
    assert_eq!(request.header("accept-encoding"), Some("gzip, deflate"));
    assert!(request.header("cookie").is_none() && request.header("authorization").is_none());
}

#[tokio::test]
async fn documents_and_texts_behind_a_link_are_read_as_what_they_are() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/pdf" => WebResponse::new(200, "application/pdf", "%PDF-1.7 …"),
        "/png" => WebResponse::new(200, "image/png", b"\x89PNG\r\n\x1a\n".to_vec()),
        "/text" => WebResponse::new(200, "text/plain", TEXT),
        _ => WebResponse::new(200, "video/mp4", b"\0\0\0\x18ftyp".to_vec()),
    });
    let reader = local_reader(|_| {});
    for (path, media_type) in [("/pdf", "application/pdf"), ("/png", "image/png"), ("/text", "text/plain")] {
        let page = read(&reader, &server.url(path)).await.unwrap();
        assert_eq!(page.media_type, media_type);
        let expected = if path == "/text" { TEXT } else { "The words of a document behind a link" };
        assert_eq!(page.text.trim(), expected);
    }
    let refused = read(&reader, &server.url("/video")).await.unwrap_err();
    assert_eq!((refused.error_code, refused.is_retryable), ("UNSUPPORTED_MEDIA_TYPE", false));
}

#[tokio::test]
async fn statuses_say_whether_another_attempt_can_help() {
    let server = WebServer::start(|request| {
        let status: u16 = request.path[1..4].parse().unwrap();
        let response = WebResponse::new(status, "text/html", TEXT);
        if request.path.ends_with("wait") { response.with("Retry-After", "7") } else { response }
    });
    let reader = local_reader(|_| {});
    let seven = Some(Duration::from_secs(7));
    for (path, kind, is_retryable, retry_after) in [
        ("/404", WebErrorKind::Refused, false, None),
        ("/401", WebErrorKind::Refused, false, None),
        ("/410", WebErrorKind::Refused, false, None),
        ("/500", WebErrorKind::Unavailable, true, None),
        ("/503", WebErrorKind::Unavailable, true, None),
        ("/408", WebErrorKind::Unavailable, true, None),
        ("/429", WebErrorKind::Unavailable, true, None),
        ("/429-wait", WebErrorKind::RateLimited, true, seven),
        ("/503-wait", WebErrorKind::Unavailable, true, None),
        ("/304", WebErrorKind::Refused, false, None),
    ] {
        let failure = read(&reader, &server.url(path)).await.unwrap_err();
        let expected = (kind.as_str(), is_retryable, retry_after);
        assert_eq!((failure.error_code, failure.is_retryable, failure.retry_after), expected, "{path}");
    }
}

#[tokio::test]
async fn bodies_end_at_their_limits() {
    let bomb = gzip(&vec![b' '; 30 << 20]);
    let server = WebServer::start(move |request| match request.path.as_str() {
        "/bomb" => WebResponse::html(bomb.clone()).with("Content-Encoding", "gzip"),
        "/announced" => WebResponse::html(vec![b'a'; 2 << 20]),
        "/endless" => WebResponse::html(vec![b'a'; 64 << 10]).endless(),
        "/damaged" => WebResponse::html("no gzip at all").with("Content-Encoding", "gzip"),
        "/brotli" => WebResponse::html("x").with("Content-Encoding", "br"),
        "/cut" => WebResponse::html(TEXT).cut_off(),
        _ => WebResponse::html(TEXT).silent(),
    });
    let patient = local_reader(|_| {});
    let hurried = local_reader(|settings| settings.timeout = Duration::from_millis(300));
    for (path, kind) in [
        ("/bomb", WebErrorKind::TooLarge),
        ("/announced", WebErrorKind::TooLarge),
        ("/endless", WebErrorKind::TooLarge),
        ("/damaged", WebErrorKind::Unavailable),
        ("/brotli", WebErrorKind::Refused),
        ("/cut", WebErrorKind::Unavailable),
        ("/silent", WebErrorKind::Unavailable),
    ] {
        let reader = if path == "/silent" { &hurried } else { &patient };
        let failure = read(reader, &server.url(path)).await.unwrap_err();
        assert_eq!(failure.error_code, kind.as_str(), "{path}: {failure:?}");
    }
}

#[tokio::test]
async fn redirects_without_end_or_target_are_refused() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/none" => WebResponse::new(302, "text/html", ""),
        "/secret" => WebResponse::redirect(302, "http://user:password@127.0.0.1/"),
        "/long" => WebResponse::redirect(302, &format!("/{}", "a".repeat(10_000))),
        path => WebResponse::redirect(302, &format!("{path}x")),
    });
    let reader = local_reader(|_| {});
    for path in ["/none", "/secret", "/long", "/loop"] {
        let failure = read(&reader, &server.url(path)).await.unwrap_err();
        assert_eq!(failure.error_code, WebErrorKind::Refused.as_str(), "{path}");
    }
    let looped = server.paths().iter().filter(|path| path.starts_with("/loop")).count();
    assert_eq!(looped, 6, "the first request and five redirects");
}

#[tokio::test]
async fn a_host_is_asked_once_whatever_it_answers() {
    let server = WebServer::start(move |request| match request.path.as_str() {
        "/gone" => WebResponse::new(410, "text/html", ""),
        "/busy" => WebResponse::new(429, "text/html", "").with("Retry-After", "9"),
        _ => WebResponse::new(502, "text/html", ""),
    });
    let reader = local_reader(|_| {});
    for path in ["/gone", "/busy", "/broken"] {
        read(&reader, &server.url(path)).await.unwrap_err();
    }
    assert_eq!(server.paths(), ["/gone", "/busy", "/broken"]);
}

#[tokio::test]
async fn a_page_without_content_is_named_as_such() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/empty" => WebResponse::html(""),
        _ => {
            WebResponse::html("We use cookies. Accept all cookies. Privacy policy. Manage your preferences.")
        }
    });
    let reader = local_reader(|_| {});
    for (path, reason) in [("/empty", "empty_after_cleaning"), ("/wall", "overlay_content_detected")] {
        let failure = read(&reader, &server.url(path)).await.unwrap_err();
        assert_eq!(failure.error_code, WebErrorKind::LowValue.as_str());
        assert!(failure.message.contains(reason), "{}", failure.message);
    }
}
