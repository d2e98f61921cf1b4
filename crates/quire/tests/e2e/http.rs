//! One way to ask a server, byte by byte, so that a test can also send what no client would.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use quire_domain::DocumentId;
use serde_json::Value;

use crate::program::Server;

/// What a server answered. Its body is text, unless somebody wants the bytes or the JSON itself.
pub struct Answer<B = String> {
    pub status: u16,
    /// The status line and the headers in lower case, each with its end of line.
    pub head: String,
    pub body: B,
    as_sent: String,
}

impl<B> Answer<B> {
    /// The value of a header as it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.as_sent.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// The same answer with its body understood in another way.
    pub fn map<C>(self, body: impl FnOnce(B) -> C) -> Answer<C> {
        Answer { status: self.status, head: self.head, body: body(self.body), as_sent: self.as_sent }
    }
}

impl<B: AsRef<[u8]>> Answer<B> {
    pub fn json(&self) -> Value {
        let body = self.body.as_ref();
        serde_json::from_slice(body).unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(body)))
    }

    /// The code of an error.
    pub fn code(&self) -> String {
        self.json()["error_code"].as_str().unwrap_or_default().to_owned()
    }

    /// The document that was taken in.
    pub fn document(&self) -> DocumentId {
        let body = self.json();
        body["document_id"].as_str().unwrap_or_else(|| panic!("no document: {body}")).parse().unwrap()
    }
}

/// Sends that and reads until the server closes. Nothing if it did not answer: it may be gone, and one that refuses
/// does not wait for the rest.
pub fn exchange(address: &str, head: &str, body: &[u8]) -> Option<Answer<Vec<u8>>> {
    let mut stream = TcpStream::connect(address).ok()?;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let body = answer.split_off(end + 4);
    answer.truncate(end + 2);
    let as_sent = String::from_utf8(answer).unwrap();
    let status = as_sent.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, head: as_sent.to_lowercase(), body, as_sent })
}

/// A body that is text.
pub fn text(body: Vec<u8>) -> String {
    String::from_utf8(body).unwrap()
}

impl Server {
    /// Sends exactly this.
    pub fn ask(&self, request: &str) -> Answer {
        exchange(&self.address, request, b"").unwrap().map(text)
    }

    /// Sends a request such as `GET /documents` with these further lines in its head, and this body.
    pub fn send(&self, request: &str, head: &str, body: &str) -> Answer<Vec<u8>> {
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{head}\r\n"
        );
        exchange(&self.address, &head, body.as_bytes()).unwrap()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), "", "").map(text)
    }

    pub fn post(&self, path: &str) -> Answer {
        self.send(&format!("POST {path}"), "", "").map(text)
    }

    /// What an address says in JSON.
    pub fn json(&self, path: &str) -> Value {
        self.get(path).json()
    }
}
