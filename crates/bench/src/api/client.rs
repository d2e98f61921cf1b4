//! A minimal HTTP client with one connection and one request at a time, so that benchmarks measure the server and not the
//! client.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A connection to a server on this machine.
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    /// Connects to a server.
    pub async fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, received: Vec::with_capacity(64 << 10) }
    }

    /// Sends a GET request and returns the body. Panics on an error status.
    pub async fn get(&mut self, path: &str) -> &[u8] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        self.send(request.as_bytes(), path).await
    }

    /// Sends a complete request and returns the response body. `name` is for error messages. Panics on an error status.
    pub async fn send(&mut self, request: &[u8], name: &str) -> &[u8] {
        self.stream.write_all(request).await.unwrap();
        self.received.clear();
        let (status, body) = loop {
            let read = self.stream.read_buf(&mut self.received).await.unwrap();
            assert!(read > 0, "{name}: the server closed the connection");
            if let Some(head) = parse_head(&self.received) {
                break head;
            }
        };
        while self.received.len() < body.end {
            let read = self.stream.read_buf(&mut self.received).await.unwrap();
            assert!(read > 0, "{name}: the server closed the connection");
        }
        let response = &self.received[body];
        assert!((200..300).contains(&status), "{name}: {status} {}", String::from_utf8_lossy(response));
        response
    }
}

/// The body of the response to a POST request with JSON. None if the server refuses it, or ends before it has answered.
pub async fn post_json(address: SocketAddr, path: &str, body: &str) -> Option<Value> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut received = Vec::new();
    stream.read_to_end(&mut received).await.ok()?;
    let (status, body) = parse_head(&received)?;
    let body = received.get(body)?;
    if !(200..300).contains(&status) {
        return None;
    }
    serde_json::from_slice(body).ok()
}

/// The status and the range of the body. `None` until the head is complete.
pub fn parse_head(received: &[u8]) -> Option<(u16, std::ops::Range<usize>)> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&received[..end]).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, length)| length.trim().parse::<usize>().unwrap());
    Some((status, end..end + length))
}

/// A request that uploads a PDF, and the range of a number in it. Changing the number makes the file a different one.
pub fn upload_request(file: &[u8]) -> (Vec<u8>, std::ops::Range<usize>) {
    const BOUNDARY: &str = "quire-bench-7d1f";
    const NUMBER: usize = 20;
    let before = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"informe.pdf\"\r\n\
         Content-Type: application/pdf\r\n\r\n"
    );
    let after = format!("\r\n--{BOUNDARY}--\r\n");
    // A comment at the end of the PDF holds the number.
    let comment = format!("%{}\n", "0".repeat(NUMBER));
    let length = before.len() + file.len() + comment.len() + after.len();
    let mut request = format!(
        "POST /documents/upload HTTP/1.1\r\nHost: localhost\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {length}\r\n\r\n{before}"
    )
    .into_bytes();
    request.extend_from_slice(file);
    let number = request.len() + 1..request.len() + 1 + NUMBER;
    request.extend_from_slice(comment.as_bytes());
    request.extend_from_slice(after.as_bytes());
    (request, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_parsed_once_it_is_complete() {
        assert_eq!(parse_head(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), None);
        assert_eq!(parse_head(b"HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nab"), Some((201, 43..48)));
        assert_eq!(parse_head(b"HTTP/1.1 204 No Content\r\n\r\n"), Some((204, 27..27)));
    }

    #[test]
    fn the_number_is_part_of_the_file() {
        let (mut request, number) = upload_request(b"%PDF-1.4\n%%EOF\n");
        request[number].fill(b'7');
        let text = String::from_utf8(request).unwrap();
        assert!(text.contains("%%EOF\n%77777777777777777777\n\r\n--quire"), "{text}");
    }
}
