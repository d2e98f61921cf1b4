//! Taking documents in over HTTP, with the real program.

mod command;
mod crash;
pub mod form;
mod pair;
mod refusals;
mod repeated;
mod several;

use std::collections::BTreeSet;
use std::path::PathBuf;

use quire_domain::{DocumentId, Priority};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use self::form::Form;
use crate::http::Answer;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R049, R050, R051 and R056.
    an_uploaded_pdf_is_kept_answered_and_processed_to_its_end,
    /// Proves R057, and R061 as far as the same content shows.
    the_other_address_answers_with_the_metadata_and_the_same_file_makes_two_documents,
    /// Proves R062 as far as it is about what is stored.
    whatever_a_file_is_called_it_is_kept_where_it_belongs with super::UNPROCESSED,
    /// Proves R068 as far as it is about uploads.
    without_processing_a_document_stays_uploaded with super::UNPROCESSED,
    /// Proves R021.
    uploads_are_answered_while_runs_execute with [("QUIRE_ENGINE_SLOTS", "1")],
}

const UNPROCESSED: [(&str, &str); 1] = [("QUIRE_UPLOADS_PROCESSING", "false")];

impl Scene {
    /// The folders of documents, and how many files have not come in whole.
    pub fn files(&self) -> (BTreeSet<String>, usize) {
        let names = |folder: PathBuf| -> BTreeSet<String> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let coming = names(self.folder().join("~incoming")).len();
        let mut folders = names(self.folder());
        folders.remove("~incoming");
        (folders, coming)
    }

    pub async fn assert_nothing_was_taken(&self) {
        assert!(self.documents().await.is_empty());
        // What had come of a file that was refused is removed beside the answer, and nobody waits for it.
        wait_until(async || self.files().1 == 0).await;
        assert_eq!(self.files().0, BTreeSet::new());
    }
}

/// Sends a file under that name, with these headers besides the usual ones.
pub fn send_file(server: &Server, name: &str, file: &[u8], headers: &str) -> Answer {
    Form::file(name, file).send_with(server, "/documents/upload", headers)
}

/// Uploads a file that is taken, with these headers besides the usual ones.
pub fn upload_with(server: &Server, file: &[u8], headers: &str) -> DocumentId {
    send_file(server, "record.pdf", file, headers).document()
}

/// Uploads a file that is taken.
pub fn upload(server: &Server, path: &str, name: &str, file: &[u8]) -> (Answer, Value, DocumentId) {
    let answer = Form::file(name, file).send(server, path);
    let (body, id) = (answer.json(), answer.document());
    (answer, body, id)
}

async fn an_uploaded_pdf_is_kept_answered_and_processed_to_its_end(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(2);
    let form = Form::file("historia clínica.pdf", &file);
    let answer = form.send_with(&server, "/documents/upload?priority=high", "X-Request-ID: req-77\r\n");
    let answered = answer.json();
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answered.as_object().unwrap().len(), 3, "{answered}");
    assert_eq!(answered["status"], "PROCESSING");
    let id = answer.document();
    assert!(answer.head.contains(&format!("location: /documents/{id}\r\n")), "{}", answer.head);

    let document = scene.store.documents.find(id).await.unwrap();
    assert_eq!(answered["created_at"], json!(document.created_at));
    assert_eq!(document.original_filename, "historia clínica.pdf");
    assert_eq!(document.storage_path, format!("{id}/original.pdf"));
    assert!(std::fs::read(scene.folder().join(&document.storage_path)).unwrap() == file);

    let run = scene.ended(id).await;
    assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
    assert_eq!((run.priority, run.correlation_id.as_deref()), (Priority::High, Some("req-77")));
    let text = std::fs::read_to_string(scene.folder().join(format!("{id}/runs/{}/raw-text.txt", run.id)));
    assert!(text.unwrap().contains("Paciente: Luna"));
    assert_eq!(scene.files().1, 0);
}

async fn the_other_address_answers_with_the_metadata_and_the_same_file_makes_two_documents(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(1);
    let (answer, first, id) = upload(&server, "/documents", "a.pdf", &file);
    assert_eq!(answer.status, 200);
    assert_eq!(first["status"], "PROCESSING");
    assert_eq!(first["original_filename"], "a.pdf");
    assert_eq!(first["content_type"], "application/pdf");
    assert_eq!(first["file_size"], file.len());
    assert_eq!(first["review_status"], "IN_REVIEW");
    assert_eq!(first["latest_run"]["run_id"], scene.runs_of(id).await[0].id.to_string());
    assert!(first["created_at"].is_string());
    let (_, second, other) = upload(&server, "/documents", "b.pdf", &file);
    assert_ne!(id, other);
    assert_eq!(first["content_hash"], second["content_hash"]);
    assert_eq!(scene.documents().await, BTreeSet::from([id, other]));
}

async fn whatever_a_file_is_called_it_is_kept_where_it_belongs(scene: &Scene) {
    let server = scene.quire.serve();
    for (name, kept) in [
        ("../../../quire.toml", "quire.toml"),
        ("..\\..\\evil.pdf", "evil.pdf"),
        ("/etc/passwd", "passwd"),
        ("..", "document.pdf"),
        ("a\u{202E}fdp.exe", "afdp.exe"),
        ("a\tb.pdf", "ab.pdf"),
        (&"ñ".repeat(400), &"ñ".repeat(127)),
    ] {
        let (_, _, id) = upload(&server, "/documents/upload", name, &clinical_record(1));
        let document = scene.store.documents.find(id).await.unwrap();
        assert_eq!(document.original_filename, kept, "{name:?}");
        assert!(scene.folder().join(format!("{id}/original.pdf")).is_file());
    }
    let control = Form::file("a\u{1}b.pdf", &clinical_record(1)).send(&server, "/documents/upload");
    assert_eq!(control.status, 400, "no form may have that in its header: {}", control.body);
    let made: BTreeSet<_> =
        std::fs::read_dir(scene.quire.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(made, BTreeSet::from(["quire-data".into()]), "nothing is beside the data folder");
}

async fn without_processing_a_document_stays_uploaded(scene: &Scene) {
    let server = scene.quire.serve();
    let (answer, body, id) = upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
    assert_eq!((answer.status, &body["status"]), (201, &json!("UPLOADED")));
    assert!(scene.runs_of(id).await.is_empty());
    let (_, body, _) = upload(&server, "/documents", "a.pdf", &clinical_record(1));
    assert_eq!((&body["status"], &body["latest_run"]), (&json!("UPLOADED"), &Value::Null));
}

async fn uploads_are_answered_while_runs_execute(scene: &Scene) {
    let server = scene.quire.serve();
    let (_, _, long) = upload(&server, "/documents/upload", "long.pdf", &clinical_record(3_000));
    let (answer, _, short) = upload(&server, "/documents/upload", "short.pdf", &clinical_record(1));
    assert_eq!(answer.status, 201);
    assert_eq!(server.get("/health").status, 200);
    for (document, allowed) in [(long, ["QUEUED", "RUNNING"]), (short, ["QUEUED", "QUEUED"])] {
        let state = scene.runs_of(document).await[0].state.as_str();
        assert!(allowed.contains(&state), "{state}");
    }
}

/// What a server holds in memory at most, in kilobytes.
fn most_memory(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn memory_does_not_grow_with_the_file() {
    let scene = Scene::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false"), ("QUIRE_UPLOADS_MAX_MB", "64")]);
    let server = scene.quire.serve();
    for small in [b"Paciente: Luna".to_vec(), clinical_record(1)] {
        upload(&server, "/documents/upload", "small", &small);
    }
    let before = most_memory(&server);
    let text = "El paciente come bien y duerme toda la noche.\n".repeat(60 * (1 << 20) / 46);
    let pdf = [b"%PDF-1.7\n", text.as_bytes()].concat();
    for large in [text.as_bytes(), &pdf] {
        upload(&server, "/documents/upload", "large", large);
    }
    let grown = most_memory(&server) - before;
    assert!(grown < 16 << 10, "two files of 60 MB took {grown} kB");
}
