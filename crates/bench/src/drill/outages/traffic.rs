//! Clients that upload documents and download them again, and remember what they were told.

pub mod document;
mod exchange;
mod log;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt;
use rand::seq::IndexedRandom as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::exchange::Response;
pub use self::exchange::exchange;
pub use self::log::{Expected, TrafficLog, all_documents};

/// Clients that upload.
pub const UPLOADERS: usize = 4;
/// The pause of a client between two requests, so that the queue does not grow without end.
const PAUSE: Duration = Duration::from_millis(120);

/// Clients at work.
pub struct Traffic {
    log: Arc<Mutex<TrafficLog>>,
    stop: CancellationToken,
    clients: Vec<JoinHandle<()>>,
}

impl Traffic {
    /// Starts the clients.
    pub fn start(server: SocketAddr, expected: Expected) -> Self {
        let log = Arc::new(Mutex::new(TrafficLog::new(expected)));
        let stop = CancellationToken::new();
        let mut clients: Vec<_> =
            (0..UPLOADERS).map(|_| tokio::spawn(upload_until(stop.clone(), server, log.clone()))).collect();
        clients.push(tokio::spawn(download_until(stop.clone(), server, log.clone())));
        Self { log, stop, clients }
    }

    /// How many uploads were acknowledged.
    pub fn acknowledged(&self) -> usize {
        locked(&self.log).acknowledged()
    }

    /// How many uploads were refused.
    pub fn refused(&self) -> usize {
        locked(&self.log).refused()
    }

    /// Waits until the next upload is refused.
    pub async fn wait_for_refusal(&self) {
        let before = self.refused();
        let refusal = async {
            while self.refused() == before {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(super::PATIENCE, refusal).await.is_err() {
            self.violation("no upload was refused during an outage".to_owned());
        }
    }

    /// Notes something that must not happen.
    pub fn violation(&self, violation: String) {
        locked(&self.log).violations.push(violation);
    }

    /// Lets every client finish its request and returns what they were told.
    pub async fn finish(self) -> TrafficLog {
        self.stop.cancel();
        for client in self.clients {
            client.await.unwrap();
        }
        std::mem::replace(&mut *locked(&self.log), TrafficLog::new(Expected::DiskFull))
    }
}

fn locked(log: &Mutex<TrafficLog>) -> MutexGuard<'_, TrafficLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn upload_until(stop: CancellationToken, server: SocketAddr, log: Arc<Mutex<TrafficLog>>) {
    while !stop.is_cancelled() {
        let number = locked(&log).next_upload();
        let request = document::upload_request(number, "");
        // Half of a large file, then a pause: the outage begins or ends in the middle of it.
        let pause = Duration::from_millis(rand::rng().random_range(0..1500));
        let pause = if document::is_large(number) { pause } else { Duration::ZERO };
        let (first, second) = request.split_at(request.len() / 2);
        let response = exchange(server, [first, second], pause).await;
        locked(&log).note_upload(number, response);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn download_until(stop: CancellationToken, server: SocketAddr, log: Arc<Mutex<TrafficLog>>) {
    while !stop.is_cancelled() {
        let chosen = locked(&log).documents().choose(&mut rand::rng()).copied();
        if let Some((number, id)) = chosen {
            let request = format!(
                "GET /documents/{id}/download HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            );
            let response = exchange(server, [request.as_bytes(), b""], Duration::ZERO).await;
            locked(&log).note_download(number, response);
        }
        tokio::time::sleep(PAUSE / 4).await;
    }
}
