//! A fake provider of language models. It checks every request against the published contract, records it, and sends the
//! planned replies, good or bad. It counts the tokens of the answers that it has sent completely, as a provider does for its bill.

mod abilities;
mod contract;
pub(crate) mod http;
mod reply;
mod tls;

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::Value;

pub use abilities::Abilities;
pub use reply::{MODEL, ModelReply, TOKENS};

use self::http::Connection;

/// The operations of a provider.
const CHAT: &str = "chat/completions";
const EMBEDDINGS: &str = "embeddings";

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// When it arrived.
    pub at: Instant,
    /// Its first line and its headers.
    pub head: String,
    /// Its body.
    pub body: Value,
}

impl ReceivedRequest {
    /// The whole body as text.
    pub fn text(&self) -> String {
        self.body.to_string()
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().filter_map(|line| line.split_once(':'));
        headers
            .into_iter()
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}

#[derive(Default)]
struct RequestLog {
    requests: Vec<ReceivedRequest>,
    contract_violations: Vec<String>,
    /// The tokens of complete answers: of the prompts and of the completions.
    billed: (u64, u64),
    answers: u64,
    /// Requests that have neither been answered nor abandoned.
    open: usize,
}

/// Chooses the reply to a request by its body and its number, from 0.
type Script = dyn Fn(&Value, usize) -> ModelReply + Send + Sync;

/// A server to start.
pub struct ModelServerBuilder {
    key: &'static str,
    /// The path of the endpoint, and whether it is Azure's.
    base: &'static str,
    api_version: Option<&'static str>,
    abilities: Abilities,
    certificate: Option<tls::Certificate>,
}

/// The server. It runs until the process ends.
pub struct ModelServer {
    /// The URL to configure.
    pub url: String,
    log: Arc<Mutex<RequestLog>>,
    certificate: Option<tls::Certificate>,
}

impl ModelServerBuilder {
    /// An endpoint with these abilities.
    #[must_use]
    pub fn with(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// An endpoint with the addresses and the key of Azure.
    #[must_use]
    pub fn azure(mut self, deployment: &'static str, api_version: &'static str) -> Self {
        self.base = deployment;
        self.api_version = Some(api_version);
        self
    }

    /// An endpoint with TLS and a certificate of a private authority.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.certificate = Some(tls::Certificate::create());
        self
    }

    /// Starts a server that sends these replies in order and repeats the last one.
    pub fn replying(self, replies: Vec<ModelReply>) -> ModelServer {
        self.answering(move |_, number| {
            replies.get(number).or(replies.last()).expect("there is at least one reply").clone()
        })
    }

    /// Starts a server that chooses each reply by the request.
    pub fn answering(
        self,
        script: impl Fn(&Value, usize) -> ModelReply + Send + Sync + 'static,
    ) -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let url = match &self.certificate {
            Some(_) => format!("https://localhost:{}{}", address.port(), self.base),
            None => format!("http://{address}{}", self.base),
        };
        let log = Arc::new(Mutex::new(RequestLog::default()));
        let server = ModelServer { url, log: log.clone(), certificate: self.certificate.clone() };
        let shared = Arc::new((self, log, Box::new(script) as Box<Script>));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || shared.0.serve(stream, &shared.1, &*shared.2));
            }
        });
        server
    }

    fn serve(&self, stream: TcpStream, log: &Mutex<RequestLog>, script: &Script) {
        let mut connection: Box<dyn Connection> = match &self.certificate {
            Some(certificate) => Box::new(certificate.accept(stream)),
            None => Box::new(stream),
        };
        let Some((head, body)) = http::read_request(&mut connection) else { return };
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let number = {
            let mut log = log.lock().unwrap();
            let check =
                if self.asks_for(&head, EMBEDDINGS) { contract::check_embeddings } else { contract::check };
            let violation = self.header_violation(&head).or_else(|| check(&body).err());
            log.contract_violations.extend(violation);
            log.requests.push(ReceivedRequest { at: Instant::now(), head, body: body.clone() });
            log.open += 1;
            log.requests.len() - 1
        };
        let reply = self.abilities.refusal(&body).unwrap_or_else(|| script(&body, number));
        // Billed before the client can have read the last byte, and taken back if it hung up early.
        let (tokens_in, tokens_out) = reply.tokens().unwrap_or_default();
        let bill = |log: &mut RequestLog, sign: fn(u64, u64) -> u64| {
            log.billed = (sign(log.billed.0, tokens_in), sign(log.billed.1, tokens_out));
            log.answers = sign(log.answers, u64::from(reply.tokens().is_some()));
        };
        bill(&mut log.lock().unwrap(), u64::saturating_add);
        let sent = reply.send(&mut *connection, &body);
        let mut log = log.lock().unwrap();
        log.open -= 1;
        if sent.is_err() {
            bill(&mut log, u64::saturating_sub);
        }
    }

    /// Whether a request goes to this operation.
    fn asks_for(&self, head: &str, operation: &str) -> bool {
        let query = self.api_version.map(|version| format!("?api-version={version}")).unwrap_or_default();
        head.starts_with(&format!("POST {}/{operation}{query} HTTP/1.1", self.base))
    }

    fn header_violation(&self, head: &str) -> Option<String> {
        let has = |line: &str| head.lines().any(|header| header.eq_ignore_ascii_case(line));
        if !self.asks_for(head, CHAT) && !self.asks_for(head, EMBEDDINGS) {
            return Some(format!("wrong method or path: {head}"));
        }
        let key = match self.api_version {
            Some(_) => format!("api-key: {}", self.key),
            None => format!("authorization: Bearer {}", self.key),
        };
        if !has(&key) {
            return Some("the API key is missing".to_owned());
        }
        (!has("content-type: application/json")).then(|| format!("the content type is not JSON: {head}"))
    }
}

impl ModelServer {
    /// A server that expects this API key.
    pub fn with_key(key: &'static str) -> ModelServerBuilder {
        ModelServerBuilder {
            key,
            base: "/v1",
            api_version: None,
            abilities: Abilities::default(),
            certificate: None,
        }
    }

    /// Starts a server that expects this API key. It sends these replies in order and repeats the last one.
    pub fn start(key: &'static str, replies: Vec<ModelReply>) -> Self {
        Self::with_key(key).replying(replies)
    }

    /// The requests so far, in order. Panics if one of them broke the contract.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        let log = self.log.lock().unwrap();
        assert!(log.contract_violations.is_empty(), "{:?}", log.contract_violations);
        log.requests.clone()
    }

    /// The tokens of the answers that were sent completely: of the prompts and of the completions.
    pub fn billed_tokens(&self) -> (u64, u64) {
        self.log.lock().unwrap().billed
    }

    /// How many answers were sent completely.
    pub fn billed_answers(&self) -> u64 {
        self.log.lock().unwrap().answers
    }

    /// How many requests wait for an answer or the rest of one. A client that hangs up no longer waits.
    pub fn open_requests(&self) -> usize {
        self.log.lock().unwrap().open
    }

    /// The PEM file of the private authority.
    pub fn ca_file(&self) -> PathBuf {
        self.certificate.as_ref().expect("the server has TLS").ca_file()
    }
}
