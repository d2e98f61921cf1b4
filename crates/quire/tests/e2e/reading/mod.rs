//! Reading: the `read` command, parser processes, OCR and the extraction step.

mod command;
mod covered_text;
mod einvoices;
mod extraction_step;
mod hostile;
pub mod ocr;
#[cfg(target_os = "linux")]
mod ocr_confinement;
mod parser_lifetime;
mod sandbox;
mod unread_pages;
mod web_pages;

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use quire_application::document::content_hash;
use quire_domain::{Document, DocumentId, Run, RunId};
use quire_ports::{Artifact, BlobStore as _, NewDocument};
use quire_reading::sandbox::{ParserLimits, ParserProgram, child};
use quire_testkit::documents::{Pdf, text_page};
use quire_testkit::fixture::{document, document_run};

use crate::record::pdf;
use crate::test_env::TestEnv;

/// The real program as a parser.
fn parser_program() -> ParserProgram {
    ParserProgram::with_argument(PathBuf::from(env!("CARGO_BIN_EXE_quire")), child::ARGUMENT)
}

/// Tight enough to stop a hostile document, wide enough for a busy machine.
fn tight_limits() -> ParserLimits {
    ParserLimits { memory: 512 << 20, time: Duration::from_secs(20), ..ParserLimits::default() }
}

/// A document whose parsing takes much longer than a test.
pub fn long_document() -> Vec<u8> {
    let page = text_page(&["El paciente come bien y duerme toda la noche."; 60]);
    Pdf::of_pages(&vec![page; 4_900]).file()
}

/// A document whose text is not words.
pub fn gibberish() -> Vec<u8> {
    pdf(&["xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz trwqpl zxcvbn mnbvcx lkjhgf"; 3])
}

/// A process as `/proc` shows it.
struct ProcessStat {
    parent: u32,
    /// CPU time in hundredths of a second.
    ticks: u64,
}

/// The process with this id, unless it has ended.
fn process_stat(id: u32) -> Option<ProcessStat> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let is_zombie = fields[0] == "Z";
    (!is_zombie)
        .then(|| ProcessStat { parent: fields[1].parse().unwrap(), ticks: fields[11].parse().unwrap() })
}

impl TestEnv {
    /// Adds a document with its first run directly to the store.
    pub async fn add_document(&self, file: Option<&[u8]>, language: Option<&str>) -> RunId {
        let unknown = document(DocumentId::new());
        let document = Document {
            file_size: file.map_or(0, |file| file.len() as u64),
            content_hash: file.map_or(unknown.content_hash, |file| content_hash(file).unwrap()),
            created_at: Timestamp::now(),
            language_override: language.map(str::to_owned),
            ..unknown
        };
        if let Some(file) = file {
            self.blobs.put(&document.storage_path, file.to_vec()).await.unwrap();
        }
        let run = document_run(document.id.into());
        let new_document = NewDocument::uploaded_by("tester", &document, Some(&run));
        self.store.documents.add(new_document, Timestamp::now()).await.unwrap();
        run.id
    }

    /// The artifact of a run with this type.
    pub async fn artifact(&self, run: RunId, artifact_type: &str) -> Option<Artifact> {
        let artifacts = self.store.run_reader.artifacts(run).await.unwrap();
        artifacts.into_iter().find(|artifact| artifact.artifact_type == artifact_type)
    }
}

/// Failure type and error code of a run; `None` if it completed.
pub fn failure(run: &Run) -> Option<(&'static str, String)> {
    run.state.reason().map(|reason| (reason.failure_type.as_str(), reason.record.error_code.clone()))
}
