//! Reading with the real program: parsers in its children, documents from the folder, hostile ones among them.

mod command;
mod ends;
mod hostile;
mod sandbox;
pub(crate) mod scans;
mod step;

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use quire_connectors::blob::DiskBlobs;
use quire_domain::{Document, DocumentId, NewRun, Pipeline, Priority, ReviewStatus, Run, RunId};
use quire_ports::{Artifact, Blobs, Intake, Store};
use quire_reading::sandbox::{Limits, Program, child};
use quire_sqlite::{Options, SqliteStore};

use crate::program::Quire;

/// A test that waits longer has failed.
const MOST_PATIENCE: Duration = Duration::from_mins(5);

/// Looks again and again: what another process does sends no word.
async fn wait_until(mut holds: impl FnMut() -> bool) {
    let looking = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(MOST_PATIENCE, looking).await.expect("it never happened");
}

/// The real program as a parser.
fn parser() -> Program {
    Program::child_of(PathBuf::from(env!("CARGO_BIN_EXE_quire")), child::ARGUMENT)
}

/// Tight enough that a hostile document shows it, wide enough for a busy machine.
fn tight() -> Limits {
    Limits { memory: 512 << 20, time: Duration::from_secs(20), ..Limits::default() }
}

/// What stands beside a running server: its database and its folder.
pub(crate) struct Beside {
    pub(crate) store: Store,
    pub(crate) blobs: DiskBlobs,
}

impl Beside {
    pub(crate) fn of(quire: &Quire) -> Self {
        let store =
            SqliteStore::open(&quire.path("quire-data/quire.db"), Options::default()).unwrap().into_store();
        let blobs = DiskBlobs::open(quire.path("quire-data/documents")).unwrap();
        Self { store, blobs }
    }

    /// Takes a document in, with its first run.
    pub(crate) async fn add(&self, file: Option<&[u8]>, language: Option<&str>) -> RunId {
        let id = DocumentId::new();
        let document = Document {
            id,
            original_filename: "record.pdf".to_owned(),
            content_type: "application/pdf".to_owned(),
            file_size: file.map_or(0, |file| file.len() as u64),
            content_hash: [7; 32],
            storage_path: format!("{id}/original.pdf"),
            created_at: Timestamp::now(),
            review_status: ReviewStatus::InReview,
            language_override: language.map(str::to_owned),
        };
        if let Some(file) = file {
            self.blobs.put(&document.storage_path, file.to_vec()).await.unwrap();
        }
        let run = NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject: id.into(),
            priority: Priority::Normal,
            correlation_id: None,
        };
        self.store
            .documents
            .add(Intake::by("tester", &document, Some(&run)), Timestamp::now())
            .await
            .unwrap();
        run.id
    }

    /// The run once it has ended. Another process works on it, so the only way to know is to look.
    pub(crate) async fn ended(&self, run: RunId) -> Run {
        let looking = self.look_until_ended(run);
        tokio::time::timeout(MOST_PATIENCE, looking).await.expect("the run never ended")
    }

    async fn look_until_ended(&self, run: RunId) -> Run {
        loop {
            let found = self.store.history.run(run).await.unwrap();
            if found.state.is_terminal() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn artifact(&self, run: RunId, artifact_type: &str) -> Option<Artifact> {
        let artifacts = self.store.history.artifacts(run).await.unwrap();
        artifacts.into_iter().find(|artifact| artifact.artifact_type == artifact_type)
    }
}

/// The type and the code with which a run failed; nothing if it completed.
fn failure(run: &Run) -> Option<(&'static str, String)> {
    run.state.reason().map(|reason| (reason.failure_type.as_str(), reason.record.error_code.clone()))
}

/// A server that looks at its queue often, since nobody tells it of what is put beside it.
pub(crate) fn quire() -> Quire {
    Quire::new().with("QUIRE_ENGINE_TICK", "20ms").with("QUIRE_READING_MEMORY_MB", "512")
}
