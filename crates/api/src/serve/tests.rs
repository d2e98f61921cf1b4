use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Bytes;
use axum::routing::{get, post};
use futures_util::stream::{self, FuturesUnordered, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::*;

/// A test server, stopped when it is dropped.
struct Running {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

async fn run(router: Router, limits: ConnectionLimits) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(serve_router(listener, router, limits, async move {
        let _ = stopped.await;
    }));
    Running { address, _stop: stop }
}

fn limits(total: usize, client_timeout: Duration) -> ConnectionLimits {
    ConnectionLimits { total, per_client: total, client_timeout, proxies: crate::TrustedProxies::default() }
}

async fn begin(server: &Running, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn rest(mut stream: TcpStream) -> String {
    let mut response = Vec::new();
    // A connection that is closed with unread data is reset.
    let _ = stream.read_to_end(&mut response).await;
    String::from_utf8(response).unwrap()
}

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_mins(10);
const WHOLE: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// A slow client does not delay others.
#[tokio::test]
async fn a_client_that_does_not_finish_its_request_head_is_disconnected() {
    let server = run(Router::new().route("/", get(|| async { "here" })), limits(10, SHORT)).await;
    let slow = begin(&server, "GET / HTTP/1.1\r\nHost: loc").await;
    assert!(rest(begin(&server, WHOLE).await).await.ends_with("here"));
    assert_eq!(rest(slow).await, "");
}

/// Stalled clients cannot keep others out, however long their time limit is.
#[tokio::test]
async fn a_full_server_answers_new_clients_and_disconnects_stalled_ones() {
    let router = Router::new().route("/", get(|| async { "here" })).route("/form", post(|_: Bytes| async {}));
    let server = run(router, limits(4, LONG)).await;
    let mut stalled = Vec::new();
    for request in ["", "GET / HT", "POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", "P"] {
        stalled.push(begin(&server, request).await);
    }
    for _ in 0..4 {
        assert!(rest(begin(&server, WHOLE).await).await.ends_with("here"));
    }
    let mut ending: FuturesUnordered<_> = stalled.into_iter().map(rest).collect();
    assert_eq!(ending.next().await.as_deref(), Some(""), "one gave way, and the others need not");
}

/// A body that gives pieces for ever, and counts how often it was dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn endless(dropped: &Arc<AtomicUsize>) -> Body {
    let guard = Dropped(dropped.clone());
    Body::from_stream(stream::unfold(guard, |guard| async {
        Some((Ok::<_, Infallible>(Bytes::from(vec![b'x'; 1 << 16])), guard))
    }))
}

async fn until_dropped(dropped: &AtomicUsize) {
    while dropped.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_its_response_is_disconnected() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let body = dropped.clone();
    let router = Router::new().route("/", get(move || async move { endless(&body) }));
    let server = run(router, limits(4, SHORT)).await;
    let _silent = begin(&server, WHOLE).await;
    until_dropped(&dropped).await;
}

/// The body itself cannot end: nobody asks it for more while its client does not read.
#[tokio::test]
async fn a_response_without_end_is_closed_from_outside_its_body() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let body = dropped.clone();
    let router = Router::new()
        .route("/", get(move || async move { (axum::Extension(CloseAfter(SHORT)), endless(&body)) }));
    let server = run(router, limits(4, LONG)).await;
    let _silent = begin(&server, WHOLE).await;
    until_dropped(&dropped).await;
}
