use std::sync::atomic::{AtomicU64, Ordering};

use quire_connectors::blob::DiskBlobs;
use quire_domain::Document;
use quire_domain::DocumentId;
use quire_testkit::StoreFixture;
use quire_testkit::fixture::{at, document, document_run};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;
use crate::storage::both_stores::on_both_stores;

on_both_stores! {
    a_sound_installation_has_no_fault,
    every_difference_between_rows_and_files_is_found,
    contradictions_in_the_history_are_found,
}

#[derive(Default)]
struct Counter {
    total: AtomicU64,
    checked: AtomicU64,
}

impl Progress for Counter {
    fn begin(&self, rows: u64) {
        self.total.store(rows, Ordering::Relaxed);
    }

    fn done(&self, rows: u64) {
        self.checked.fetch_add(rows, Ordering::Relaxed);
    }
}

struct Files {
    blobs: Arc<dyn BlobStore>,
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { blobs: Arc::new(DiskBlobs::open(folder.path()).unwrap()), folder }
    }

    /// A document with its original, and a completed run with an artifact that names a file.
    async fn add(&self, fixture: &StoreFixture, content: &[u8]) -> Document {
        let id = DocumentId::new();
        let hash: [u8; 32] = Sha256::digest(content).into();
        let document = Document { file_size: content.len() as u64, content_hash: hash, ..document(id) };
        let run = document_run(id.into());
        fixture.add_document(&document, Some(&run), at(0)).await;
        self.blobs.put(&document.storage_path, content.to_vec()).await.unwrap();
        let text = format!("{id}/runs/{}/raw-text.txt", run.id);
        self.blobs.put(&text, content.to_vec()).await.unwrap();
        let payload = serde_json::json!({ "path": text, "bytes": content.len(), "sha256": hex(&hash) });
        let (artifact, run) = (fixture.sql.id(uuid::Uuid::now_v7()), fixture.sql.id(run.id.0));
        let insert = format!(
            "INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at) \
             SELECT {artifact}, id, 'RAW_TEXT', '{payload}', created_at FROM runs WHERE id = {run}"
        );
        assert_eq!(fixture.sql.execute(&insert).await, Ok(1));
        document
    }

    async fn faults(&self, fixture: &StoreFixture) -> Vec<String> {
        let Faults { count, first } = verify(&fixture.store, &self.blobs, &()).await.unwrap().faults;
        assert_eq!(count, first.len() as u64);
        first
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

async fn a_sound_installation_has_no_fault(fixture: &StoreFixture) {
    let files = Files::new();
    for number in 0..3 {
        files.add(fixture, &vec![number; 100_000]).await;
    }
    let counter = Counter::default();
    let report = verify(&fixture.store, &files.blobs, &counter).await.unwrap();
    let expected = VerifyReport { documents: 3, artifacts: 3, bytes: 600_000, ..VerifyReport::default() };
    assert_eq!(report, expected);
    assert_eq!((counter.total.into_inner(), counter.checked.into_inner()), (6, 6));
}

async fn every_difference_between_rows_and_files_is_found(fixture: &StoreFixture) {
    let files = Files::new();
    let mut documents = Vec::new();
    for number in 0..5 {
        documents.push(files.add(fixture, &vec![number; 1000]).await);
    }
    let path = |number: usize| files.path(&documents[number].storage_path);
    std::fs::remove_file(path(0)).unwrap();
    std::fs::write(path(1), [1; 999]).unwrap();
    std::fs::write(path(2), [9; 1000]).unwrap();
    let run_folder = files.path(&format!("{}/runs", documents[3].id));
    let run = std::fs::read_dir(run_folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(run.join("raw-text.txt"), [9; 1000]).unwrap();

    let mut faults = files.faults(fixture).await;
    faults.sort();
    assert_eq!(faults.len(), 4, "{faults:#?}");
    for (number, what) in
        [(0, "is missing"), (1, "has another size than it had"), (2, "has another content than it had")]
    {
        let sentence = format!(
            "the original of document {} {what}: {}",
            documents[number].id, documents[number].storage_path
        );
        assert!(faults.contains(&sentence), "{sentence} is not in {faults:#?}");
    }
    assert!(faults.iter().any(|fault| fault.contains("the artifact RAW_TEXT of run")), "{faults:#?}");

    // The file of a subject that was purged meanwhile is no fault, and one without a row is.
    fixture.sql.execute("DELETE FROM documents").await.unwrap();
    let lost = files.faults(fixture).await;
    assert_eq!(lost.len(), 1, "{lost:#?}");
}

async fn contradictions_in_the_history_are_found(fixture: &StoreFixture) {
    let files = Files::new();
    let (_, run, _) = fixture.interpreted_document().await;
    let of_history = async || {
        let faults = files.faults(fixture).await.into_iter();
        faults.filter(|fault| fault.starts_with(&run.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(of_history().await, [""; 0]);
    let id = fixture.sql.id(run.0);
    fixture
        .sql
        .execute(&format!("UPDATE interpretation_versions SET is_active = (1 = 0) WHERE run_id = {id}"))
        .await
        .unwrap();
    assert_eq!(of_history().await, [format!("{run} has not exactly one active version")]);
    fixture
        .sql
        .execute(&format!(
            "INSERT INTO events (at, event_type, run_id, fence) SELECT at, event_type, run_id, 99 FROM events \
             WHERE run_id = {id} AND event_type = 'RUN_CREATED'"
        ))
        .await
        .unwrap();
    assert!(of_history().await.contains(&format!("{run} has an event with a newer fence than its own")));
}
