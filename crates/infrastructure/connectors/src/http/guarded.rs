//! Connections to addresses that users can influence.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::{Service, ServiceExt as _};

use crate::web::{Guard, HostRefused};

/// A host with many addresses is tried at this many.
const MAX_ADDRESSES: usize = 4;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Resolves a host, checks all its addresses and connects to one of them, directly or through the proxy. The name is
/// not resolved again: TLS checks the certificate of the name, but the connection goes to the address.
#[derive(Clone)]
pub(crate) struct GuardedConnector {
    pub(super) guard: Arc<Guard>,
    pub(super) tcp: HttpConnector,
    pub(super) tunnel: Option<Tunnel<HttpConnector>>,
}

impl GuardedConnector {
    async fn connect(self, target: Uri) -> Result<TokioIo<TcpStream>, BoxError> {
        let default = if target.scheme_str() == Some("https") { 443 } else { 80 };
        let port = target.port_u16().unwrap_or(default);
        let addresses = self.guard.addresses(target.host().unwrap_or_default(), port).await?;
        let mut error: BoxError = HostRefused::Unresolved.into();
        for address in addresses.into_iter().take(MAX_ADDRESSES) {
            let pinned: Uri = format!("http://{address}/").parse()?;
            let connection = match &self.tunnel {
                Some(tunnel) if !address.ip().is_loopback() => {
                    tunnel.clone().oneshot(pinned).await.map_err(BoxError::from)
                }
                _ => self.tcp.clone().oneshot(pinned).await.map_err(BoxError::from),
            };
            match connection {
                Ok(connection) => return Ok(connection),
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }
}

impl Service<Uri> for GuardedConnector {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        Box::pin(self.clone().connect(target))
    }
}
