//! A TCP proxy in front of a server that cuts connections: before a request arrives, after some bytes of it, or after some
//! bytes of its response. This is what clients see of a server that crashes or of a network that fails in the middle.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// No limit of bytes.
const UNCUT: i64 = i64::MAX;

/// A proxy that forwards bytes until it cuts.
pub struct CuttingProxy {
    address: SocketAddr,
    budget: Arc<Budget>,
}

/// The bytes that still pass, on all connections together.
struct Budget {
    sent: AtomicI64,
    received: AtomicI64,
}

impl CuttingProxy {
    /// Starts a proxy of the server at `target`, such as `127.0.0.1:10000`.
    pub async fn start(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let budget = Arc::new(Budget { sent: UNCUT.into(), received: UNCUT.into() });
        let shared = budget.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, target.clone(), shared.clone()));
            }
        });
        Self { address, budget }
    }

    /// Its host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same address through this proxy: `http://host:port/path`.
    pub fn through(&self, url: &str) -> String {
        let (scheme, rest) = url.split_once("://").unwrap();
        let path = rest.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
        format!("{scheme}://{}{path}", self.address)
    }

    /// Cuts every connection after the clients have sent so many more bytes. 0 cuts at once.
    pub fn cut_after_sending(&self, bytes: i64) {
        self.budget.sent.store(bytes, Ordering::SeqCst);
    }

    /// Cuts every connection after the server has sent so many more bytes: its answer is lost, not what it did.
    pub fn cut_after_receiving(&self, bytes: i64) {
        self.budget.received.store(bytes, Ordering::SeqCst);
    }

    /// Forwards everything again.
    pub fn heal(&self) {
        self.cut_after_sending(UNCUT);
        self.cut_after_receiving(UNCUT);
    }
}

async fn serve(client: TcpStream, target: String, budget: Arc<Budget>) {
    if budget.sent.load(Ordering::SeqCst) <= 0 {
        return;
    }
    let Ok(server) = TcpStream::connect(target).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    // When one direction ends, both connections close.
    tokio::select! {
        () = pump(from_client, to_server, &budget.sent) => {}
        () = pump(from_server, to_client, &budget.received) => {}
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, left: &AtomicI64) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        let before = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            Some(if left == UNCUT { UNCUT } else { left - i64::try_from(read).unwrap_or(0) })
        });
        let allowed = usize::try_from(before.unwrap_or(0)).unwrap_or(0).min(read);
        if allowed > 0 && to.write_all(&buffer[..allowed]).await.is_err() || allowed < read || read == 0 {
            return;
        }
    }
}
