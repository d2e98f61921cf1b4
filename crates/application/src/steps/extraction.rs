//! EXTRACTION: from the stored file to its text and its pages with words, each kept for the steps and people after it.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::quality::{Quality, QualityVerdict};
use quire_domain::reading::{PlainText, Reading};
use quire_domain::{Document, DocumentId, Failure, FailureKind, FailureType, Run};
use quire_ports::{
    BlobStore, Documents, PortError, ReadError, ReadErrorKind, ReadOutput, ReadRequest, Reader, Step,
    StepContext, StepOutput,
};

use super::code::StepErrorCode;
use super::recognised::KeptWithDocument;
use crate::document::pages::{PageEntry, PageIndex, RawTextArtifact};

/// The code of what has none of its own.
const FAILED: &str = FailureType::ExtractionFailed.as_str();
const LOW_QUALITY: &str = FailureType::ExtractionLowQuality.as_str();

/// The EXTRACTION step.
pub struct ExtractionStep {
    /// Where documents are listed.
    pub documents: Arc<dyn Documents>,
    /// Where their files are.
    pub blobs: Arc<dyn BlobStore>,
    /// What reads them.
    pub reader: Arc<dyn Reader>,
    /// Bytes of the largest file that is read.
    pub largest: u64,
}

#[async_trait]
impl Step for ExtractionStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let file = self.load(&context.run).await?;
        let recognised =
            Arc::new(KeptWithDocument { blobs: self.blobs.clone(), document: context.run.subject });
        let request = ReadRequest {
            file: file.into(),
            language: context.run.language.clone(),
            recognised: Some(recognised),
        };
        let read = self.reader.read(request).await.map_err(unread)?;
        let plain = read.reading.plain_text();
        judge(&plain.text)?;
        self.keep(&context.run, &read, plain).await
    }
}

impl ExtractionStep {
    async fn load(&self, run: &Run) -> Result<Vec<u8>, Failure> {
        let document = self.find(run).await?;
        let file =
            self.blobs.get(&document.storage_path, self.largest).await.map_err(|error| match error {
                PortError::NotFound(_) => {
                    Failure::permanent(FAILED, "the document's file is missing; upload the document again")
                }
                PortError::Conflict(_) => Failure::permanent(
                    ReadErrorKind::DocumentTooLarge.as_str(),
                    format!(
                        "the file is larger than {} MB, the most that is read; split it",
                        self.largest >> 20
                    ),
                ),
                error => unavailable(&error),
            })?;
        if file.is_empty() {
            return Err(Failure::permanent(
                FAILED,
                "the document's file is empty; upload the document again",
            ));
        }
        Ok(file)
    }

    async fn find(&self, run: &Run) -> Result<Document, Failure> {
        self.documents.find(DocumentId(run.subject.0)).await.map_err(|error| match error {
            PortError::NotFound(_) => {
                Failure::permanent(FAILED, "the document's record is missing; upload it again")
            }
            error => unavailable(&error),
        })
    }

    /// Writes text and pages beside the original. A repeated attempt writes the same names again.
    async fn keep(&self, run: &Run, read: &ReadOutput, plain: PlainText) -> Result<StepOutput, Failure> {
        let folder = format!("{}/runs/{}", run.subject, run.id);
        let text = RawTextArtifact {
            path: format!("{folder}/raw-text.txt"),
            bytes: plain.text.len() as u64,
            language: read.language.clone().unwrap_or_else(|| RawTextArtifact::UNKNOWN_LANGUAGE.to_owned()),
        };
        let path = format!("{folder}/pages.jsonl");
        let (lines, pages) = lines_of(&read.reading)?;
        let index = PageIndex { path, kind: read.kind, pages };
        self.blobs.put(&text.path, plain.text.into_bytes()).await.map_err(|error| unavailable(&error))?;
        self.blobs.put(&index.path, lines).await.map_err(|error| unavailable(&error))?;
        let artifacts = vec![
            (RawTextArtifact::ARTIFACT.to_owned(), payload(&text)?),
            (PageIndex::ARTIFACT.to_owned(), payload(&index)?),
        ];
        Ok(StepOutput { artifacts, ..StepOutput::default() })
    }
}

/// Each page as a line of JSON, and where it is, so that one page can be had without the others.
fn lines_of(reading: &Reading) -> Result<(Vec<u8>, Vec<PageEntry>), Failure> {
    let mut lines = Vec::new();
    let mut entries = Vec::with_capacity(reading.pages.len());
    for page in &reading.pages {
        let start = lines.len() as u64;
        serde_json::to_writer(&mut lines, page).map_err(|_| unwritable())?;
        let end = lines.len() as u64;
        lines.push(b'\n');
        let words = page.lines.iter().map(|line| line.words.len()).sum();
        let (width, height, recognised) = (page.width, page.height, page.recognised);
        entries.push(PageEntry { width, height, recognised, words, start, end });
    }
    Ok((lines, entries))
}

fn payload(artifact: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(artifact).map_err(|_| unwritable())
}

fn unwritable() -> Failure {
    Failure::permanent(FAILED, "what was read cannot be written down; please report this document")
}

/// The gate: what was read must be worth understanding.
fn judge(text: &str) -> Result<(), Failure> {
    let quality = Quality::of(text);
    let flaws: Vec<String> = quality.issues.iter().map(|flaw| format!("{flaw:?}")).collect();
    let diagnosis = format!("score {:.2}, flaws: {}", quality.score, flaws.join(", "));
    match quality.verdict() {
        QualityVerdict::Good => Ok(()),
        QualityVerdict::Unreadable => Err(Failure::permanent(
            FAILED,
            "the document has next to no readable text; if it is a scan, scan it again more clearly",
        )
        .with_diagnosis(diagnosis)),
        QualityVerdict::Low => Err(Failure::permanent(
            LOW_QUALITY,
            "the document's text is too poor to be trusted; if it is a scan, scan it again more clearly, else print \
             it to a new PDF",
        )
        .with_failure_type(FailureType::ExtractionLowQuality)
        .with_diagnosis(diagnosis)),
    }
}

fn unread(error: ReadError) -> Failure {
    let kind = if error.kind.may_pass() { FailureKind::Transient } else { FailureKind::Permanent };
    let failure = Failure::new(kind, error.kind.as_str(), error.message);
    match error.diagnosis {
        Some(diagnosis) => failure.with_diagnosis(diagnosis),
        None => failure,
    }
}

fn unavailable(error: &PortError) -> Failure {
    Failure::transient(
        StepErrorCode::StorageUnavailable.as_str(),
        format!("storage did not do its part: {error}"),
    )
}
