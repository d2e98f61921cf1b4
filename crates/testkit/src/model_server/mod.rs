//! A fake server for a language model. It checks every request against the published contract, records it, and sends the
//! planned replies, good or bad.

mod contract;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Tokens that every reply reports: of the prompt and of the completion.
pub const TOKENS: (u64, u64) = (700, 50);
/// The model name that every reply reports.
pub const MODEL: &str = "fake-model-2026";

/// A planned reply.
#[derive(Clone, Debug)]
pub enum ModelReply {
    /// A completion with this text.
    Completion(String),
    /// A completion with this text that reports this many prompt tokens.
    CompletionCosting(u64, String),
    /// A completion with this text that was cut off at the token limit.
    TruncatedCompletion(String),
    /// This status with these additional header lines, and an error body.
    Status(u16, &'static str),
    /// This body instead of a completion.
    Body(&'static str),
    /// The server accepts the request and never answers.
    NoResponse,
    /// A body that arrives byte by byte and never ends.
    SlowBody,
    /// A body without end, as fast as the client reads.
    EndlessBody,
}

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// When it arrived.
    pub at: Instant,
    /// Its body.
    pub body: Value,
}

impl ReceivedRequest {
    /// The whole body as text.
    pub fn text(&self) -> String {
        self.body.to_string()
    }
}

#[derive(Default)]
struct RequestLog {
    requests: Vec<ReceivedRequest>,
    contract_violations: Vec<String>,
}

/// The server. It runs until the process ends.
pub struct ModelServer {
    /// The URL to configure.
    pub url: String,
    log: Arc<Mutex<RequestLog>>,
}

impl ModelServer {
    /// Starts a server that expects this API key. It sends these replies in order and repeats the last one.
    pub fn start(key: &'static str, replies: Vec<ModelReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let log = Arc::new(Mutex::new(RequestLog::default()));
        let server = Self { url, log: log.clone() };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, replies) = (log.clone(), replies.clone());
                std::thread::spawn(move || serve(stream, key, &log, &replies));
            }
        });
        server
    }

    /// The requests so far, in order. Panics if one of them broke the contract.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        let log = self.log.lock().unwrap();
        assert!(log.contract_violations.is_empty(), "{:?}", log.contract_violations);
        log.requests.clone()
    }
}

fn serve(stream: TcpStream, key: &str, log: &Mutex<RequestLog>, replies: &[ModelReply]) {
    let Some((request, body)) = read_request(&stream) else { return };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let index = {
        let mut log = log.lock().unwrap();
        let violation = header_violation(&request, key).or_else(|| contract::check(&body).err());
        log.contract_violations.extend(violation);
        log.requests.push(ReceivedRequest { at: Instant::now(), body });
        log.requests.len() - 1
    };
    let reply = replies.get(index).or(replies.last()).expect("there is at least one reply");
    // The client may hang up early.
    let _ = send_reply(stream, reply);
}

fn header_violation(head: &str, key: &str) -> Option<String> {
    let has = |line: &str| head.lines().any(|header| header.eq_ignore_ascii_case(line));
    if !head.starts_with("POST /v1/chat/completions HTTP/1.1") {
        return Some(format!("wrong method or path: {head}"));
    }
    if !head.lines().any(|line| {
        line.to_lowercase().starts_with("authorization:") && line.ends_with(&format!("Bearer {key}"))
    }) {
        return Some("the API key is missing".to_owned());
    }
    (!has("content-type: application/json")).then(|| format!("the content type is not JSON: {head}"))
}

/// The head and the body of a request.
fn read_request(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if head[before..].trim().is_empty() {
            break;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn send_reply(mut stream: TcpStream, reply: &ModelReply) -> std::io::Result<()> {
    match reply {
        ModelReply::Completion(text) => send(&mut stream, 200, "", &completion(text, "stop", TOKENS.0)),
        ModelReply::CompletionCosting(tokens, text) => {
            send(&mut stream, 200, "", &completion(text, "stop", *tokens))
        }
        ModelReply::TruncatedCompletion(text) => {
            send(&mut stream, 200, "", &completion(text, "length", TOKENS.0))
        }
        ModelReply::Status(status, head) => {
            send(&mut stream, *status, head, "{\"error\":{\"message\":\"no\"}}")
        }
        ModelReply::Body(body) => send(&mut stream, 200, "", body),
        // Until the client hangs up.
        ModelReply::NoResponse => stream.read_to_end(&mut Vec::new()).map(|_| ()),
        ModelReply::SlowBody => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
            )?;
            loop {
                stream.write_all(b" ")?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        ModelReply::EndlessBody => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
            )?;
            let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
            loop {
                stream.write_all(&chunk)?;
            }
        }
    }
}

fn send(stream: &mut TcpStream, status: u16, head: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Any\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n{body}"
    )?;
    stream.flush()
}

fn completion(text: &str, finish: &str, tokens: u64) -> String {
    let answer = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{
            "index": 0,
            "finish_reason": finish,
            "logprobs": null,
            "message": { "role": "assistant", "content": text, "refusal": null },
        }],
        "usage": { "prompt_tokens": tokens, "completion_tokens": TOKENS.1, "total_tokens": tokens + TOKENS.1 },
    });
    answer.to_string()
}
