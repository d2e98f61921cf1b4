//! Uploads documents for the pages benchmark through the API.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::api::client::Connection;

/// Uploads a PDF and returns its id.
pub async fn upload(connection: &mut Connection, file: &[u8]) -> String {
    let mut body =
        b"--quire\r\nContent-Disposition: form-data; name=\"file\"; filename=\"record.pdf\"\r\n\r\n".to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--quire--\r\n");
    let mut request = format!(
        "POST /documents/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=quire\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend(body);
    let answer: Value = serde_json::from_slice(connection.send(&request, "an upload").await).unwrap();
    answer["document_id"].as_str().unwrap().to_owned()
}

/// Waits until a document was understood, and answers when that was, in milliseconds.
pub async fn completed(connection: &mut Connection, id: &str) -> f64 {
    loop {
        let document: Value =
            serde_json::from_slice(connection.get(&format!("/documents/{id}")).await).unwrap();
        match document["status"].as_str() {
            Some("COMPLETED") => {
                let ended: Timestamp =
                    document["latest_run"]["completed_at"].as_str().unwrap().parse().unwrap();
                return ended.as_microsecond() as f64 / 1000.0;
            }
            Some("PROCESSING") => tokio::time::sleep(Duration::from_millis(5)).await,
            other => panic!("{id} became {other:?}"),
        }
    }
}
