//! The memory that fifty links at once add to a server and its parsers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quire_testkit::{CallGate, WebResponse, WebServer};
use serde_json::{Value, json};

use crate::api::client::{Connection, post_json};
use crate::drill::processes::{Environment, TestProcess};
use crate::process::usage::UsageMeter;

/// How many links are read at once.
pub const LINKS: usize = 50;
const SAMPLE_EVERY: Duration = Duration::from_millis(10);
/// The size of each page, about that of a long article.
const PAGE_BYTES: usize = 500_000;

/// The resident memory that the links add, in MB: to the server alone, and to the server with its parsers.
pub struct AddedMemory {
    pub server: f64,
    pub tree: f64,
}

/// Lets a server read fifty pages at once. All are requested before the first is sent.
pub async fn measure() -> AddedMemory {
    let gate = Arc::new(CallGate::default());
    let held = gate.clone();
    let site = WebServer::start(move |request| {
        if !request.path.starts_with("/first") {
            held.pass();
        }
        WebResponse::html(page(&request.path))
    });
    let folder = tempfile::tempdir().unwrap();
    let (server, address) = TestProcess::real_server(&environment(folder.path()));
    // Its parsers have worked before.
    for number in 0..4 {
        wait_for(address, &send(address, &site.url(&format!("/first-{number}"))).await).await;
    }
    let mut before = UsageMeter::start(server.0.id());
    before.sample();
    let before = before.stop();
    let (meter, stop) = (UsageMeter::start(server.0.id()), Arc::new(AtomicBool::new(false)));
    let stopped = stop.clone();
    let sampling = std::thread::spawn(move || {
        let mut meter = meter;
        while !stopped.load(Ordering::SeqCst) {
            meter.sample();
            std::thread::sleep(SAMPLE_EVERY);
        }
        meter.stop()
    });
    let mut requests = Vec::new();
    for number in 0..LINKS {
        requests.push(send(address, &site.url(&format!("/{number}"))).await);
    }
    while gate.running() < LINKS {
        tokio::time::sleep(SAMPLE_EVERY).await;
    }
    gate.open();
    for request in &requests {
        wait_for(address, request).await;
    }
    stop.store(true, Ordering::SeqCst);
    let most = sampling.join().unwrap();
    assert!(server.stop());
    AddedMemory { server: most.main_mb - before.main_mb, tree: most.tree_mb - before.tree_mb }
}

fn environment(folder: &std::path::Path) -> Environment {
    vec![
        ("QUIRE_STORAGE_DATA", folder.to_str().unwrap().to_owned()),
        ("QUIRE_ENGINE_SLOTS", LINKS.to_string()),
        ("QUIRE_LANES_MAX_CONCURRENT_CALLS", LINKS.to_string()),
        ("QUIRE_REDIS_ENABLED", "false".to_owned()),
        ("QUIRE_WEB_ALLOW", "127.0.0.1".to_owned()),
        ("QUIRE_WEB_ROBOTS", "false".to_owned()),
        ("QUIRE_WEB_HOST_INTERVAL", "0s".to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
    ]
}

fn page(path: &str) -> String {
    let mut html =
        format!("<!doctype html><html lang=\"en\"><head><title>{path}</title></head><body><article>");
    let mut number = 0;
    while html.len() < PAGE_BYTES {
        number += 1;
        html.push_str("<p class=\"paragraph\">The city counted ");
        html.push_str(&number.to_string());
        html.push_str(
            " umbrellas on <a href=\"/day\">that day</a>, and nine of ten came back within a week.</p>",
        );
    }
    html.push_str("</article></body></html>");
    html
}

/// Sends a link, and returns the id of its request.
async fn send(address: std::net::SocketAddr, url: &str) -> String {
    let body = json!({ "type": "url", "input_url": url }).to_string();
    let answer = post_json(address, "/v1/requests", &body).await.unwrap();
    answer["request_id"].as_str().unwrap().to_owned()
}

async fn wait_for(address: std::net::SocketAddr, request: &str) {
    let mut connection = Connection::to(address).await;
    loop {
        let status = connection.get(&format!("/v1/requests/{request}/status")).await;
        let status: Value = serde_json::from_slice(status).unwrap();
        match status["status"].as_str() {
            Some("success") => return,
            Some("error") => panic!("{status}"),
            _ => tokio::time::sleep(SAMPLE_EVERY).await,
        }
    }
}
