//! Thousands of clients that connect and stall: the server must stay small and answer everybody else.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::api::server::{Server, ServerData, StepBehavior};
use crate::database::DatabaseKind;

/// Addresses of this machine that clients connect from.
const ADDRESSES: usize = 64;
const MAX_MEMORY_MB: u64 = 300;
const MAX_LATENCY: Duration = Duration::from_secs(1);
/// Requests of other clients after each wave.
const REQUESTS: usize = 20;

/// What clients send after the head.
static PADDING: [u8; 300_000] = [b'x'; 300_000];

/// Where each wave of clients stalls, and how many bytes it sends after the head: as many as the server may buffer.
const WAVES: [(&str, &str, usize); 5] = [
    ("before the request", "", 0),
    ("in the head", "GET /app/login HTTP/1.1\r\nHost: localhost\r\nX-Padding: ", 7_500),
    (
        "in a login that is too large",
        "POST /app/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n",
        300_000,
    ),
    ("in a login", "POST /app/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000\r\n\r\n", 7_900),
    (
        "in an upload",
        "POST /documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n",
        300_000,
    ),
];

pub async fn drill(short: bool) -> bool {
    let clients = if short { 256 } else { 4096 };
    println!("\n## {clients} stalled clients from {ADDRESSES} addresses");
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let token = [("QUIRE_SERVER_AUTH_TOKEN", "4f1c0a9be27d5863f0b1c2d3e4a59687")];
    let mut passed = true;
    for (place, head, bytes) in WAVES {
        // A server of its own for each wave: its memory shows what this wave costs.
        let server = ServerData::new(DatabaseKind::Sqlite).await.serve(StepBehavior::None, &token);
        let mut stalled = Vec::new();
        for client in 0..clients {
            stalled.push(tokio::spawn(stall(server.address, client % ADDRESSES, head, bytes)));
        }
        let mut open = Vec::new();
        for client in stalled {
            open.extend(client.await.unwrap());
        }
        let mut slowest = Duration::ZERO;
        for _ in 0..REQUESTS {
            for path in ["/health/live", "/app/login"] {
                slowest = slowest.max(time_request(&server, path).await);
            }
        }
        let memory = server.peak_memory_mb();
        passed &= slowest < MAX_LATENCY && memory < MAX_MEMORY_MB;
        println!(
            "stalled {place}: {} connected, slowest answer to others {slowest:.0?}, memory {memory} MB",
            open.len()
        );
    }
    println!("limits: {MAX_LATENCY:?} and {MAX_MEMORY_MB} MB; passed {passed}");
    passed
}

/// Connects from an address and sends a part of a request. None if the server does not want it.
async fn stall(server: SocketAddr, address: usize, head: &str, bytes: usize) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    let last = u8::try_from(address + 1).unwrap();
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 3, last), 0))).unwrap();
    let mut stream = socket.connect(server).await.ok()?;
    stream.write_all(head.as_bytes()).await.ok()?;
    // The server may stop reading: a client that waits to send also stalls.
    let sending = stream.write_all(&PADDING[..bytes]);
    let _ = tokio::time::timeout(Duration::from_secs(2), sending).await;
    Some(stream)
}

/// The time of a request on a new connection.
async fn time_request(server: &Server, path: &str) -> Duration {
    let start = Instant::now();
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap_or_default();
    if response.starts_with("HTTP/1.1 200 ") { start.elapsed() } else { Duration::MAX }
}
