//! The requests and responses of the fake provider.

use std::io::{BufRead as _, BufReader, Read, Result, Write};

/// A connection, encrypted or not.
pub(crate) trait Connection: Read + Write + Send {}
impl<T: Read + Write + Send> Connection for T {}

/// The head and the body of a request.
pub(crate) fn read_request(stream: &mut dyn Connection) -> Option<(String, Vec<u8>)> {
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
    // A GET has no body.
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Sends a whole response.
pub(super) fn send(stream: &mut dyn Connection, status: u16, head: &str, body: &str) -> Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Any\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n{body}"
    )?;
    stream.flush()
}

/// Sends the head of a response that is streamed in chunks.
pub(super) fn begin_chunks(stream: &mut dyn Connection, content_type: &str) -> Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )?;
    stream.flush()
}

/// Sends a chunk. An empty one ends the response.
pub(super) fn send_chunk(stream: &mut dyn Connection, data: &[u8]) -> Result<()> {
    write!(stream, "{:x}\r\n", data.len())?;
    stream.write_all(data)?;
    stream.write_all(b"\r\n")?;
    stream.flush()
}
