use std::time::Duration;

use quire_ports::WebErrorKind;
use quire_testkit::{WebResponse, WebServer};

use super::{local_reader, read};

const TEXT: &str = "The council approved a new bridge over the river on Tuesday.";

#[tokio::test]
async fn robots_txt_is_asked_once_and_respected_also_after_redirects() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/robots.txt" => WebResponse::new(200, "text/plain", "User-agent: quire\nDisallow: /private\n"),
        "/moved" => WebResponse::redirect(302, "/private/page"),
        _ => WebResponse::html(TEXT),
    });
    let reader = local_reader(|settings| settings.robots = true);
    assert!(read(&reader, &server.url("/open")).await.is_ok());
    for path in ["/private/page", "/moved"] {
        let failure = read(&reader, &server.url(path)).await.unwrap_err();
        assert_eq!(failure.error_code, WebErrorKind::RobotsDisallow.as_str(), "{path}");
    }
    assert_eq!(server.paths(), ["/robots.txt", "/open", "/moved"]);
}

#[tokio::test]
async fn a_site_without_rules_allows_everything_and_one_that_fails_is_asked_again() {
    for (status, is_read) in [(404, true), (403, true), (500, false), (503, false)] {
        let server = WebServer::start(move |request| match request.path.as_str() {
            "/robots.txt" => WebResponse::new(status, "text/plain", "User-agent: *\nDisallow: /"),
            _ => WebResponse::html(TEXT),
        });
        let reader = local_reader(|settings| settings.robots = true);
        for _ in 0..2 {
            let outcome = read(&reader, &server.url("/")).await;
            assert_eq!(outcome.is_ok(), is_read, "{status}");
            assert!(outcome.map_or_else(|failure| failure.is_retryable, |_| true));
        }
        let asked = server.paths().iter().filter(|path| *path == "/robots.txt").count();
        assert_eq!(asked, if is_read { 1 } else { 2 }, "{status}");
    }
}

/// Nobody sleeps for long while holding something.
#[tokio::test]
async fn requests_to_one_host_are_spaced() {
    let server = WebServer::start(|_| WebResponse::html(TEXT));
    let reader = local_reader(|settings| settings.host_interval = Duration::from_mins(1));
    assert!(read(&reader, &server.url("/1")).await.is_ok());
    let mut waits = Vec::new();
    for path in ["/2", "/3"] {
        let failure = read(&reader, &server.url(path)).await.unwrap_err();
        assert_eq!(failure.error_code, WebErrorKind::RateLimited.as_str());
        waits.push(failure.retry_after.unwrap());
    }
    assert!(waits[0] <= Duration::from_mins(1) && waits[1] > Duration::from_mins(1), "{waits:?}");
    assert_eq!(server.paths(), ["/1"]);
}
