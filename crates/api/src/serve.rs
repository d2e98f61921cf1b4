//! Answering on a socket until told to stop.

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

/// How long a client may take to say what it wants. Whoever is slower holds a connection for nothing.
const HEAD_WITHIN: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(30) };
/// Connections at once; the next ones wait in the system's queue.
const MOST_CONNECTIONS: usize = 4096;
/// After an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers until `stop` resolves; then takes no new connections, finishes what it is answering and returns.
pub async fn serve(listener: TcpListener, server: Server, stop: impl Future<Output = ()> + Send + 'static) {
    answer(listener, router(server), stop).await;
}

async fn answer(listener: TcpListener, router: Router, stop: impl Future<Output = ()> + Send + 'static) {
    let (open, graceful) = (Arc::new(Semaphore::new(MOST_CONNECTIONS)), GracefulShutdown::new());
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
                // Answers are written whole; waiting for more to send would only delay them.
                let _ = stream.set_nodelay(true);
                let service = TowerToHyperService::new(of(peer, router.clone()));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_WITHIN)
                    .serve_connection(TokioIo::new(stream), service);
                let answering = graceful.watch(connection);
                tokio::spawn(async move {
                    // A client that goes away in the middle is nobody's concern.
                    let _ = answering.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    graceful.shutdown().await;
}

/// The same answers for one client: what it asks carries its address.
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

    /// Who never says what they want is not waited for, and others are answered meanwhile.
    #[tokio::test]
    async fn a_client_that_does_not_finish_its_question_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = Router::new().route("/", get(|| async { "here" }));
        let serving = tokio::spawn(answer(listener, router, async move {
            let _ = stopped.await;
        }));
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap();
        let mut quick = TcpStream::connect(address).await.unwrap();
        quick.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut said = String::new();
        quick.read_to_string(&mut said).await.unwrap();
        assert!(said.ends_with("here"), "{said}");
        let mut rest = Vec::new();
        slow.read_to_end(&mut rest).await.unwrap();
        stop.send(()).unwrap();
        serving.await.unwrap();
    }
}
