//! A write is confirmed by a checksum that the service computed of what it received.

use quire_connectors::blob::object::Repetition;
use quire_ports::BlobStore as _;
use quire_testkit::object_services::{TestContainer, azure_container, s3_bucket};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{azure, azure_at, s3};

#[tokio::test(flavor = "multi_thread")]
async fn azure_confirms_what_it_received_and_a_service_that_speaks_like_s3_is_not_trusted() {
    let (azure, s3) = (azure(&azure_container().await), s3(&s3_bucket().await, "test"));
    azure.put("a/small", b"abc".to_vec()).await.unwrap();
    assert!(azure.confirms_writes());
    assert!(s3.confirms_writes());
    // It may not compare what it received with the hash that signs the request.
    s3.put("a/small", b"abc".to_vec()).await.unwrap();
    assert!(!s3.confirms_writes());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_reports_no_checksum_confirms_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/devstoreaccount1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let created =
                b"HTTP/1.1 201 Created\r\nETag: \"1\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            // The whole request fits into one piece.
            let _ = client.read(&mut [0; 8192]).await;
            let _ = client.write_all(created).await;
        }
    });
    let container = TestContainer { endpoint: endpoint.clone(), name: "records".to_owned() };
    let blobs = azure_at(&container, &endpoint, "", Repetition::Never);
    assert!(blobs.confirms_writes());
    blobs.put("a/small", b"abc".to_vec()).await.unwrap();
    assert!(!blobs.confirms_writes());
}
