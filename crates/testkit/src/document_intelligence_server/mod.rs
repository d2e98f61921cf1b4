//! A fake Document Intelligence. It checks every request against the contract of API version 2024-11-30, reduced to what Quire
//! sends, and keeps state as the service does: operations that run for some polls, end and are forgotten, and failures that a
//! test plans.

mod contract;
mod layout;

use std::collections::{HashMap, VecDeque};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use self::contract::{AnalysisCall, check};
pub use self::layout::{LayoutLine, LayoutPage, analyze_result, filled_form, photographed_invoice};
use crate::model_server::http::read_request;

/// What happens to the next request instead of an answer.
#[derive(Clone, Debug)]
pub enum AnalysisFault {
    /// A status with the body of an error, and the time of `Retry-After` in seconds.
    Status(u16, Option<u32>),
    /// The connection closes.
    Closed,
    /// Nothing comes for a while.
    Silent,
    /// 200 or 202 with a body that is no JSON, and without an operation.
    Garbage,
    /// The JSON of the answer breaks off.
    Truncated,
    /// A file is accepted, and its operation is said to be at another host.
    Elsewhere,
}

/// An operation and how it goes on.
#[derive(Clone, Default)]
struct Operation {
    /// How many polls find it running.
    polls_left: u32,
    /// The code of its failure, if it fails.
    failure: Option<String>,
}

#[derive(Default)]
struct Service {
    operations: HashMap<Uuid, Operation>,
    /// The result of operations that succeed.
    result: Value,
    /// How many polls find the next operations running.
    running_polls: u32,
    /// `Retry-After` of accepted files and running operations, in seconds.
    retry_after: Option<u32>,
    failing: VecDeque<String>,
    submit_faults: VecDeque<AnalysisFault>,
    poll_faults: VecDeque<AnalysisFault>,
    submitted: Vec<Vec<u8>>,
    polls: u32,
    violations: Vec<String>,
}

/// The server. It runs until the process ends.
pub struct DocumentIntelligenceServer {
    /// The endpoint to configure.
    pub url: String,
    service: Arc<Mutex<Service>>,
}

impl DocumentIntelligenceServer {
    /// Starts a server that expects this key and answers with this result of an operation, such as one of [`analyze_result`].
    pub fn start(key: &'static str, result: Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service = Arc::new(Mutex::new(Service { result, ..Service::default() }));
        let (shared, base) = (service.clone(), url.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (service, base) = (shared.clone(), base.clone());
                std::thread::spawn(move || serve(stream, key, &base, &service));
            }
        });
        Self { url, service }
    }

    /// Lets the next operations run for this many polls, and names this time in seconds to wait between them.
    pub fn run_for(&self, polls: u32, retry_after: Option<u32>) {
        let mut service = self.service.lock().unwrap();
        (service.running_polls, service.retry_after) = (polls, retry_after);
    }

    /// Lets the operation that is submitted next fail with this code.
    pub fn fail_operation(&self, code: &str) {
        self.service.lock().unwrap().failing.push_back(code.to_owned());
    }

    /// Plans what happens to the file that is submitted next.
    pub fn fault_submit(&self, fault: AnalysisFault) {
        self.service.lock().unwrap().submit_faults.push_back(fault);
    }

    /// Plans what happens to the next poll.
    pub fn fault_poll(&self, fault: AnalysisFault) {
        self.service.lock().unwrap().poll_faults.push_back(fault);
    }

    /// Forgets all operations.
    pub fn forget_operations(&self) {
        self.service.lock().unwrap().operations.clear();
    }

    /// Answers with another result from now on.
    pub fn set_result(&self, result: Value) {
        self.service.lock().unwrap().result = result;
    }

    /// The files that were accepted, each of which the service charges for. Panics if a request broke the contract.
    pub fn submitted(&self) -> Vec<Vec<u8>> {
        let service = self.service.lock().unwrap();
        assert!(service.violations.is_empty(), "{:?}", service.violations);
        service.submitted.clone()
    }

    /// How often an operation was polled.
    pub fn polls(&self) -> u32 {
        self.service.lock().unwrap().polls
    }
}

/// The head of a response beyond its status, and its body.
type Reply = (u16, String, String);

fn serve(mut stream: TcpStream, key: &str, base: &str, service: &Mutex<Service>) {
    let Some((head, body)) = read_request(&mut stream) else { return };
    let call = check(&head, &body);
    let is_authorized = head.lines().any(|line| {
        line.split_once(": ").is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("ocp-apim-subscription-key") && value == key
        })
    });
    let mut service = service.lock().unwrap();
    let (status, header, body) = match call {
        Err(violation) => {
            service.violations.push(violation);
            error(400, "InvalidRequest", None)
        }
        Ok(_) if !is_authorized => error(401, "401", None),
        Ok(call) => {
            let fault = match call {
                AnalysisCall::Submit => service.submit_faults.pop_front(),
                AnalysisCall::Poll(_) => {
                    service.polls += 1;
                    service.poll_faults.pop_front()
                }
            };
            match fault {
                Some(AnalysisFault::Closed) => return,
                Some(AnalysisFault::Silent) => {
                    drop(service);
                    std::thread::sleep(Duration::from_secs(30));
                    return;
                }
                Some(AnalysisFault::Status(status, wait)) => error(status, "Planned", wait),
                Some(AnalysisFault::Garbage) => {
                    let status = if matches!(call, AnalysisCall::Submit) { 202 } else { 200 };
                    (status, String::new(), "<html>".to_owned())
                }
                Some(AnalysisFault::Truncated) => {
                    let (status, header, body) = answer(&mut service, call, base, body);
                    let half = body.chars().take(body.chars().count() / 2).collect();
                    (status, header, half)
                }
                Some(AnalysisFault::Elsewhere) => {
                    answer(&mut service, call, "https://elsewhere.example", body)
                }
                None => answer(&mut service, call, base, body),
            }
        }
    };
    drop(service);
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} Any\r\nContent-Type: application/json\r\nConnection: close\r\n{header}Content-Length: \
         {length}\r\n\r\n{body}"
    );
}

fn answer(service: &mut Service, call: AnalysisCall, base: &str, file: Vec<u8>) -> Reply {
    let wait = service.retry_after.map(|wait| format!("Retry-After: {wait}\r\n")).unwrap_or_default();
    match call {
        AnalysisCall::Submit => {
            let id = Uuid::now_v7();
            let failure = service.failing.pop_front();
            service.operations.insert(id, Operation { polls_left: service.running_polls, failure });
            service.submitted.push(file);
            let location = format!("{base}{}/{id}?api-version={}", contract::RESULTS, contract::API_VERSION);
            (202, format!("Operation-Location: {location}\r\n{wait}"), String::new())
        }
        AnalysisCall::Poll(id) => {
            let Some(operation) = service.operations.get_mut(&id) else {
                return error(404, "NotFound", None);
            };
            let mut body = json!({ "createdDateTime": "2026-03-01T10:00:00Z", "lastUpdatedDateTime": "2026-03-01T10:00:01Z" });
            if operation.polls_left > 0 {
                operation.polls_left -= 1;
                body["status"] = json!("running");
                return (200, wait, body.to_string());
            }
            if let Some(code) = &operation.failure {
                body["status"] = json!("failed");
                body["error"] = json!({ "code": code, "message": "planned: secret words of the document",
                    "innererror": { "code": "InvalidContent" } });
            } else {
                body["status"] = json!("succeeded");
                body["analyzeResult"] = service.result.clone();
            }
            (200, String::new(), body.to_string())
        }
    }
}

fn error(status: u16, code: &str, wait: Option<u32>) -> Reply {
    let header = wait.map(|wait| format!("Retry-After: {wait}\r\n")).unwrap_or_default();
    let body = json!({ "error": { "code": code, "message": "planned" } });
    (status, header, body.to_string())
}
