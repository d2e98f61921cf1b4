//! Web pages: fetched from a server, parsed by the real program as a parser.

use std::sync::Arc;
use std::time::Duration;

use quire_connectors::http::HttpOptions;
use quire_connectors::web::{AllowList, DirectWebReader, Guard, SystemResolver, WebSettings};
use quire_domain::link::NormalizedUrl;
use quire_domain::reading::FileKind;
use quire_ports::{CallContext, WebFailure, WebPage, WebReader as _};
use quire_reading::sandbox::{ConfinementPolicy, Sandbox};
use quire_reading::{CoveredText, LocalReader};
use quire_testkit::documents::clinical_record;
use quire_testkit::web_pages::{samples, words_f1};
use quire_testkit::{FreeCalls, WebResponse, WebServer};

use super::{parser_program, tight_limits};

/// The least F1 of the words of a page.
const MIN_F1: f64 = 0.97;

/// A reader with real parsers that may reach servers on loopback.
async fn reader() -> DirectWebReader {
    let sandbox =
        Sandbox::start(parser_program(), tight_limits(), 2, ConfinementPolicy::Supported).await.unwrap();
    let kinds = FileKind::ALL.to_vec();
    let parsers = Arc::new(LocalReader { kinds, sandbox, ocr: None, covered: CoveredText::Apart });
    let settings = WebSettings {
        allow: AllowList::parse("127.0.0.1").unwrap(),
        ports: vec![80],
        timeout: Duration::from_secs(30),
        max_bytes: 10 << 20,
        max_redirects: 5,
        robots: true,
        host_interval: Duration::ZERO,
    };
    let guard = Guard::new(settings.allow.clone(), settings.ports.clone(), Arc::new(SystemResolver));
    let (options, guard, permits) = (HttpOptions::default(), Arc::new(guard), Arc::new(FreeCalls));
    DirectWebReader::new(settings, &options, guard, permits, parsers.clone(), parsers).unwrap()
}

async fn read(reader: &DirectWebReader, url: &str) -> Result<WebPage, WebFailure> {
    reader.read(&NormalizedUrl::parse(url).unwrap(), &CallContext::default()).await
}

#[tokio::test]
async fn pages_of_every_layout_are_read_in_confined_parsers() {
    let pages = samples();
    let bodies: Vec<String> = pages.iter().map(|page| page.html.clone()).collect();
    let server =
        WebServer::start(move |request| match request.path.trim_start_matches('/').parse::<usize>() {
            Ok(number) => WebResponse::html(bodies[number].clone()),
            Err(_) => WebResponse::new(404, "text/plain", "there are no rules"),
        });
    let reader = reader().await;
    for (number, sample) in pages.iter().enumerate() {
        let page = read(&reader, &server.url(&format!("/{number}"))).await.unwrap();
        assert!(words_f1(&page.text, &sample.text) >= MIN_F1, "{}: {}", sample.name, page.text);
        assert_eq!(page.title.as_deref(), Some(sample.title.as_str()), "{}", sample.name);
        assert_eq!(page.language.as_deref(), Some(sample.language), "{}", sample.name);
    }
}

#[tokio::test]
async fn documents_behind_a_link_are_read_and_empty_shells_are_named() {
    let server = WebServer::start(|request| {
        match request.path.as_str() {
        "/record.pdf" => WebResponse::new(200, "application/pdf", clinical_record(2)),
        "/shell" => WebResponse::html("<html><body><div id=app></div><script>start()</script></body></html>"),
        // «Мост через реку одобрен городским советом» in windows-1251.
        "/russian" => WebResponse::new(200, "text/html; charset=windows-1251", b"<html><body><p>\xcc\xee\xf1\xf2 \
            \xf7\xe5\xf0\xe5\xe7 \xf0\xe5\xea\xf3 \xee\xe4\xee\xe1\xf0\xe5\xed \xe3\xee\xf0\xee\xe4\xf1\xea\xe8\xec \
            \xf1\xee\xe2\xe5\xf2\xee\xec.</p></body></html>".to_vec()),
        _ => WebResponse::new(404, "text/plain", ""),
    }
    });
    let reader = reader().await;
    let record = read(&reader, &server.url("/record.pdf")).await.unwrap();
    assert_eq!(record.media_type, "application/pdf");
    assert!(record.text.contains("Luna"), "{}", record.text);
    let shell = read(&reader, &server.url("/shell")).await.unwrap_err();
    assert_eq!(shell.error_code, "LOW_VALUE_CONTENT");
    let russian = read(&reader, &server.url("/russian")).await.unwrap();
    assert!(russian.text.contains("Мост через реку одобрен городским советом."), "{}", russian.text);
}
