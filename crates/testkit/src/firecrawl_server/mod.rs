//! A fake Firecrawl. It checks every request against the published contract of `POST /v2/scrape`, reduced to what Quire sends,
//! and keeps state as the service does: the credit of the account, and failures that a test plans.

use std::collections::{HashMap, VecDeque};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::json_schema::check_value;
use crate::model_server::http::read_request;

const SCHEMA: &str = include_str!("request.schema.json");

/// What happens to the next request instead of an answer.
#[derive(Clone, Debug)]
pub enum FirecrawlFailure {
    /// A status with the body `{error}`, and the time of `Retry-After` in seconds.
    Status(u16, Option<u32>),
    /// 200, but `success` is false.
    Unsuccessful,
    /// 200 without any data.
    NoData,
    /// The connection closes.
    Closed,
}

#[derive(Default)]
struct Account {
    pages: HashMap<String, Value>,
    credit: u32,
    failures: VecDeque<FirecrawlFailure>,
    requests: Vec<Value>,
    contract_violations: Vec<String>,
}

/// The server. It runs until the process ends.
pub struct FirecrawlServer {
    /// The URL to configure.
    pub url: String,
    account: Arc<Mutex<Account>>,
}

impl FirecrawlServer {
    /// Starts a server that expects this key. Each page that it reads costs a credit.
    pub fn start(key: &'static str, credit: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v2", listener.local_addr().unwrap());
        let account = Arc::new(Mutex::new(Account { credit, ..Account::default() }));
        let shared = account.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let account = shared.clone();
                std::thread::spawn(move || serve(stream, key, &account));
            }
        });
        Self { url, account }
    }

    /// A page that the server can read, by the address that is asked for.
    pub fn add_page(&self, url: &str, markdown: &str, metadata: &Value) {
        let data = json!({ "markdown": markdown, "metadata": metadata });
        self.account.lock().unwrap().pages.insert(url.to_owned(), data);
    }

    /// Plans the failure of a request that comes next.
    pub fn fail_next(&self, failure: FirecrawlFailure) {
        self.account.lock().unwrap().failures.push_back(failure);
    }

    /// The bodies of all requests. Panics if one of them broke the contract.
    pub fn requests(&self) -> Vec<Value> {
        let account = self.account.lock().unwrap();
        assert!(account.contract_violations.is_empty(), "{:?}", account.contract_violations);
        account.requests.clone()
    }

    /// The credit that is left.
    pub fn credit(&self) -> u32 {
        self.account.lock().unwrap().credit
    }
}

fn serve(mut stream: TcpStream, key: &str, account: &Mutex<Account>) {
    let Some((head, body)) = read_request(&mut stream) else { return };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut account = account.lock().unwrap();
    account.requests.push(body.clone());
    account.contract_violations.extend(violation(&head, &body));
    let is_authorized =
        head.lines().any(|line| line.eq_ignore_ascii_case(&format!("authorization: Bearer {key}")));
    let (status, header, response) = if is_authorized {
        match account.failures.pop_front() {
            Some(FirecrawlFailure::Closed) => return,
            Some(FirecrawlFailure::Status(status, wait)) => {
                let header = wait.map(|wait| format!("Retry-After: {wait}\r\n")).unwrap_or_default();
                (status, header, json!({ "error": "planned" }))
            }
            Some(FirecrawlFailure::Unsuccessful) => {
                (200, String::new(), json!({ "success": false, "error": "it could not be read" }))
            }
            Some(FirecrawlFailure::NoData) => (200, String::new(), json!({ "success": true })),
            None => answer(&mut account, &body),
        }
    } else {
        (401, String::new(), json!({ "error": "Unauthorized: Invalid token" }))
    };
    drop(account);
    let text = response.to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} Any\r\nContent-Type: application/json\r\nConnection: close\r\n{header}Content-Length: {}\r\n\r\n{text}",
        text.len()
    );
}

fn answer(account: &mut Account, body: &Value) -> (u16, String, Value) {
    if account.credit == 0 {
        return (402, String::new(), json!({ "error": "Payment required to access this resource." }));
    }
    account.credit -= 1;
    if let Some(data) = account.pages.get(body["url"].as_str().unwrap_or_default()) {
        return (200, String::new(), json!({ "success": true, "data": data }));
    }
    // The service reads also pages that do not exist, and says so in their metadata.
    let data = json!({ "markdown": "Not found", "metadata": { "statusCode": 404, "error": "Not Found" } });
    (200, String::new(), json!({ "success": true, "data": data }))
}

fn violation(head: &str, body: &Value) -> Option<String> {
    if !head.starts_with("POST /v2/scrape HTTP/1.1") {
        return Some(format!("wrong method or path: {head}"));
    }
    if !head.lines().any(|line| line.eq_ignore_ascii_case("content-type: application/json")) {
        return Some("the content type is not JSON".to_owned());
    }
    let schema: Value = serde_json::from_str(SCHEMA).expect("the contract is JSON");
    check_value(body, &schema, &schema).err()
}
