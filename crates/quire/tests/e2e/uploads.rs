//! Uploads over HTTP and with `quire upload`.

mod atomicity;
mod command;
mod crash;
mod fields;
pub mod form;
mod idempotency;
mod multiple_files;
mod refusals;

use std::collections::BTreeSet;
use std::path::PathBuf;

use quire_domain::{DocumentId, Priority};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use self::form::Form;
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R049, R050, R051 and R056.
    an_uploaded_pdf_is_stored_and_processed,
    /// Proves R057, and R061 for two uploads of the same content.
    the_short_path_returns_metadata_and_the_same_file_makes_two_documents,
    /// Proves R062 for the stored file.
    a_file_name_never_changes_where_the_file_is_stored with super::NO_PROCESSING,
    /// Proves R068 for uploads.
    without_processing_a_document_stays_uploaded with super::NO_PROCESSING,
    /// Proves R021.
    uploads_are_accepted_while_runs_execute with [("QUIRE_ENGINE_SLOTS", "1")],
}

const NO_PROCESSING: [(&str, &str); 1] = [("QUIRE_UPLOADS_PROCESSING", "false")];

impl TestEnv {
    /// The names of the document folders, and the number of incomplete uploads.
    pub fn stored_files(&self) -> (BTreeSet<String>, usize) {
        let names = |folder: PathBuf| -> BTreeSet<String> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let incomplete = names(self.documents_folder().join("~incoming")).len();
        let mut folders = names(self.documents_folder());
        folders.remove("~incoming");
        folders.remove("installation-id");
        (folders, incomplete)
    }

    pub async fn assert_nothing_was_stored(&self) {
        assert!(self.documents().await.is_empty());
        // A refused file is removed after the response, without delaying it.
        wait_until(async || self.stored_files().1 == 0).await;
        assert_eq!(self.stored_files().0, BTreeSet::new());
    }
}

/// Uploads a file with these additional headers.
pub fn send_file(server: &TestServer, name: &str, file: &[u8], headers: &str) -> Response {
    Form::file(name, file).send_with(server, "/documents/upload", headers)
}

/// Uploads a file that must be accepted, with these additional headers.
pub fn upload_document(server: &TestServer, file: &[u8], headers: &str) -> DocumentId {
    send_file(server, "record.pdf", file, headers).document_id()
}

/// Uploads a file that must be accepted.
pub fn upload(server: &TestServer, path: &str, name: &str, file: &[u8]) -> (Response, Value, DocumentId) {
    let response = Form::file(name, file).send(server, path);
    let (body, id) = (response.json(), response.document_id());
    (response, body, id)
}

async fn an_uploaded_pdf_is_stored_and_processed(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(2);
    let form = Form::file("historia clínica.pdf", &file);
    let response = form.send_with(&server, "/documents/upload?priority=high", "X-Request-ID: req-77\r\n");
    let body = response.json();
    assert_eq!(response.status, 201, "{}", response.body);
    assert_eq!(body.as_object().unwrap().len(), 3, "{body}");
    assert_eq!(body["status"], "PROCESSING");
    let id = response.document_id();
    assert!(response.head.contains(&format!("location: /documents/{id}\r\n")), "{}", response.head);

    let document = env.store.documents.find(id).await.unwrap();
    assert_eq!(body["created_at"], json!(document.created_at));
    assert_eq!(document.original_filename, "historia clínica.pdf");
    assert_eq!(document.storage_path, format!("{id}/original.pdf"));
    assert!(std::fs::read(env.documents_folder().join(&document.storage_path)).unwrap() == file);

    let run = env.wait_for_latest_run(id).await;
    assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
    assert_eq!((run.priority, run.correlation_id.as_deref()), (Priority::High, Some("req-77")));
    let text =
        std::fs::read_to_string(env.documents_folder().join(format!("{id}/runs/{}/raw-text.txt", run.id)));
    assert!(text.unwrap().contains("Paciente: Luna"));
    assert_eq!(env.stored_files().1, 0);
}

async fn the_short_path_returns_metadata_and_the_same_file_makes_two_documents(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    let (response, first, id) = upload(&server, "/documents", "a.pdf", &file);
    assert_eq!(response.status, 200);
    assert_eq!(first["status"], "PROCESSING");
    assert_eq!(first["original_filename"], "a.pdf");
    assert_eq!(first["content_type"], "application/pdf");
    assert_eq!(first["file_size"], file.len());
    assert_eq!(first["review_status"], "IN_REVIEW");
    assert_eq!(first["latest_run"]["run_id"], env.runs_of(id).await[0].id.to_string());
    assert!(first["created_at"].is_string());
    let (_, second, other) = upload(&server, "/documents", "b.pdf", &file);
    assert_ne!(id, other);
    assert_eq!(first["content_hash"], second["content_hash"]);
    assert_eq!(env.documents().await, BTreeSet::from([id, other]));
}

async fn a_file_name_never_changes_where_the_file_is_stored(env: &TestEnv) {
    let server = env.cli.serve();
    for (name, stored) in [
        ("../../../quire.toml", "quire.toml"),
        ("..\\..\\evil.pdf", "evil.pdf"),
        ("/etc/passwd", "passwd"),
        ("..", "document.pdf"),
        ("a\u{202E}fdp.exe", "afdp.exe"),
        ("a\tb.pdf", "ab.pdf"),
        (&"ñ".repeat(400), &"ñ".repeat(127)),
    ] {
        let (_, _, id) = upload(&server, "/documents/upload", name, &clinical_record(1));
        let document = env.store.documents.find(id).await.unwrap();
        assert_eq!(document.original_filename, stored, "{name:?}");
        assert!(env.documents_folder().join(format!("{id}/original.pdf")).is_file());
    }
    let control = Form::file("a\u{1}b.pdf", &clinical_record(1)).send(&server, "/documents/upload");
    assert_eq!(control.status, 400, "control characters are not allowed in a header: {}", control.body);
    let created: BTreeSet<_> =
        std::fs::read_dir(env.cli.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(created, BTreeSet::from(["quire-data".into()]), "nothing is created outside the data folder");
}

async fn without_processing_a_document_stays_uploaded(env: &TestEnv) {
    let server = env.cli.serve();
    let (response, body, id) = upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
    assert_eq!((response.status, &body["status"]), (201, &json!("UPLOADED")));
    assert!(env.runs_of(id).await.is_empty());
    let (_, body, _) = upload(&server, "/documents", "a.pdf", &clinical_record(1));
    assert_eq!((&body["status"], &body["latest_run"]), (&json!("UPLOADED"), &Value::Null));
}

async fn uploads_are_accepted_while_runs_execute(env: &TestEnv) {
    let server = env.cli.serve();
    let (_, _, long) = upload(&server, "/documents/upload", "long.pdf", &clinical_record(3_000));
    let (response, _, short) = upload(&server, "/documents/upload", "short.pdf", &clinical_record(1));
    assert_eq!(response.status, 201);
    assert_eq!(server.get("/health").status, 200);
    for (document, allowed) in [(long, ["QUEUED", "RUNNING"]), (short, ["QUEUED", "QUEUED"])] {
        let state = env.runs_of(document).await[0].state.as_str();
        assert!(allowed.contains(&state), "{state}");
    }
}

#[tokio::test]
async fn memory_does_not_grow_with_the_size_of_the_file() {
    let env = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false"), ("QUIRE_UPLOADS_MAX_MB", "64")]);
    let server = env.cli.serve();
    for small in [b"Paciente: Luna".to_vec(), clinical_record(1)] {
        upload(&server, "/documents/upload", "small", &small);
    }
    let before = server.peak_memory_mb();
    let text = "El paciente come bien y duerme toda la noche.\n".repeat(60 * (1 << 20) / 46);
    let pdf = [b"%PDF-1.7\n", text.as_bytes()].concat();
    for large in [text.as_bytes(), &pdf] {
        upload(&server, "/documents/upload", "large", large);
    }
    let grown = server.peak_memory_mb() - before;
    assert!(grown < 16, "two files of 60 MB took {grown} MB");
}
