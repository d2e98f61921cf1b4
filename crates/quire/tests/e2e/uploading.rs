//! Taking documents in over HTTP, with the real program.

mod command;
mod crash;
pub(crate) mod form;
mod refusals;
mod repeated;
mod several;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use quire_domain::{DocumentId, EventId, EventType, Priority, Run, RunId};
use quire_ports::{EventFilter, RunFilter, Store};
use quire_postgres::testing::{Place, url};
use quire_sqlite::{Options, SqliteStore};
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use self::form::{Form, body};
use crate::program::{Answer, Quire, Server};

/// The same story on either store, under the names of the two tests.
macro_rules! on_both_stores {
    ($(#[$doc:meta])* $story:ident: $sqlite:ident, $postgres:ident) => {
        $(#[$doc])*
        #[tokio::test(flavor = "multi_thread")]
        async fn $sqlite() {
            $story(&$crate::uploading::Scene::sqlite()).await;
        }

        $(#[$doc])*
        #[tokio::test(flavor = "multi_thread")]
        async fn $postgres() {
            $story(&$crate::uploading::Scene::postgres().await).await;
        }
    };
}
pub(crate) use on_both_stores;

/// A test that waits longer has failed.
const MOST_PATIENCE: Duration = Duration::from_mins(5);

/// A program and what stands beside it.
pub(crate) struct Scene {
    pub(crate) quire: Quire,
    pub(crate) store: Store,
    _place: Option<Place>,
}

impl Scene {
    pub(crate) fn sqlite() -> Self {
        Self::sqlite_with(|quire| quire)
    }

    pub(crate) fn sqlite_with(settings: impl FnOnce(Quire) -> Quire) -> Self {
        let quire = settings(Quire::new().with("QUIRE_READING_MEMORY_MB", "512"));
        quire.says(&["migrate", "up"]);
        let database = quire.path("quire-data/quire.db");
        let store = SqliteStore::open(&database, Options::default()).unwrap().into_store();
        Self { quire, store, _place: None }
    }

    pub(crate) async fn postgres() -> Self {
        let place = Place::migrated().await;
        let quire = Quire::new()
            .with("QUIRE_READING_MEMORY_MB", "512")
            .with("QUIRE_STORAGE_DATABASE", &url())
            .with("QUIRE_DATABASE_SCHEMA", &place.schema);
        let store = place.store().await.into_store();
        Self { quire, store, _place: Some(place) }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.quire.path("quire-data/documents")
    }

    /// Every document that there is.
    pub(crate) async fn documents(&self) -> BTreeSet<DocumentId> {
        let events = self.store.history.events(EventId(0), EventFilter::default(), 100_000).await.unwrap();
        let uploaded =
            events.into_iter().filter(|event| event.event.event_type == EventType::DocumentUploaded);
        uploaded.map(|event| DocumentId(event.event.subject.unwrap().0)).collect()
    }

    /// The folders of documents, and how many files have not come in whole.
    fn files(&self) -> (BTreeSet<String>, usize) {
        let names = |folder: PathBuf| -> BTreeSet<String> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let coming = names(self.folder().join("~incoming")).len();
        let mut folders = names(self.folder());
        folders.remove("~incoming");
        (folders, coming)
    }

    async fn assert_nothing_was_taken(&self) {
        assert!(self.documents().await.is_empty());
        assert_eq!(self.files(), (BTreeSet::new(), 0));
    }

    pub(crate) async fn runs_of(&self, document: DocumentId) -> Vec<Run> {
        let filter = RunFilter { subject: Some(document.into()), limit: 10, ..RunFilter::default() };
        self.store.history.runs(&filter).await.unwrap()
    }

    /// Looks until a run is RUNNING, or until it is not.
    pub(crate) async fn until_running(&self, run: RunId, is_running: bool) {
        let looking = async {
            while (self.store.history.run(run).await.unwrap().state.as_str() == "RUNNING") != is_running {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(MOST_PATIENCE, looking).await.expect("the run never started or never ended");
    }

    /// The run of a document once it has ended. Another process works on it, so the only way to know is to look.
    pub(crate) async fn ended(&self, document: DocumentId) -> Run {
        let looking = async {
            loop {
                let run = self.runs_of(document).await.remove(0);
                if run.state.is_terminal() {
                    return run;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(MOST_PATIENCE, looking).await.expect("the run never ended")
    }

    /// Returns when every run of a document has ended.
    async fn all_ended(&self, document: DocumentId) {
        let looking = async {
            while !self.runs_of(document).await.iter().all(|run| run.state.is_terminal()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(MOST_PATIENCE, looking).await.expect("the runs never ended");
    }
}

/// Looks again and again: what another process does sends no word.
pub(crate) async fn wait_until(mut holds: impl FnMut() -> bool) {
    let looking = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(MOST_PATIENCE, looking).await.expect("it never happened");
}

/// Sends a file under that name, with these headers besides the usual ones.
pub(crate) fn send_file(server: &Server, name: &str, file: &[u8], headers: &str) -> Answer {
    Form::file(name, file).send_with(server, "/documents/upload", headers)
}

/// Uploads a file that is taken, with these headers besides the usual ones.
pub(crate) fn upload_with(server: &Server, file: &[u8], headers: &str) -> DocumentId {
    let answer = send_file(server, "record.pdf", file, headers);
    let id = body(&answer)["document_id"].as_str().unwrap_or_else(|| panic!("{}", answer.body)).parse();
    id.unwrap()
}

/// The head of an answer whose body may be anything.
pub(crate) fn head_of(server: &Server, path: &str) -> String {
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut answer).unwrap();
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase()
}

/// Uploads a file that is taken.
pub(crate) fn upload(server: &Server, path: &str, name: &str, file: &[u8]) -> (Answer, Value, DocumentId) {
    let answer = Form::file(name, file).send(server, path);
    let body = body(&answer);
    let id = body["document_id"].as_str().unwrap_or_else(|| panic!("{}", answer.body)).parse().unwrap();
    (answer, body, id)
}

async fn an_uploaded_pdf_is_kept_answered_and_processed_to_its_end(scene: &Scene) {
    let server = scene.quire.serve();
    let file = clinical_record(2);
    let form = Form::file("historia clínica.pdf", &file);
    let answer = form.send_with(&server, "/documents/upload?priority=high", "X-Request-ID: req-77\r\n");
    let answered = body(&answer);
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answered.as_object().unwrap().len(), 3, "{answered}");
    assert_eq!(answered["status"], "PROCESSING");
    let id: DocumentId = answered["document_id"].as_str().unwrap().parse().unwrap();
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

/// Proves R049, R050, R051 and R056.
#[tokio::test]
async fn an_uploaded_pdf_is_processed() {
    an_uploaded_pdf_is_kept_answered_and_processed_to_its_end(&Scene::sqlite()).await;
}

/// Proves R049, R050, R051 and R056.
#[tokio::test(flavor = "multi_thread")]
async fn an_uploaded_pdf_is_processed_on_postgresql() {
    an_uploaded_pdf_is_kept_answered_and_processed_to_its_end(&Scene::postgres().await).await;
}

/// Proves R057, and R061 as far as the same content shows.
#[tokio::test]
async fn the_other_address_answers_with_the_metadata_and_the_same_file_makes_two_documents() {
    let scene = Scene::sqlite();
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

/// Proves R062 as far as it is about what is stored.
#[tokio::test]
async fn whatever_a_file_is_called_it_is_kept_where_it_belongs() {
    let scene = Scene::sqlite_with(|quire| quire.with("QUIRE_UPLOADS_PROCESSING", "false"));
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

/// Proves R068 as far as it is about uploads.
#[tokio::test]
async fn without_processing_a_document_stays_uploaded() {
    let scene = Scene::sqlite_with(|quire| quire.with("QUIRE_UPLOADS_PROCESSING", "false"));
    let server = scene.quire.serve();
    let (answer, body, id) = upload(&server, "/documents/upload", "a.pdf", &clinical_record(1));
    assert_eq!((answer.status, &body["status"]), (201, &json!("UPLOADED")));
    assert!(scene.runs_of(id).await.is_empty());
    let (_, body, _) = upload(&server, "/documents", "a.pdf", &clinical_record(1));
    assert_eq!((&body["status"], &body["latest_run"]), (&json!("UPLOADED"), &Value::Null));
}

/// Proves R021.
#[tokio::test]
async fn uploads_are_answered_while_runs_execute() {
    let scene = Scene::sqlite_with(|quire| quire.with("QUIRE_ENGINE_SLOTS", "1"));
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
    let scene = Scene::sqlite_with(|quire| {
        quire.with("QUIRE_UPLOADS_PROCESSING", "false").with("QUIRE_UPLOADS_MAX_MB", "64")
    });
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
