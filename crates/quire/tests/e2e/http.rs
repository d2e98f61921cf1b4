//! An HTTP client that sends exact bytes, so that a test can also send invalid requests.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use quire_domain::DocumentId;
use serde_json::Value;

use crate::program::TestServer;

/// A response. Its body is text, bytes or JSON.
pub struct Response<B = String> {
    pub status: u16,
    /// The status line and the headers in lower case.
    pub head: String,
    pub body: B,
    raw_head: String,
}

impl<B> Response<B> {
    /// The value of a header, in its original case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.raw_head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// Converts the body.
    pub fn map<C>(self, body: impl FnOnce(B) -> C) -> Response<C> {
        Response { status: self.status, head: self.head, body: body(self.body), raw_head: self.raw_head }
    }
}

impl<B: AsRef<[u8]>> Response<B> {
    pub fn json(&self) -> Value {
        let body = self.body.as_ref();
        serde_json::from_slice(body).unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(body)))
    }

    /// The `error_code` of an error.
    pub fn error_code(&self) -> String {
        self.json()["error_code"].as_str().unwrap_or_default().to_owned()
    }

    /// The id of the uploaded document.
    pub fn document_id(&self) -> DocumentId {
        let body = self.json();
        body["document_id"].as_str().unwrap_or_else(|| panic!("no document: {body}")).parse().unwrap()
    }
}

/// Sends a request and reads until the server closes the connection. `None` without a response: the server may be gone,
/// or may have refused the request before it was sent completely.
pub fn exchange(address: &str, head: &str, body: &[u8]) -> Option<Response<Vec<u8>>> {
    let mut stream = TcpStream::connect(address).ok()?;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let body = response.split_off(end + 4);
    response.truncate(end + 2);
    let raw_head = String::from_utf8(response).unwrap();
    let status = raw_head.split(' ').nth(1)?.parse().ok()?;
    Some(Response { status, head: raw_head.to_lowercase(), body, raw_head })
}

/// A body as text.
pub fn text(body: Vec<u8>) -> String {
    String::from_utf8(body).unwrap()
}

impl TestServer {
    /// Sends exactly these bytes.
    pub fn send_raw(&self, request: &str) -> Response {
        exchange(&self.address, request, b"").unwrap().map(text)
    }

    /// Sends a request such as `GET /documents` with these additional headers and this body.
    pub fn send(&self, request: &str, headers: &str, body: &str) -> Response<Vec<u8>> {
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        exchange(&self.address, &head, body.as_bytes()).unwrap()
    }

    /// Sends a request without a body.
    pub fn request(&self, request: &str, headers: &str) -> Response {
        self.send(request, headers, "").map(text)
    }

    /// Sends a request and parses the response as JSON.
    pub fn request_json(&self, request: &str, headers: &str, body: &str) -> Response<Value> {
        let response = self.send(request, headers, body);
        let json = response.json();
        response.map(|_| json)
    }

    pub fn get_bytes(&self, path: &str) -> Response<Vec<u8>> {
        self.send(&format!("GET {path}"), "", "")
    }

    pub fn get_json(&self, path: &str) -> Response<Value> {
        self.request_json(&format!("GET {path}"), "", "")
    }

    pub fn post_json(&self, path: &str, body: &Value) -> Response<Value> {
        self.request_json(&format!("POST {path}"), "Content-Type: application/json\r\n", &body.to_string())
    }

    pub fn get(&self, path: &str) -> Response {
        self.request(&format!("GET {path}"), "")
    }

    pub fn post(&self, path: &str) -> Response {
        self.request(&format!("POST {path}"), "")
    }

    /// The JSON body of a GET request.
    pub fn json(&self, path: &str) -> Value {
        self.get(path).json()
    }
}
