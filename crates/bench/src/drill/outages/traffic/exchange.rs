//! One request on a connection of its own.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::api::client::parse_head;

/// A client gives up after this time.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A complete response.
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Sends a request in two parts with a pause between them, and returns the response. None without a complete response.
pub async fn exchange(server: SocketAddr, parts: [&[u8]; 2], pause: Duration) -> Option<Response> {
    tokio::time::timeout(TIMEOUT, converse(server, parts, pause)).await.ok()?
}

async fn converse(server: SocketAddr, parts: [&[u8]; 2], pause: Duration) -> Option<Response> {
    let mut stream = TcpStream::connect(server).await.ok()?;
    // The server may respond before it has read everything, and stop reading.
    if stream.write_all(parts[0]).await.is_ok() {
        tokio::time::sleep(pause).await;
        let _ = stream.write_all(parts[1]).await;
    }
    let mut received = Vec::new();
    // What was received before the connection broke counts.
    let _ = stream.read_to_end(&mut received).await;
    let (status, range) = parse_head(&received)?;
    received.get(range).map(|body| Response { status, body: body.to_vec() })
}
