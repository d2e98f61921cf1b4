//! A server that plays a language model's endpoint: it holds every request against the published description, remembers
//! what it was sent and when, and answers as it was told to, well or badly.

mod contract;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Tokens that every answer claims to have taken.
pub const TOKENS: (u64, u64) = (700, 50);
/// What the model calls itself.
pub const MODEL: &str = "played-model-2026";

/// One answer.
#[derive(Clone, Debug)]
pub enum ModelReply {
    /// A completion with these words.
    Completion(String),
    /// The same, at the price of so many tokens.
    CompletionCosting(u64, String),
    /// A completion that was cut where the tokens ended.
    TruncatedCompletion(String),
    /// This status with these further lines in the head, and a body of no use.
    Status(u16, &'static str),
    /// Something else than a completion.
    Body(&'static str),
    /// The request is taken and never answered.
    NoResponse,
    /// An answer that comes byte by byte and never ends.
    SlowBody,
    /// An answer without end, as fast as it is taken.
    EndlessBody,
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// When.
    pub at: Instant,
    /// Its body.
    pub body: Value,
}

impl ReceivedRequest {
    /// All that was said to the model.
    pub fn text(&self) -> String {
        self.body.to_string()
    }
}

#[derive(Default)]
struct RequestLog {
    asked: Vec<ReceivedRequest>,
    wrong: Vec<String>,
}

/// The server. It answers until the process ends.
pub struct ModelServer {
    /// The address to configure.
    pub url: String,
    heard: Arc<Mutex<RequestLog>>,
}

impl ModelServer {
    /// A server that wants this key and gives these answers in turn, the last one again and again.
    pub fn start(key: &'static str, replies: Vec<ModelReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(RequestLog::default()));
        let server = Self { url, heard: heard.clone() };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (heard, replies) = (heard.clone(), replies.clone());
                std::thread::spawn(move || serve(stream, key, &heard, &replies));
            }
        });
        server
    }

    /// What was asked so far, in order. Every request was as the description wants it.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        let heard = self.heard.lock().unwrap();
        assert!(heard.wrong.is_empty(), "{:?}", heard.wrong);
        heard.asked.clone()
    }
}

fn serve(stream: TcpStream, key: &str, heard: &Mutex<RequestLog>, replies: &[ModelReply]) {
    let Some((request, body)) = read(&stream) else { return };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let place = {
        let mut heard = heard.lock().unwrap();
        let wrong = wrong(&request, key).or_else(|| contract::check(&body).err());
        heard.wrong.extend(wrong);
        heard.asked.push(ReceivedRequest { at: Instant::now(), body });
        heard.asked.len() - 1
    };
    let reply = replies.get(place).or(replies.last()).expect("there is an answer");
    // Whoever hangs up has heard enough.
    let _ = answer(stream, reply);
}

fn wrong(head: &str, key: &str) -> Option<String> {
    let has = |line: &str| head.lines().any(|said| said.eq_ignore_ascii_case(line));
    if !head.starts_with("POST /v1/chat/completions HTTP/1.1") {
        return Some(format!("asked at another place: {head}"));
    }
    if !head.lines().any(|line| {
        line.to_lowercase().starts_with("authorization:") && line.ends_with(&format!("Bearer {key}"))
    }) {
        return Some("asked without the key".to_owned());
    }
    (!has("content-type: application/json")).then(|| format!("not JSON by its head: {head}"))
}

/// The head and the body of a request.
fn read(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
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

fn answer(mut stream: TcpStream, reply: &ModelReply) -> std::io::Result<()> {
    match reply {
        ModelReply::Completion(words) => send(&mut stream, 200, "", &completion(words, "stop", TOKENS.0)),
        ModelReply::CompletionCosting(tokens, words) => {
            send(&mut stream, 200, "", &completion(words, "stop", *tokens))
        }
        ModelReply::TruncatedCompletion(words) => {
            send(&mut stream, 200, "", &completion(words, "length", TOKENS.0))
        }
        ModelReply::Status(status, head) => {
            send(&mut stream, *status, head, "{\"error\":{\"message\":\"no\"}}")
        }
        ModelReply::Body(body) => send(&mut stream, 200, "", body),
        // Until the other side hangs up.
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

fn completion(words: &str, finish: &str, tokens: u64) -> String {
    let answer = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{
            "index": 0,
            "finish_reason": finish,
            "logprobs": null,
            "message": { "role": "assistant", "content": words, "refusal": null },
        }],
        "usage": { "prompt_tokens": tokens, "completion_tokens": TOKENS.1, "total_tokens": tokens + TOKENS.1 },
    });
    answer.to_string()
}
