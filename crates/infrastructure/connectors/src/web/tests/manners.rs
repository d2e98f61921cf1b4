use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use quire_domain::{Failure, FailureKind, LaneName};
use quire_ports::WebErrorKind;
use quire_testkit::{DnsServer, WebResponse, WebServer};

use super::{AllowList, TestPermits, local_reader, read, reader_in_lanes, settings};

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

/// Proves E60: nobody sleeps while holding something, however short the wait.
#[tokio::test]
async fn requests_to_one_host_are_spaced() {
    let server = WebServer::start(|_| WebResponse::html(TEXT));
    let reader = local_reader(|settings| settings.host_interval = Duration::from_millis(1500));
    assert!(read(&reader, &server.url("/1")).await.is_ok());
    let mut waits = Vec::new();
    for path in ["/2", "/3"] {
        let failure = read(&reader, &server.url(path)).await.unwrap_err();
        assert!(failure.is_wait && failure.lane.is_none(), "{failure:?}");
        waits.push(failure.retry_after.unwrap());
    }
    let interval = Duration::from_millis(1500);
    assert!(waits[0] <= interval && waits[1] > interval, "{waits:?}");
    assert_eq!(server.paths(), ["/1"]);
}

/// Every request takes a permit of its host: those for robots.txt and those after a redirect, too.
#[tokio::test]
async fn each_host_is_asked_in_its_lane_and_a_rate_limit_closes_it() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/robots.txt" => WebResponse::new(404, "text/plain", ""),
        "/moved" => WebResponse::redirect(302, "/page"),
        "/page" => WebResponse::html(TEXT),
        _ => WebResponse::new(429, "text/html", "").with("Retry-After", "7"),
    });
    let mut settings = settings();
    settings.allow = AllowList::parse("127.0.0.1").unwrap();
    settings.robots = true;
    let permits = Arc::new(TestPermits::default());
    let (reader, ..) = reader_in_lanes(settings, DnsServer::start(&[]), permits.clone());
    let lane = LaneName::host("127.0.0.1");
    assert!(read(&reader, &server.url("/moved")).await.is_ok());
    assert_eq!(*permits.given.lock().unwrap(), vec![lane.to_string(); 3]);

    let limited = read(&reader, &server.url("/busy")).await.unwrap_err();
    assert_eq!(
        (limited.error_code, &limited.lane),
        (WebErrorKind::RateLimited.as_str(), &Some(lane.clone()))
    );
    assert_eq!(*permits.closed.lock().unwrap(), [(lane.to_string(), Duration::from_secs(7))]);

    permits.busy.lock().unwrap().push(lane.clone());
    let asked = server.paths().len();
    let busy = read(&reader, &server.url("/page")).await.unwrap_err();
    let now = Timestamp::UNIX_EPOCH;
    let failure = busy.into_failure(now);
    let until = now + Duration::from_mins(10);
    assert_eq!((failure.kind, failure.lane), (FailureKind::Waiting { until }, Some(lane)));
    assert_eq!(failure.error_code, Failure::LANE_BUSY);
    assert_eq!(server.paths().len(), asked, "a busy host is not asked");
}

/// A page that redirects within its host is read, and the redirect counts for those who come later.
#[tokio::test]
async fn a_redirect_does_not_send_the_run_back_to_the_queue() {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/moved" => WebResponse::redirect(302, "/page"),
        _ => WebResponse::html(TEXT),
    });
    let reader = local_reader(|settings| settings.host_interval = Duration::from_mins(1));
    assert!(read(&reader, &server.url("/moved")).await.is_ok());
    let failure = read(&reader, &server.url("/other")).await.unwrap_err();
    assert!(failure.is_wait && failure.retry_after.unwrap() > Duration::from_mins(1), "{failure:?}");
}

/// Proves E61: only a 429 that names its time costs no attempt. Otherwise a host that stays unavailable would keep its links
/// pending for ever.
#[tokio::test]
async fn a_host_that_is_unavailable_costs_an_attempt_whatever_time_it_names() {
    let server = WebServer::start(|_| WebResponse::new(503, "text/html", "").with("Retry-After", "7"));
    let mut settings = settings();
    settings.allow = AllowList::parse("127.0.0.1").unwrap();
    let permits = Arc::new(TestPermits::default());
    let (reader, ..) = reader_in_lanes(settings, DnsServer::start(&[]), permits.clone());
    let failure = read(&reader, &server.url("/")).await.unwrap_err().into_failure(Timestamp::UNIX_EPOCH);
    assert_eq!(failure.kind, FailureKind::Transient);
    assert_eq!(failure.error_code, WebErrorKind::Unavailable.as_str());
    assert!(permits.closed.lock().unwrap().is_empty());
}

/// A scan behind a link is recognised in the lane of text recognition, as documents are.
#[tokio::test]
async fn a_scan_behind_a_link_waits_for_the_lane_of_text_recognition() {
    let server = WebServer::start(|_| WebResponse::new(200, "application/pdf", "%PDF-1.7 scan"));
    let mut settings = settings();
    settings.allow = AllowList::parse("127.0.0.1").unwrap();
    let permits = Arc::new(TestPermits::default());
    let (reader, ..) = reader_in_lanes(settings, DnsServer::start(&[]), permits.clone());
    assert!(read(&reader, &server.url("/scan.pdf")).await.is_ok());
    assert!(permits.given.lock().unwrap().contains(&"ocr".to_owned()));
    permits.busy.lock().unwrap().push(LaneName::ocr());
    let busy = read(&reader, &server.url("/scan.pdf")).await.unwrap_err();
    assert_eq!((busy.is_wait, busy.lane), (true, Some(LaneName::ocr())));
}
