//! Forms as a client sends them, byte by byte, so that a test can also send one that no client would.

use crate::http::{Answer, exchange, text};
use crate::program::Server;

pub const BOUNDARY: &str = "----------------quire-boundary";

/// A form.
pub struct Form(pub Vec<u8>);

impl Form {
    pub fn file(name: &str, content: &[u8]) -> Self {
        Self::new().field("file", name, content).end()
    }

    pub fn new() -> Self {
        Self(Vec::new())
    }

    pub fn field(mut self, field: &str, name: &str, content: &[u8]) -> Self {
        // As browsers do: a quote in a name would end it.
        let name = name.replace('"', "%22");
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
             Content-Type: application/pdf\r\n\r\n"
        );
        self.0.extend(head.bytes());
        self.0.extend(content);
        self.0.extend(b"\r\n");
        self
    }

    pub fn end(mut self) -> Self {
        self.0.extend(format!("--{BOUNDARY}--\r\n").bytes());
        self
    }

    pub fn send(&self, server: &Server, path: &str) -> Answer {
        self.send_with(server, path, "")
    }

    /// With these headers besides the usual ones.
    pub fn send_with(&self, server: &Server, path: &str, headers: &str) -> Answer {
        exchange(&server.address, &self.head(path, headers), &self.0).unwrap().map(text)
    }

    pub fn head(&self, path: &str, headers: &str) -> String {
        format!("{}{headers}Content-Length: {}\r\n\r\n", opening(path), self.0.len())
    }

    /// In chunks, without a word of how long it is.
    pub fn send_in_chunks(&self, server: &Server, path: &str) -> Answer {
        let head = format!("{}Transfer-Encoding: chunked\r\n\r\n", opening(path));
        let mut body = Vec::new();
        for chunk in self.0.chunks(50_000) {
            body.extend(format!("{:x}\r\n", chunk.len()).bytes());
            body.extend(chunk);
            body.extend(b"\r\n");
        }
        body.extend(b"0\r\n\r\n");
        exchange(&server.address, &head, &body).unwrap().map(text)
    }
}

pub fn opening(path: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n"
    )
}
