//! What is not taken in leaves nothing behind.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use quire_testkit::documents::clinical_record;
use serde_json::json;

use super::form::{BOUNDARY, Form, opening};
use super::upload;
use crate::http::{Answer, exchange, text};
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R058.
    a_file_of_another_kind_is_refused_whatever_it_is_called with super::SMALL,
    /// Proves R058 as it was meant when only PDFs were taken.
    what_is_no_pdf_is_refused_where_only_pdfs_are_taken with [("QUIRE_READING_FORMATS", "pdf")],
    /// Proves R059 where nothing is set.
    twenty_mebibytes_are_the_most_unless_something_else_is_set,
    /// Proves R059: the body is never sent, and the answer comes all the same.
    what_says_that_it_is_too_large_is_refused_before_it_is_read with super::SMALL,
    /// Proves R059.
    what_turns_out_to_be_too_large_is_refused_and_exactly_the_limit_is_taken with super::SMALL,
    /// Proves R060.
    an_empty_file_or_none_or_a_form_that_is_none_is_an_invalid_request with super::SMALL,
    /// What is outside the file is gathered in memory, so that there may not be much of it.
    a_form_with_too_much_around_its_file_is_an_invalid_request,
    /// Proves R053.
    without_room_for_the_file_there_is_no_document with super::SMALL,
    /// Proves R051 for a client that goes away.
    a_client_that_goes_away_leaves_nothing with super::SMALL,
}

/// The largest file that is taken in these stories.
const LARGEST: usize = 1 << 20;

/// So much, and no runs.
const SMALL: [(&str, &str); 2] = [("QUIRE_UPLOADS_MAX_MB", "1"), ("QUIRE_UPLOADS_PROCESSING", "false")];

fn pdf_of(length: usize) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    file.resize(length, b'.');
    file
}

fn assert_refused(answer: &Answer, status: u16, code: &str) {
    let body = answer.json();
    assert_eq!((answer.status, &body["error_code"]), (status, &json!(code)), "{body}");
    assert!(body["message"].is_string() && body["correlation_id"].is_string(), "{body}");
    for inside in ["quire-data", "documents/", "~incoming"] {
        assert!(!answer.body.contains(inside), "{body}");
    }
}

async fn a_file_of_another_kind_is_refused_whatever_it_is_called(scene: &Scene) {
    let server = scene.quire.serve();
    let gif = b"GIF89a\x01\x00\x01\x00".to_vec();
    let zip = [b"PK\x03\x04".to_vec(), vec![0; 200_000]].concat();
    let turned = ["Paciente: Luna\n".repeat(10_000).into_bytes(), vec![0; 300_000]].concat();
    for file in [gif, zip, turned, b"<html><body>hello".to_vec(), vec![0; 500_000]] {
        for path in ["/documents/upload", "/documents"] {
            let answer = Form::file("record.pdf", &file).send(&server, path);
            assert_refused(&answer, 415, "UNSUPPORTED_MEDIA_TYPE");
        }
    }
    scene.assert_nothing_was_taken().await;
}

async fn what_is_no_pdf_is_refused_where_only_pdfs_are_taken(scene: &Scene) {
    let server = scene.quire.serve();
    for file in [&b"Paciente: Luna"[..], b"\x89PNG\r\n\x1a\n...", b"\xff\xd8\xff\xe0"] {
        let answer = Form::file("record.pdf", file).send(&server, "/documents/upload");
        assert_refused(&answer, 415, "UNSUPPORTED_MEDIA_TYPE");
        assert_eq!(answer.json()["details"], json!({"supported": ["application/pdf"]}));
    }
    scene.assert_nothing_was_taken().await;
    upload(&server, "/documents/upload", "record.txt", &clinical_record(1));
}

async fn twenty_mebibytes_are_the_most_unless_something_else_is_set(scene: &Scene) {
    let server = scene.quire.serve();
    let head = format!("{}Content-Length: {}\r\n\r\n", opening("/documents/upload"), 21 * LARGEST);
    let answer = exchange(&server.address, &head, b"").unwrap().map(text);
    assert_refused(&answer, 413, "FILE_TOO_LARGE");
    assert_eq!(answer.json()["details"], json!({"max_bytes": 20 * LARGEST}));
    scene.assert_nothing_was_taken().await;
    upload(&server, "/documents/upload", "a.pdf", &pdf_of(20 * LARGEST));
}

async fn what_says_that_it_is_too_large_is_refused_before_it_is_read(scene: &Scene) {
    let server = scene.quire.serve();
    let head = format!("{}Content-Length: {}\r\n\r\n", opening("/documents/upload"), 20 * LARGEST);
    let answer = exchange(&server.address, &head, b"").unwrap().map(text);
    assert_refused(&answer, 413, "FILE_TOO_LARGE");
    assert_eq!(answer.json()["details"], json!({"max_bytes": LARGEST}));
    scene.assert_nothing_was_taken().await;
}

async fn what_turns_out_to_be_too_large_is_refused_and_exactly_the_limit_is_taken(scene: &Scene) {
    let server = scene.quire.serve();
    for too_large in [LARGEST + 1, 5 * LARGEST] {
        let answer = Form::file("a.pdf", &pdf_of(too_large)).send_in_chunks(&server, "/documents/upload");
        assert_refused(&answer, 413, "FILE_TOO_LARGE");
    }
    let answer = Form::file("a.pdf", &pdf_of(LARGEST + 1)).send(&server, "/documents");
    assert_refused(&answer, 413, "FILE_TOO_LARGE");
    scene.assert_nothing_was_taken().await;
    upload(&server, "/documents/upload", "a.pdf", &pdf_of(LARGEST));
    assert_eq!(Form::file("a.pdf", &pdf_of(LARGEST)).send_in_chunks(&server, "/documents").status, 200);
}

async fn an_empty_file_or_none_or_a_form_that_is_none_is_an_invalid_request(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(1);
    let broken_off = Form::new().field("file", "a.pdf", &file);
    let elsewhere = Form::new().field("document", "a.pdf", &file).end();
    let headless = Form(format!("--{BOUNDARY}\r\n\r\nx\r\n--{BOUNDARY}--\r\n").into_bytes());
    // As from `curl -F file=record.pdf`, without the sign that says that it is a file.
    let only_its_name = "Content-Disposition: form-data; name=\"file\"\r\n\r\nrecord.pdf";
    let only_its_name = Form(format!("--{BOUNDARY}\r\n{only_its_name}\r\n--{BOUNDARY}--\r\n").into_bytes());
    for form in [
        only_its_name,
        Form::file("a.pdf", b""),
        Form::new(),
        Form::new().end(),
        Form(b"%PDF-1.7 and no form".to_vec()),
        broken_off,
        elsewhere,
        headless,
    ] {
        let answer = form.send(&server, "/documents/upload");
        assert_refused(&answer, 400, "INVALID_REQUEST");
    }
    let head = "POST /documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/pdf\r\n\
                Content-Length: 4\r\n\r\n";
    assert_refused(&exchange(&server.address, head, b"%PDF").unwrap().map(text), 400, "INVALID_REQUEST");
    let answer = Form::file("a.pdf", &file).send(&server, "/documents/upload?priority=urgent");
    assert_refused(&answer, 400, "INVALID_REQUEST");
    scene.assert_nothing_was_taken().await;
    let form =
        Form::new().field("note", "", b"hello").field("file", "a.pdf", &file).field("x", "", b"y").end();
    assert_eq!(form.send(&server, "/documents/upload").status, 201, "other fields are nobody's business");
}

async fn a_form_with_too_much_around_its_file_is_an_invalid_request(scene: &Scene) {
    let server = scene.quire.serve();
    let much = vec![b'-'; 5 * LARGEST];
    let endless_name = format!("--{BOUNDARY}\r\nX-Name: {}", "a".repeat(5 * LARGEST)).into_bytes();
    for form in [
        Form(much.clone()),
        Form(endless_name),
        Form::new().field("note", "", &much).field("file", "a.pdf", b"%PDF-").end(),
        Form::new().field("file", "a.pdf", b"%PDF-").field("note", "", &much).end(),
    ] {
        for answer in [form.send(&server, "/documents"), form.send_in_chunks(&server, "/documents")] {
            assert_refused(&answer, 400, "INVALID_REQUEST");
        }
    }
    scene.assert_nothing_was_taken().await;
}

async fn without_room_for_the_file_there_is_no_document(scene: &Scene) {
    let server = scene.quire.serve();
    std::fs::rename(scene.folder(), scene.quire.path("elsewhere")).unwrap();
    let answer = Form::file("a.pdf", &clinical_record(1)).send(&server, "/documents/upload");
    assert_refused(&answer, 503, "SERVICE_UNAVAILABLE");
    assert!(answer.head.contains("retry-after: "), "{}", answer.head);
    std::fs::rename(scene.quire.path("elsewhere"), scene.folder()).unwrap();
    scene.assert_nothing_was_taken().await;
    upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
}

async fn a_client_that_goes_away_leaves_nothing(scene: &Scene) {
    let server = scene.quire.serve();
    let form = Form::file("a.pdf", &pdf_of(LARGEST));
    let head = form.head("/documents/upload", "");
    let mut streams: Vec<TcpStream> = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&form.0[..LARGEST / 2]).unwrap();
        streams.push(stream);
    }
    wait_until(async || scene.files().1 == 4).await;
    for stream in &mut streams {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
    }
    drop(streams);
    wait_until(async || scene.files().1 == 0).await;
    scene.assert_nothing_was_taken().await;
}
