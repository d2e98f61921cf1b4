//! Serving HTTP on a socket until the process stops.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::{Service, ServiceExt as _};

use crate::{Server, router};

/// How long a client may take to send the head of a request. Slower clients only hold connections.
const REQUEST_HEAD_LIMIT: Duration =
    if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(30) };
/// Open connections; further clients wait in the queue of the operating system.
const MAX_CONNECTIONS: usize = 4096;
/// The pause after an error of the operating system, such as too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves until `stop` resolves. Then accepts no new connections, finishes open requests and returns.
pub async fn serve(listener: TcpListener, server: Server, stop: impl Future<Output = ()> + Send + 'static) {
    serve_router(listener, router(server), stop).await;
}

async fn serve_router(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let (open, graceful) = (Arc::new(Semaphore::new(MAX_CONNECTIONS)), GracefulShutdown::new());
    tokio::pin!(stop);
    loop {
        let accepted = async {
            let place = open.clone().acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = &mut stop => break,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Responses are written whole; waiting for more data would only delay them.
                let _ = stream.set_nodelay(true);
                let service = TowerToHyperService::new(of(peer, router.clone()));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(REQUEST_HEAD_LIMIT)
                    .serve_connection(TokioIo::new(stream), service);
                let answering = graceful.watch(connection);
                tokio::spawn(async move {
                    // A client may close its connection at any time.
                    let _ = answering.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "accept failed");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    graceful.shutdown().await;
}

/// The router for one connection: each request carries the address of its client.
fn of(
    peer: SocketAddr,
    router: Router,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send> + Clone {
    router.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    })
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;

    use super::*;

    /// A slow client does not delay others.
    #[tokio::test]
    async fn a_client_that_does_not_finish_its_request_head_is_disconnected() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = Router::new().route("/", get(|| async { "here" }));
        let serving = tokio::spawn(serve_router(listener, router, async move {
            let _ = stopped.await;
        }));
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap();
        let mut quick = TcpStream::connect(address).await.unwrap();
        quick.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut response = String::new();
        quick.read_to_string(&mut response).await.unwrap();
        assert!(response.ends_with("here"), "{response}");
        let mut rest = Vec::new();
        slow.read_to_end(&mut rest).await.unwrap();
        stop.send(()).unwrap();
        serving.await.unwrap();
    }
}
