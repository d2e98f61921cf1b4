//! Several files in one request: each is accepted or refused on its own.

use std::io::Write as _;
use std::net::TcpStream;

use quire_domain::DocumentId;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use super::form::Form;
use crate::http::Response;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R056, R058 and R060 for several files in one request.
    each_file_has_its_own_result_in_order,
    /// Proves R026, R051 and R053 for an aborted request with several files.
    complete_files_of_an_aborted_request_are_stored,
    /// Proves R059: the limit applies to the whole request.
    the_size_limit_applies_to_all_files_together_and_at_most_100_are_accepted with super::ONE_MB,
}

const ONE_MB: [(&str, &str); 2] = [("QUIRE_UPLOADS_MAX_MB", "1"), ("QUIRE_UPLOADS_PROCESSING", "false")];

fn files(response: &Response) -> Vec<Value> {
    response.json()["files"].as_array().unwrap_or_else(|| panic!("{}", response.body)).clone()
}

fn id_in(file: &Value) -> DocumentId {
    file["document_id"].as_str().unwrap_or_else(|| panic!("{file}")).parse().unwrap()
}

async fn each_file_has_its_own_result_in_order(env: &TestEnv) {
    let server = env.cli.serve();
    let (one, two) = (clinical_record(1), clinical_record(2));
    let valid =
        Form::new().field("file", "x/a.pdf", &one).text("priority", "high").field("file", "b.pdf", &two);
    let valid = valid.end();
    for (path, status) in [("/documents/upload", 201), ("/documents", 200)] {
        let response = valid.send(&server, path);
        assert_eq!(response.status, status, "{}", response.body);
        let files = files(&response);
        assert_eq!(files.len(), 2);
        for (file, (name, sent)) in files.iter().zip([("a.pdf", &one), ("b.pdf", &two)]) {
            assert_eq!((&file["original_filename"], &file["status"]), (&json!(name), &json!("PROCESSING")));
            assert_eq!(file.as_object().unwrap().len(), 4, "{file}");
            let stored = env.store.documents.find(id_in(file)).await.unwrap();
            assert_eq!(file["created_at"], json!(stored.created_at));
            assert!(std::fs::read(env.documents_folder().join(&stored.storage_path)).unwrap() == *sent);
        }
    }
    let mixed = Form::new()
        .field("file", "a.pdf", &one)
        .field("file", "empty.pdf", b"")
        .field("file", "wrong.pdf", &[b"GIF89a".to_vec(), vec![0; 300_000]].concat())
        .field("file", "b.pdf", &two)
        .end();
    let response = mixed.send(&server, "/documents/upload");
    assert_eq!(response.status, 207, "{}", response.body);
    let files = files(&response);
    let codes: Vec<_> = files.iter().map(|file| file["error_code"].as_str()).collect();
    assert_eq!(codes, [None, Some("INVALID_REQUEST"), Some("UNSUPPORTED_MEDIA_TYPE"), None]);
    assert_eq!(files[2]["original_filename"], "wrong.pdf");
    assert!(files[2]["message"].is_string() && files[2]["details"]["supported"].is_array());
    assert_eq!(env.documents().await.len(), 6);
    // Steps write through the same folder.
    wait_until(async || env.stored_files().1 == 0).await;
    assert_eq!(env.stored_files().0.len(), 6);

    let again =
        |key: &str| mixed.send_with(&server, "/documents/upload", &format!("Idempotency-Key: {key}\r\n"));
    let (first, second) = (again("k"), again("k"));
    assert_eq!((second.status, second.json()), (first.status, first.json()), "the same response");
    assert_eq!(env.documents().await.len(), 8);
}

async fn complete_files_of_an_aborted_request_are_stored(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    let first_two = Form::new().field("file", "a.pdf", &file).field("file", "b.pdf", &file);
    let whole = first_two.field("file", "c.pdf", &vec![b'x'; 400_000]).end();
    let head = whole.head("/documents/upload", "Idempotency-Key: k\r\n");
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&whole.0[..whole.0.len() - 50_000]).unwrap();
    wait_until(async || env.documents().await.len() == 2 && env.stored_files().1 == 1).await;
    drop(stream);
    wait_until(async || env.stored_files().1 == 0).await;
    assert_eq!(env.documents().await.len(), 2, "nothing of the third file is stored");

    let again = whole.send_with(&server, "/documents/upload", "Idempotency-Key: k\r\n");
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(files(&again).len(), 3);
    assert_eq!(env.documents().await.len(), 3, "only the missing file is stored");
    assert_eq!(env.stored_files().0.len(), 3);
}

async fn the_size_limit_applies_to_all_files_together_and_at_most_100_are_accepted(env: &TestEnv) {
    let server = env.cli.serve();
    let half = [b"%PDF-1.7\n".to_vec(), vec![b'.'; 700_000]].concat();
    let large = Form::new().field("file", "a.pdf", &half).field("file", "b.pdf", &half).end();
    let refused = large.send(&server, "/documents/upload");
    assert_eq!((refused.status, &refused.json()["error_code"]), (413, &json!("FILE_TOO_LARGE")));
    env.assert_nothing_was_stored().await;
    let counted = large.send_in_chunks(&server, "/documents/upload");
    assert_eq!(counted.status, 207, "{}", counted.body);
    assert_eq!(files(&counted)[1]["error_code"], "FILE_TOO_LARGE");
    assert_eq!(env.documents().await.len(), 1);

    let mut many = Form::new();
    for number in 0..102 {
        many = many.field("file", &format!("{number}.txt"), b"Paciente: Luna");
    }
    let response = many.end().send(&server, "/documents/upload");
    assert_eq!(response.status, 207);
    let files = files(&response);
    assert_eq!((files.len(), &files[100]["error_code"]), (101, &json!("INVALID_REQUEST")));
    assert_eq!(env.documents().await.len(), 101);
}
