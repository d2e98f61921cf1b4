//! Answering on a socket until told to stop.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::{Surface, router};

/// Answers until `stop` resolves; then takes no new connections, finishes what it is answering and returns.
pub async fn serve(
    listener: TcpListener,
    surface: Surface,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let service = router(surface).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(stop).await
}
