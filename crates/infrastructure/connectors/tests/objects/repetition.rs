//! A call that fails once is repeated where a client waits, and not where a step has attempts of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use quire_connectors::blob::object::Repetition;
use quire_ports::{BlobStore as _, PortError};
use quire_testkit::object_services::azure_container;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::azure_at;

/// What a service answers that cannot work now.
const BUSY: &[u8] = b"HTTP/1.1 503 Server Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A proxy that answers so many requests with an error of the service. Returns its address and what is left of them.
async fn busy_proxy(target: String) -> (String, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let left = Arc::new(AtomicU32::new(0));
    let failures = left.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let fails =
                failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
            let target = target.clone();
            tokio::spawn(async move {
                if fails {
                    let _ = client.read(&mut [0; 4096]).await;
                    let _ = client.write_all(BUSY).await;
                    return;
                }
                let mut server = TcpStream::connect(target).await.unwrap();
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    (address, left)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_fails_once_is_repeated_only_where_a_client_waits() {
    let container = azure_container().await;
    let host = container.endpoint.split('/').nth(2).unwrap().to_owned();
    let (address, left) = busy_proxy(host.clone()).await;
    let endpoint = container.endpoint.replacen(&host, &address, 1);
    // A new client has no open connection, so its first call meets the proxy's error.
    let blobs = |repetition| azure_at(&container, &endpoint, "", repetition);

    left.store(1, Ordering::SeqCst);
    blobs(Repetition::Short).put("a/original.pdf", b"abc".to_vec()).await.unwrap();
    assert_eq!(left.load(Ordering::SeqCst), 0, "the first call failed");
    left.store(1, Ordering::SeqCst);
    assert_eq!(blobs(Repetition::Short).get("a/original.pdf", 10).await.unwrap(), b"abc");

    left.store(1, Ordering::SeqCst);
    let once = blobs(Repetition::Never).get("a/original.pdf", 10).await.unwrap_err();
    assert!(matches!(once, PortError::Unavailable { service: "storage", .. }), "{once}");
    left.store(10, Ordering::SeqCst);
    let always = blobs(Repetition::Short).get("a/original.pdf", 10).await.unwrap_err();
    assert!(matches!(always, PortError::Unavailable { service: "storage", .. }), "{always}");
    assert_eq!(left.load(Ordering::SeqCst), 7, "a call and two repetitions");
}
