//! Answering on a socket until told to stop.

use std::io;

use tokio::net::TcpListener;

use crate::{Surface, router};

/// Answers until `stop` resolves; then takes no new connections, finishes what it is answering and returns.
pub async fn serve(
    listener: TcpListener,
    surface: Surface,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    axum::serve(listener, router(surface)).with_graceful_shutdown(stop).await
}
