//! Multipart forms as exact bytes, so that a test can also send invalid ones.

use crate::http::{Response, exchange, text};
use crate::program::TestServer;

pub const BOUNDARY: &str = "----------------quire-boundary";

/// A multipart form.
pub struct Form(pub Vec<u8>);

impl Form {
    pub fn file(name: &str, content: &[u8]) -> Self {
        Self::new().field("file", name, content).end()
    }

    pub fn new() -> Self {
        Self(Vec::new())
    }

    pub fn field(mut self, field: &str, name: &str, content: &[u8]) -> Self {
        // Browsers encode quotes in file names, too.
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

    /// A field with text instead of a file.
    pub fn text(mut self, field: &str, value: &str) -> Self {
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n");
        self.0.extend(head.bytes());
        self
    }

    pub fn end(mut self) -> Self {
        self.0.extend(format!("--{BOUNDARY}--\r\n").bytes());
        self
    }

    pub fn send(&self, server: &TestServer, path: &str) -> Response {
        self.send_with(server, path, "")
    }

    /// Sends the form with these additional headers.
    pub fn send_with(&self, server: &TestServer, path: &str, headers: &str) -> Response {
        exchange(&server.address, &self.head(path, headers), &self.0).unwrap().map(text)
    }

    pub fn head(&self, path: &str, headers: &str) -> String {
        format!("{}{headers}Content-Length: {}\r\n\r\n", opening(path), self.0.len())
    }

    /// Sends the form in chunks, without its length.
    pub fn send_in_chunks(&self, server: &TestServer, path: &str) -> Response {
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

/// The request line and the headers of an upload, without its length.
pub fn opening(path: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n"
    )
}
