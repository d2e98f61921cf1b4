//! The drill of links: three servers on PostgreSQL read five hundred pages, each sent three times at random moments to any of
//! them, while one server after the other is killed and Redis is stopped, silenced and restarted. Every page must get one
//! request and one summary.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use quire_domain::{Pipeline, RunId, StepName};
use quire_ports::{LinkFilter, Store, SummaryFilter};
use quire_testkit::checker::StoredHistory;
use quire_testkit::{RedisServer, WebResponse, WebServer};
use rand::RngExt;
use rand::seq::SliceRandom as _;
use serde_json::{Value, json};

use super::processes::{Environment, TestProcess, run_quire};
use super::{interrupted_steps, print_report, wait_until_drained};
use crate::api::client::post_json;
use crate::database::{self, CommitGrouping, DatabaseKind};

const SERVERS: usize = 3;
const SUBMISSIONS: usize = 3;
const CLIENTS: usize = 6;
/// How long the site takes for a page, so that kills meet requests.
const PAGE_TIME: Duration = Duration::from_millis(150);
/// How long a client waits for an answer of a server that may be dead.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// The servers that clients may ask, as a load balancer knows them.
type Addresses = Arc<RwLock<Vec<SocketAddr>>>;

/// What the servers answered about each page: the ids of its requests, and how often it was new.
#[derive(Default)]
struct Answers {
    requests: HashMap<usize, HashSet<RunId>>,
    accepted: u64,
    known: u64,
    /// Submissions that got no answer and were sent again.
    lost: u64,
}

pub async fn drill(short: bool) -> bool {
    let (pages, duration) = if short { (30, Duration::from_secs(6)) } else { (500, Duration::from_mins(1)) };
    println!(
        "\n## PostgreSQL and Redis: {SERVERS} servers, {pages} links sent {SUBMISSIONS} times each at random"
    );
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let data = tempfile::tempdir().unwrap();
    let site = WebServer::start(|request| {
        std::thread::sleep(PAGE_TIME);
        WebResponse::html(article(&request.path))
    });
    let mut redis = RedisServer::start();
    let environment = environment(&database.schema, data.path(), &redis);
    run_quire(&["migrate", "up"], &environment);
    let mut servers: Vec<_> = (0..SERVERS).map(|_| TestProcess::real_server(&environment)).collect();
    let addresses: Addresses = Arc::new(RwLock::new(servers.iter().map(|(_, address)| *address).collect()));

    let sending = tokio::spawn(send_all(addresses.clone(), site.url(""), pages, duration.mul_f64(0.8)));
    let (began, mut kills, mut outages) = (Instant::now(), 0, 0);
    while began.elapsed() < duration {
        let (index, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..SERVERS), rng.random_range(500..2500))
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if outages < kills {
            outages += 1;
            disturb(&mut redis, outages).await;
        } else {
            kills += 1;
            servers.remove(index).0.kill();
            // The replacement starts after the kill, as a supervisor would start it.
            servers.push(TestProcess::real_server(&environment));
            *addresses.write().unwrap() = servers.iter().map(|(_, address)| *address).collect();
        }
    }
    let answers = sending.await.unwrap();
    let all_done = wait_until_drained(&database.store, Duration::from_mins(5)).await;
    let stopped_well = servers.into_iter().all(|(server, _)| server.stop());
    println!(
        "kills {kills}, outages of Redis {outages}, drained {all_done}, servers stopped well {stopped_well}"
    );
    let is_once = check_links(&database.store, &answers, pages, &site).await;
    let accepted: Vec<RunId> = answers.requests.values().flatten().copied().collect();
    let plan = [(Pipeline::Link, Pipeline::Link.steps().to_vec())].into();
    let checked = StoredHistory::load(&database.store, accepted.clone(), plan).await.unwrap().check();
    print_report(&checked, accepted.len());
    all_done && stopped_well && is_once && checked.violations.is_empty() && checked.runs == pages
}

fn environment(schema: &str, data: &std::path::Path, redis: &RedisServer) -> Environment {
    vec![
        ("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()),
        ("QUIRE_DATABASE_SCHEMA", schema.to_owned()),
        ("QUIRE_STORAGE_DATA", data.to_str().unwrap().to_owned()),
        ("QUIRE_ENGINE_SLOTS", "8".to_owned()),
        ("QUIRE_ENGINE_LEASE", "3s".to_owned()),
        ("QUIRE_ENGINE_HEARTBEAT", "1s".to_owned()),
        ("QUIRE_REDIS_URL", redis.url()),
        ("QUIRE_REDIS_SOCKET_TIMEOUT", "500ms".to_owned()),
        ("QUIRE_WEB_ALLOW", "127.0.0.1".to_owned()),
        ("QUIRE_WEB_ROBOTS", "false".to_owned()),
        ("QUIRE_WEB_HOST_INTERVAL", "0s".to_owned()),
        ("QUIRE_PIPELINES_LINK_MAX_CLAIMS", "50".to_owned()),
        ("QUIRE_LOG_LEVEL", "off".to_owned()),
    ]
}

/// A page whose text differs from that of all others.
fn article(path: &str) -> String {
    let sentence =
        |number| format!("Sentence {number} of the page {path} says that the city lends umbrellas.");
    let paragraphs: Vec<String> = (0..12).map(|number| format!("<p>{}</p>", sentence(number))).collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><title>Page {path}</title></head><body><article><h1>Page {path}</h1>{}\
         </article></body></html>",
        paragraphs.join("")
    )
}

/// Takes Redis away for a while, in a different way each time. What it stored is gone if it was stopped.
async fn disturb(redis: &mut RedisServer, number: u32) {
    let pause = Duration::from_millis(rand::rng().random_range(0..1500));
    match number % 3 {
        0 => {
            redis.freeze();
            tokio::time::sleep(pause).await;
            redis.thaw();
        }
        1 => {
            redis.stop();
            tokio::time::sleep(pause).await;
            redis.restart();
        }
        _ => redis.restart(),
    }
}

/// Sends every page three times in a random order, spread over this time, until each submission has got an answer.
async fn send_all(addresses: Addresses, site: String, pages: usize, duration: Duration) -> Answers {
    let mut order: Vec<usize> = (0..pages * SUBMISSIONS).map(|number| number % pages).collect();
    order.shuffle(&mut rand::rng());
    let pause = duration.mul_f64(CLIENTS as f64 / order.len() as f64);
    let (order, answers) = (Arc::new(Mutex::new(order)), Arc::new(Mutex::new(Answers::default())));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (order, answers, addresses, site) =
                (order.clone(), answers.clone(), addresses.clone(), site.clone());
            tokio::spawn(async move {
                loop {
                    let Some(page) = order.lock().unwrap().pop() else { return };
                    send(&addresses, &format!("{site}/page-{page}"), page, &answers).await;
                    tokio::time::sleep(pause).await;
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    std::mem::take(&mut *answers.lock().unwrap())
}

/// Sends a page to one server after the other until one has answered.
async fn send(addresses: &Addresses, url: &str, page: usize, answers: &Mutex<Answers>) {
    let body = json!({ "type": "url", "input_url": url }).to_string();
    loop {
        let address = {
            let addresses = addresses.read().unwrap();
            addresses[rand::rng().random_range(0..addresses.len())]
        };
        let answer = post_json(address, "/v1/requests", &body);
        let answer = tokio::time::timeout(ANSWER_TIME, answer).await.ok().flatten();
        let Some(answer) = answer else {
            answers.lock().unwrap().lost += 1;
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let is_known = answer["is_duplicate"] == true;
        let id = &answer[if is_known { "existing_request_id" } else { "request_id" }];
        let id: RunId = id.as_str().unwrap().parse().unwrap();
        let mut answers = answers.lock().unwrap();
        answers.requests.entry(page).or_default().insert(id);
        *(if is_known { &mut answers.known } else { &mut answers.accepted }) += 1;
        return;
    }
}

/// Whether every page has one request, which all its senders were told, and one summary of its own text, and was read again
/// only after a kill.
async fn check_links(store: &Store, answers: &Answers, pages: usize, site: &WebServer) -> bool {
    let (_, requests) =
        store.links.requests(&LinkFilter { limit: 1, ..LinkFilter::default() }).await.unwrap();
    let summaries =
        store.links.summaries(&SummaryFilter { limit: 1, ..SummaryFilter::default() }).await.unwrap().total;
    let mut lost = 0;
    for (page, ids) in &answers.requests {
        for id in ids {
            let summary = store.links.request(*id).await.unwrap().summary;
            let text = summary.map(|summary| Value::Object(summary.content.payload).to_string());
            // A page must not have got the summary of another one.
            if text.is_none_or(|text| !text.contains(&format!("page /page-{page} "))) {
                println!("VIOLATION: page {page} has no summary of its text");
                lost += 1;
            }
        }
    }
    let several = answers.requests.values().filter(|ids| ids.len() > 1).count();
    let fetches = site.paths().len() as u64;
    let is_reading = |step: StepName| step == StepName::LinkExtraction;
    let interrupted = interrupted_steps(store, is_reading).await;
    println!(
        "submissions accepted {}, known {}, sent again without an answer {}",
        answers.accepted, answers.known, answers.lost
    );
    println!(
        "requests {requests}, summaries {summaries}, pages with several requests {several}, pages without {lost}"
    );
    println!("pages fetched {fetches} times; readings interrupted by kills {interrupted}");
    let expected = pages as u64;
    let is_read_once = fetches <= expected + interrupted;
    requests == expected && summaries == expected && several == 0 && lost == 0 && is_read_once
}
