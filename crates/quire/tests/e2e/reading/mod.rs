//! Reading with the real program: parsers in its children, documents from the folder, hostile ones among them.

mod command;
pub mod ends;
mod hostile;
mod sandbox;
pub mod scans;
mod step;

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Run, RunId};
use quire_ports::{Artifact, BlobStore as _, NewDocument};
use quire_reading::sandbox::{ParserLimits, ParserProgram, child};
use quire_testkit::fixture::{document, document_run};

use crate::scene::Scene;

/// The real program as a parser.
fn parser() -> ParserProgram {
    ParserProgram::with_argument(PathBuf::from(env!("CARGO_BIN_EXE_quire")), child::ARGUMENT)
}

/// Tight enough that a hostile document shows it, wide enough for a busy machine.
fn tight() -> ParserLimits {
    ParserLimits { memory: 512 << 20, time: Duration::from_secs(20), ..ParserLimits::default() }
}

impl Scene {
    /// Takes a document in beside the server, with its first run.
    pub async fn add(&self, file: Option<&[u8]>, language: Option<&str>) -> RunId {
        let document = Document {
            file_size: file.map_or(0, |file| file.len() as u64),
            created_at: Timestamp::now(),
            language_override: language.map(str::to_owned),
            ..document(DocumentId::new())
        };
        if let Some(file) = file {
            self.blobs.put(&document.storage_path, file.to_vec()).await.unwrap();
        }
        let run = document_run(document.id.into());
        let intake = NewDocument::by("tester", &document, Some(&run));
        self.store.documents.add(intake, Timestamp::now()).await.unwrap();
        run.id
    }

    /// What a run keeps under that name.
    pub async fn artifact(&self, run: RunId, artifact_type: &str) -> Option<Artifact> {
        let artifacts = self.store.history.artifacts(run).await.unwrap();
        artifacts.into_iter().find(|artifact| artifact.artifact_type == artifact_type)
    }
}

/// The type and the code with which a run failed; nothing if it completed.
pub fn failure(run: &Run) -> Option<(&'static str, String)> {
    run.state.reason().map(|reason| (reason.failure_type.as_str(), reason.record.error_code.clone()))
}
