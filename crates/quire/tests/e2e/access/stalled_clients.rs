//! Clients that connect and then send or read nothing.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use tokio::net::TcpSocket;

use crate::events::event_stream::EventStream;
use crate::http::{Response, exchange, text};
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

const FEW_CONNECTIONS: [(&str, &str); 4] = [
    ("QUIRE_LIMITS_CONNECTIONS", "32"),
    ("QUIRE_LIMITS_CONNECTIONS_PER_CLIENT", "12"),
    ("QUIRE_UPLOADS_PROCESSING", "false"),
    ("QUIRE_READING_PARSERS", "1"),
];

on_both_stores! {
    stalled_clients_neither_keep_others_out_nor_stay with super::FEW_CONNECTIONS,
    a_body_that_stalls_is_refused with [("QUIRE_LIMITS_CLIENT_TIMEOUT", "300ms")],
    a_large_login_form_is_refused_before_it_is_read,
    one_key_cannot_take_all_event_streams with [
        ("QUIRE_SERVER_MAX_EVENT_STREAMS", "4"),
        ("QUIRE_SERVER_MAX_EVENT_STREAMS_PER_KEY", "3"),
    ],
}

/// Ways to stall: nothing, in the head, in the body of the login, and in the body of an upload.
const STALLED: [&str; 4] = [
    "",
    "GET /documents HTTP/1.1\r\nHost: loc",
    "POST /app/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000\r\n\r\nkey=",
    "POST /documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n--",
];

/// Connects from one of the addresses of this machine, and sends the beginning of a request.
async fn stall(server: &TestServer, from: u8, request: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 2, from), 0))).unwrap();
    let stream = socket.connect(server.address.parse().unwrap()).await.unwrap().into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    (&stream).write_all(request.as_bytes()).unwrap();
    stream
}

/// Whether the server has closed the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    match stream.read(&mut [0; 1024]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

async fn stalled_clients_neither_keep_others_out_nor_stay(env: &TestEnv) {
    let key = env.create_key("reader", "read");
    let server = env.cli.serve();
    let mut stalled = Vec::new();
    for number in 0..20 {
        for from in 1..=4 {
            stalled.push(stall(&server, from, STALLED[number % STALLED.len()]).await);
            assert_eq!(server.get("/health").status, 200);
        }
        assert_eq!(server.request("GET /documents", &key).status, 200);
    }
    let open = stalled.iter_mut().filter_map(|stream| (!is_closed(stream)).then_some(())).count();
    assert!(open <= 32, "{open} stalled connections are open");
    let metrics = server.request("GET /metrics", &key).body;
    assert!(!metrics.contains("quire_connections_closed_for_others_total 0\n"), "{metrics}");
}

async fn a_body_that_stalls_is_refused(env: &TestEnv) {
    env.create_key("reader", "read");
    let server = env.cli.serve();
    for stalled in &STALLED[2..] {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(stalled.as_bytes()).unwrap();
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response);
        let status = response.split(' ').nth(1).unwrap_or_default();
        assert!(["408", "401"].contains(&status), "{stalled}: {response}");
        if status == "408" {
            assert!(response.contains("REQUEST_TIMEOUT"), "{response}");
        }
    }
}

async fn a_large_login_form_is_refused_before_it_is_read(env: &TestEnv) {
    env.create_key("reader", "read");
    let server = env.cli.serve();
    for path in ["/app/login", "/app/logout", "/app/preferences"] {
        let body = format!("key={}", "x".repeat(9000));
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        let whole = format!("{head}Content-Length: {}\r\n\r\n", body.len());
        assert_too_large(&exchange(&server.address, &whole, body.as_bytes()).unwrap().map(text));
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", body.len());
        let body = format!("{body}\r\n0\r\n\r\n");
        assert_too_large(&exchange(&server.address, &chunked, body.as_bytes()).unwrap().map(text));
    }
}

fn assert_too_large(response: &Response) {
    assert_eq!((response.status, response.error_code().as_str()), (413, "REQUEST_BODY_TOO_LARGE"));
    assert_eq!(response.json()["details"]["max_bytes"], 8192);
}

async fn one_key_cannot_take_all_event_streams(env: &TestEnv) {
    let (greedy, other) = (env.create_key("greedy", "read"), env.create_key("other", "read"));
    let server = env.cli.serve();
    let streams: Vec<_> = (0..3).map(|_| EventStream::connect(&server, "/events", &greedy)).collect();
    assert!(streams.iter().all(|stream| stream.head.contains(" 200 ok")));
    assert!(streams[0].head.contains("connection: close"), "{}", streams[0].head);
    let refused = server.request("GET /events", &greedy);
    assert_eq!((refused.status, refused.error_code().as_str()), (429, "RATE_LIMITED"));
    assert!(EventStream::connect(&server, "/events", &other).head.contains(" 200 ok"));
}
