//! Serving HTTP on a socket until the process stops.

mod client_stream;
mod connections;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tower::{Service, ServiceExt as _, service_fn};

use self::client_stream::ClientStream;
use self::connections::{Connection, Connections};
use crate::middleware::client_limit::ForHealthChecks;
use crate::{Server, router};

pub use self::connections::ConnectionLimits;

/// Bytes that are read at once, and of the largest request head: the memory that a client can hold without being served. The
/// longest query of a search fits, whatever its script: a character takes up to twelve bytes in an address.
const READ_BUFFER: usize = 32 << 10;
/// The pause after an error of the operating system, such as too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// In a response without end: closes its connection after this time. A body cannot end itself while its client does not read,
/// because nobody asks it for more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloseAfter(pub(crate) Duration);

/// Serves until `stop` resolves. Then accepts no new connections, finishes open requests and returns.
pub async fn serve(listener: TcpListener, server: Server, stop: impl Future<Output = ()> + Send + 'static) {
    let limits = server.connections.clone();
    serve_router(listener, router(server), limits, stop).await;
}

async fn serve_router(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let timeout = limits.client_timeout;
    let (connections, graceful) = (Connections::new(limits), GracefulShutdown::new());
    let mut http = http1::Builder::new();
    // A connection without a request has the same time as the head of one.
    http.timer(TokioTimer::new()).header_read_timeout(timeout);
    http.max_buf_size(READ_BUFFER);
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, peer)) => {
                // A client that is not admitted is disconnected.
                let Some(entry) = connections.admit(peer.ip()) else { continue };
                // Responses are written whole; waiting for more data would only delay them.
                let _ = socket.set_nodelay(true);
                let connection = entry.connection.clone();
                let service = TowerToHyperService::new(of(peer, connection.clone(), router.clone()));
                let stream = ClientStream::new(socket, connection.clone(), timeout);
                let answering = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
                tokio::spawn(async move {
                    // A client may close its connection at any time.
                    let _ = connection.close.run_until_cancelled(answering).await;
                    drop(entry);
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
    connection: Arc<Connection>,
    router: Router,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send> + Clone {
    service_fn(move |request: Request<Incoming>| {
        let (router, connection) = (router.clone(), connection.clone());
        connection.set_busy(true);
        async move {
            let mut request =
                request.map(|body| Body::new(WatchedBody { body, connection: connection.clone() }));
            request.extensions_mut().insert(ConnectInfo(peer));
            if connection.is_reserved {
                request.extensions_mut().insert(ForHealthChecks);
            }
            let response = router.oneshot(request).await;
            connection.set_busy(false);
            if let Some(CloseAfter(time)) =
                response.as_ref().ok().and_then(|it| it.extensions().get()).copied()
            {
                let close = connection.close.clone();
                tokio::spawn(async move {
                    let _ = close.run_until_cancelled(tokio::time::sleep(time)).await;
                    close.cancel();
                });
            }
            response
        }
    })
}

/// A request body that records when the server waits for its client.
struct WatchedBody {
    body: Incoming,
    connection: Arc<Connection>,
}

impl axum::body::HttpBody for WatchedBody {
    type Data = hyper::body::Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.connection.set_busy(polled.is_ready());
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
