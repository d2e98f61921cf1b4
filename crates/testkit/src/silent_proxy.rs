//! A TCP proxy in front of a server that can fall silent: connections stay open and new ones are accepted, but nothing is
//! answered. This is what clients see of a server that hangs, of a network that drops packets, or of a machine that is gone.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A proxy that forwards bytes until it is told to be silent.
pub struct SilentProxy {
    address: SocketAddr,
    state: watch::Sender<ProxyState>,
}

#[derive(Clone, Copy)]
struct ProxyState {
    silent: bool,
    /// Connections of an earlier generation never answer again.
    generation: u64,
}

impl SilentProxy {
    /// Starts a proxy of the server at `target`, such as `127.0.0.1:5432`.
    pub async fn start(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = watch::Sender::new(ProxyState { silent: false, generation: 0 });
        let watched = state.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, target.clone(), watched.clone()));
            }
        });
        Self { address, state }
    }

    /// Starts a proxy of the server of a database URL.
    pub async fn of_database(url: &str) -> Self {
        Self::start(server_of(url).to_owned()).await
    }

    /// The same database URL through this proxy.
    pub fn through(&self, url: &str) -> String {
        url.replacen(server_of(url), &self.address.to_string(), 1)
    }

    /// Stops answering on every connection.
    pub fn silence(&self) {
        self.state.send_modify(|state| state.silent = true);
    }

    /// Answers again, also what was sent during the silence.
    pub fn speak(&self) {
        self.state.send_modify(|state| state.silent = false);
    }

    /// Never answers again on the connections that are open now, without closing them, as if the machine at the other end
    /// were gone. New connections are answered.
    pub fn strand(&self) {
        self.state.send_modify(|state| state.generation += 1);
    }
}

/// Host and port of a URL such as `postgres://user:password@127.0.0.1:5432/name`.
fn server_of(url: &str) -> &str {
    let rest = url.split_once("://").unwrap().1;
    let rest = rest.rsplit_once('@').map_or(rest, |(_, server)| server);
    rest.split_once(['/', '?']).map_or(rest, |(server, _)| server)
}

async fn serve(client: TcpStream, target: String, mut state: watch::Receiver<ProxyState>) {
    let generation = state.borrow().generation;
    if wait_until_heard(&mut state, generation).await.is_none() {
        return;
    }
    let Ok(server) = TcpStream::connect(target).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    tokio::join!(
        pump(from_client, to_server, state.clone(), generation),
        pump(from_server, to_client, state, generation)
    );
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<ProxyState>,
    generation: u64,
) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        if wait_until_heard(&mut state, generation).await.is_none() {
            return;
        }
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

/// Returns when a connection of that generation is answered. None if the proxy is gone.
async fn wait_until_heard(state: &mut watch::Receiver<ProxyState>, generation: u64) -> Option<()> {
    let heard = |state: &ProxyState| !state.silent && state.generation == generation;
    state.wait_for(heard).await.ok().map(|_| ())
}
