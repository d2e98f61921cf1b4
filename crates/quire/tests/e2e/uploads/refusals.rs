//! Refused uploads store nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use quire_testkit::documents::clinical_record;
use serde_json::json;

use super::form::{BOUNDARY, Form, opening};
use super::upload;
use crate::http::{Response, exchange, text};
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R058.
    an_unsupported_type_is_refused_whatever_its_name with super::ONE_MB,
    /// Proves R058 if only PDFs are accepted.
    other_types_are_refused_if_only_pdfs_are_accepted with [("QUIRE_READING_FORMATS", "pdf")],
    /// Proves R059 for the default.
    the_default_limit_is_20_mb,
    /// Proves R059: the response comes although the body is never sent.
    a_content_length_above_the_limit_is_refused_before_the_body with super::ONE_MB,
    /// Proves R059.
    a_file_above_the_limit_is_refused_and_one_of_exactly_the_limit_is_accepted with super::ONE_MB,
    /// Proves R060.
    an_empty_file_a_missing_file_or_a_broken_form_is_an_invalid_request with super::ONE_MB,
    /// Other fields are held in memory, so that their size is limited.
    a_form_with_large_other_fields_is_an_invalid_request,
    a_disk_that_is_nearly_full_takes_no_uploads with [("QUIRE_UPLOADS_MIN_FREE_MB", "1000000000")],
    /// Proves R053.
    without_storage_an_upload_is_refused with super::ONE_MB,
    /// Proves R051 for a client that disconnects.
    a_client_that_disconnects_leaves_nothing with super::ONE_MB,
}

/// The limit of the tests with `ONE_MB`, in bytes.
const LARGEST: usize = 1 << 20;

/// A limit of 1 MB, and no processing.
const ONE_MB: [(&str, &str); 2] = [("QUIRE_UPLOADS_MAX_MB", "1"), ("QUIRE_UPLOADS_PROCESSING", "false")];

fn pdf_of(length: usize) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    file.resize(length, b'.');
    file
}

fn assert_refused(response: &Response, status: u16, code: &str) {
    let body = response.json();
    assert_eq!((response.status, &body["error_code"]), (status, &json!(code)), "{body}");
    assert!(body["message"].is_string() && body["correlation_id"].is_string(), "{body}");
    for internal in ["quire-data", "documents/", "~incoming"] {
        assert!(!response.body.contains(internal), "{body}");
    }
}

async fn an_unsupported_type_is_refused_whatever_its_name(env: &TestEnv) {
    let server = env.cli.serve();
    let gif = b"GIF89a\x01\x00\x01\x00".to_vec();
    let zip = [b"PK\x03\x04".to_vec(), vec![0; 200_000]].concat();
    let text_then_binary = ["Paciente: Luna\n".repeat(10_000).into_bytes(), vec![0; 300_000]].concat();
    for file in [gif, zip, text_then_binary, b"<html><body>hello".to_vec(), vec![0; 500_000]] {
        for path in ["/documents/upload", "/documents"] {
            let response = Form::file("record.pdf", &file).send(&server, path);
            assert_refused(&response, 415, "UNSUPPORTED_MEDIA_TYPE");
        }
    }
    env.assert_nothing_was_stored().await;
}

async fn other_types_are_refused_if_only_pdfs_are_accepted(env: &TestEnv) {
    let server = env.cli.serve();
    for file in [&b"Paciente: Luna"[..], b"\x89PNG\r\n\x1a\n...", b"\xff\xd8\xff\xe0"] {
        let response = Form::file("record.pdf", file).send(&server, "/documents/upload");
        assert_refused(&response, 415, "UNSUPPORTED_MEDIA_TYPE");
        assert_eq!(response.json()["details"], json!({"supported": ["application/pdf"]}));
    }
    env.assert_nothing_was_stored().await;
    upload(&server, "/documents/upload", "record.txt", &clinical_record(1));
}

async fn the_default_limit_is_20_mb(env: &TestEnv) {
    let server = env.cli.serve();
    let head = format!("{}Content-Length: {}\r\n\r\n", opening("/documents/upload"), 21 * LARGEST);
    let response = exchange(&server.address, &head, b"").unwrap().map(text);
    assert_refused(&response, 413, "FILE_TOO_LARGE");
    assert_eq!(response.json()["details"], json!({"max_bytes": 20 * LARGEST}));
    env.assert_nothing_was_stored().await;
    upload(&server, "/documents/upload", "a.pdf", &pdf_of(20 * LARGEST));
}

async fn a_content_length_above_the_limit_is_refused_before_the_body(env: &TestEnv) {
    let server = env.cli.serve();
    let head = format!("{}Content-Length: {}\r\n\r\n", opening("/documents/upload"), 20 * LARGEST);
    let response = exchange(&server.address, &head, b"").unwrap().map(text);
    assert_refused(&response, 413, "FILE_TOO_LARGE");
    assert_eq!(response.json()["details"], json!({"max_bytes": LARGEST}));
    env.assert_nothing_was_stored().await;
}

async fn a_file_above_the_limit_is_refused_and_one_of_exactly_the_limit_is_accepted(env: &TestEnv) {
    let server = env.cli.serve();
    for too_large in [LARGEST + 1, 5 * LARGEST] {
        let response = Form::file("a.pdf", &pdf_of(too_large)).send_in_chunks(&server, "/documents/upload");
        assert_refused(&response, 413, "FILE_TOO_LARGE");
    }
    let response = Form::file("a.pdf", &pdf_of(LARGEST + 1)).send(&server, "/documents");
    assert_refused(&response, 413, "FILE_TOO_LARGE");
    env.assert_nothing_was_stored().await;
    upload(&server, "/documents/upload", "a.pdf", &pdf_of(LARGEST));
    assert_eq!(Form::file("a.pdf", &pdf_of(LARGEST)).send_in_chunks(&server, "/documents").status, 200);
}

async fn an_empty_file_a_missing_file_or_a_broken_form_is_an_invalid_request(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    let without_end = Form::new().field("file", "a.pdf", &file);
    let other_field = Form::new().field("document", "a.pdf", &file).end();
    let headless = Form(format!("--{BOUNDARY}\r\n\r\nx\r\n--{BOUNDARY}--\r\n").into_bytes());
    // As from `curl -F file=record.pdf`, where the @ before the file is missing.
    let only_its_name = "Content-Disposition: form-data; name=\"file\"\r\n\r\nrecord.pdf";
    let only_its_name = Form(format!("--{BOUNDARY}\r\n{only_its_name}\r\n--{BOUNDARY}--\r\n").into_bytes());
    for form in [
        only_its_name,
        Form::file("a.pdf", b""),
        Form::new(),
        Form::new().end(),
        Form(b"%PDF-1.7 and no form".to_vec()),
        without_end,
        other_field,
        headless,
    ] {
        let response = form.send(&server, "/documents/upload");
        assert_refused(&response, 400, "INVALID_REQUEST");
    }
    let head = "POST /documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/pdf\r\n\
                Content-Length: 4\r\n\r\n";
    assert_refused(&exchange(&server.address, head, b"%PDF").unwrap().map(text), 400, "INVALID_REQUEST");
    let response = Form::file("a.pdf", &file).send(&server, "/documents/upload?priority=urgent");
    assert_refused(&response, 400, "INVALID_REQUEST");
    env.assert_nothing_was_stored().await;
}

async fn a_form_with_large_other_fields_is_an_invalid_request(env: &TestEnv) {
    let server = env.cli.serve();
    let large = vec![b'-'; 5 * LARGEST];
    let endless_name = format!("--{BOUNDARY}\r\nX-Name: {}", "a".repeat(5 * LARGEST)).into_bytes();
    for form in [
        Form(large.clone()),
        Form(endless_name),
        Form::new().field("note", "", &large).field("file", "a.pdf", b"%PDF-").end(),
        Form::new().field("file", "a.pdf", b"%PDF-").field("note", "", &large).end(),
    ] {
        for response in [form.send(&server, "/documents"), form.send_in_chunks(&server, "/documents")] {
            assert_refused(&response, 400, "INVALID_REQUEST");
        }
    }
    env.assert_nothing_was_stored().await;
}

async fn without_storage_an_upload_is_refused(env: &TestEnv) {
    let server = env.cli.serve();
    std::fs::rename(env.documents_folder(), env.cli.path("elsewhere")).unwrap();
    let response = Form::file("a.pdf", &clinical_record(1)).send(&server, "/documents/upload");
    assert_refused(&response, 503, "SERVICE_UNAVAILABLE");
    assert!(response.head.contains("retry-after: "), "{}", response.head);
    std::fs::rename(env.cli.path("elsewhere"), env.documents_folder()).unwrap();
    env.assert_nothing_was_stored().await;
    upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
}

async fn a_client_that_disconnects_leaves_nothing(env: &TestEnv) {
    let server = env.cli.serve();
    let form = Form::file("a.pdf", &pdf_of(LARGEST));
    let head = form.head("/documents/upload", "");
    let mut streams: Vec<TcpStream> = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&form.0[..LARGEST / 2]).unwrap();
        streams.push(stream);
    }
    wait_until(async || env.stored_files().1 == 4).await;
    for stream in &mut streams {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        assert!(!response.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&response));
    }
    drop(streams);
    wait_until(async || env.stored_files().1 == 0).await;
    env.assert_nothing_was_stored().await;
}

async fn a_disk_that_is_nearly_full_takes_no_uploads(env: &TestEnv) {
    let server = env.cli.serve();
    let refused = Form::file("a.pdf", &clinical_record(1)).send(&server, "/documents/upload");
    assert_refused(&refused, 507, "STORAGE_FULL");
    assert!(refused.json()["message"].as_str().unwrap().contains("1000000000 MB"), "{}", refused.body);
    env.assert_nothing_was_stored().await;
    assert_eq!(server.get("/documents").status, 200, "reading goes on");
}
