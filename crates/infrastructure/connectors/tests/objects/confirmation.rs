//! A write is confirmed by a checksum that the service computed of what it received.

use quire_connectors::blob::object::Repetition;
use quire_ports::{BlobStore as _, PortError};
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

/// Who writes a file knows its hash already. It is stored with the file and compared when the file is read.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_compared_with_the_hash_that_its_writer_was_told() {
    let blobs = azure(&azure_container().await);
    // SHA-256 of abc.
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let mut sha256 = [0; 32];
    for (byte, digits) in sha256.iter_mut().zip(hash.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
    }
    for (name, content, is_right) in [("a/right", b"abc", true), ("a/wrong", b"abd", false)] {
        let mut file = blobs.begin(name).await.unwrap();
        file.write(content).await.unwrap();
        file.set_sha256(sha256);
        file.finish().await.unwrap();
        match blobs.get(name, 10).await {
            Ok(read) => assert!(is_right && read == content),
            Err(error) => assert!(!is_right && matches!(error, PortError::Corrupt(_)), "{error}"),
        }
    }
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
